/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Cycles in the order of locks (order_graph.h), of up to ORDER_CYCLE classes: as many tasks, one
 * in each of its links, can wait for each other for ever.
 *
 * Each cycle is found once, and only if it is minimal: no link between two of its classes makes
 * a shorter one. One that was observed is hidden only by shorter ones that were, too; one that
 * needs no waiting writer only by those that need none. The search is bounded, in steps and in
 * cycles, and so is that for the same locks (order_instances.h); shorter ones come first, and what
 * is left out is said: @cut, @cut_locks.
 *
 * Cycles of locks, where there are no classes, are one if they were made at the same places.
 */
#ifndef FT_ANALYSIS_ORDER_CYCLES_H
#define FT_ANALYSIS_ORDER_CYCLES_H

#include "analysis/order_graph.h"

#define ORDER_CYCLE		6u
#define ORDER_CYCLES_MAX	(64u << 10)
#define ORDER_STEPS		(20u << 20)

/** enum order_seen - worst first */
enum order_seen {
	ORDER_OBSERVED,		/* with the same locks, by several tasks */
	ORDER_ONE_TASK,		/* with the same locks, by one task alone */
	ORDER_UNKNOWN,		/* there are more locks of its classes than were searched */
	ORDER_POSSIBLE,		/* with locks of the same classes */
	ORDER_SEEN
};

/**
 * struct order_cycle - link[i] ends where link[i + 1] begins, and the last where the first does
 * @edge:	of each link: of the locks that make the cycle, if that was seen; else those
 *		most often
 * @count:	acquisitions, of each link
 * @cycles:	how many, of the same places
 * @writers:	readers wait for readers only while a writer waits in between
 */
struct order_cycle {
	unsigned int		n;
	enum order_seen		seen;
	bool			writers;
	const struct order_link	*link[ORDER_CYCLE];
	const struct order_edge	*edge[ORDER_CYCLE];
	uint64_t		count[ORDER_CYCLE];
	uint64_t		cycles;
};

/**
 * struct order_nested - locks of a class inside of others of it: one finding
 * @inverted:	pairs of locks that were taken in both orders
 * @seen:	ORDER_POSSIBLE: there are none
 * @edge:	of such a pair, and @back the other way round; else NULL, and the most often
 */
struct order_nested {
	const struct order_link	*link;
	enum order_seen		seen;
	uint64_t		inverted;
	const struct order_edge	*edge, *back;
};

struct order_cycles {
	struct order_graph	graph;
	struct order_cycle	*cycle;		/* worst first */
	size_t			n, room;
	struct order_nested	*nested;	/* worst first */
	size_t			n_nested;
	bool			cut, cut_locks;
	uint64_t		steps, budget;	/* private */
};

struct order_cycles *order_cycles_find(const struct order *o, const struct symbols *symbols,
				       const struct table *locks);
void order_cycles_free(struct order_cycles *c);

/** order_seen_name - "observed", "one_task", "unknown", "possible" */
const char *order_seen_name(enum order_seen seen);

#endif /* FT_ANALYSIS_ORDER_CYCLES_H */
