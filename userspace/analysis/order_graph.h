/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The order of locks as a graph. A node is a class of locks where the trace is certain of it
 * (symbols/lock_classes.h), else a lock. A link from A to B: one of B was acquired while one
 * of A was held. Links of a node with itself are kept, and are no part of a cycle.
 */
#ifndef FT_ANALYSIS_ORDER_GRAPH_H
#define FT_ANALYSIS_ORDER_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/order.h"
#include "analysis/table.h"
#include "base/map.h"
#include "symbols/lock_classes.h"
#include "symbols/symbols.h"

/**
 * struct order_node - a class, or a lock
 * @class:	NULL: it is a lock
 * @lock:	that, or the first of the class
 * @raw:	raw spinlocks of PREEMPT_RT, which are apart: locks_are_apart()
 * @written: somebody holds it exclusively
 */
struct order_node {
	const struct lock_class_known	*class;
	uint64_t			lock;
	bool				raw, written;
};

/** struct order_link - from node to node; @edge: of their locks, by key; @most: most often */
struct order_link {
	uint32_t			from, to;
	uint16_t			modes;
	uint64_t			count;
	size_t				n;
	const struct order_edge		**edge, *most;
};

/** struct order_graph - @link by from, then to; those of node i are from first[i] on */
struct order_graph {
	struct order_node		*node;
	size_t				n_nodes, room;
	struct order_link		*link;
	size_t				n_links, *first;
	const struct order_edge		**edges;
	struct map			by_class, by_lock;	/* of both: the node + 1 */
	const struct lock_classes	*classes;
};

/** order_graph_make - @locks: the table by lock, which says which are written */
void order_graph_make(struct order_graph *g, const struct order *o,
		      const struct symbols *symbols, const struct table *locks);
void order_graph_free(struct order_graph *g);

/** order_graph_find - a link, or NULL */
const struct order_link *order_graph_find(const struct order_graph *g, uint32_t from,
					  uint32_t to);

/**
 * order_links_block - can as many tasks as there are links, each of which has the outer lock of
 * its link, wait for each other's?
 * @writers: where a reader holds what another one wants, writers of that lock may wait in
 *	between
 */
bool order_links_block(const struct order_graph *g, const struct order_link *const *link,
		       unsigned int n, bool writers);

/** order_wanted - a set of ways to want the inner lock, where the outer one is held so */
static inline unsigned int order_wanted(unsigned int modes, enum order_mode held)
{
	return modes >> ORDER_MODES * held & ((1u << ORDER_MODES) - 1);
}

/**
 * order_blocks - the same for one node: must a task that wants it so wait for one that holds it
 * so?
 */
static inline bool order_blocks(unsigned int wanted, enum order_mode held, bool writers)
{
	return wanted && (held == ORDER_EXCLUSIVE || wanted & 1u << ORDER_EXCLUSIVE ||
			  (writers && wanted & 1u << ORDER_READER));
}

/** order_node_name - in words. Return: @buf, of SYMBOLS_LEN bytes */
const char *order_node_name(const struct symbols *s, const struct order_node *node, char *buf);

#endif /* FT_ANALYSIS_ORDER_GRAPH_H */
