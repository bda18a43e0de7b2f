// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Stacks of the edges of the lock order: see order_stacks.h. */
#include "analysis/order_stacks.h"
#include "base/mem.h"

#define HEADS		(16u << 10)	/* a power of two */
#define NONE		UINT32_MAX
/* At most this many wishes of a lock and a task are searched for one that is there already, */
#define LOOKED_AT	64
/* and at most this many wishes of earlier sections wait for their end. */
#define EARLIER		1024

/* @outer_task, @outer_start: the section whose stack was asked for last */
struct edge {
	struct pair			key;	/* as that of struct order_edge */
	uint64_t			outer_site, inner_site, outer_task, outer_start;
	struct order_edge_stacks	stack;
	bool				known;	/* its places */
};

/* The stack of a section that is held is one of this edge. */
struct wish {
	uint64_t	lock, task, start;
	struct edge	*edge;
	uint32_t	next;		/* of the same head, or that is free */
	uint8_t		family;
	bool		outer;
};

struct order_stacks {
	struct pairs	edges;
	struct wish	*wish;
	uint32_t	used, free;
	uint32_t	head[HEADS];
};

static void forget_wishes(struct order_stacks *st)
{
	st->used = 0;
	st->free = NONE;
	for (unsigned int i = 0; i < HEADS; i++)
		st->head[i] = NONE;
}

struct order_stacks *order_stacks_new(void)
{
	struct order_stacks *st = mem_zalloc(1, sizeof(*st));

	st->edges.size = sizeof(struct edge);
	st->edges.max = ORDER_LOCKS;
	st->wish = mem_zalloc(ORDER_WISHES, sizeof(*st->wish));
	forget_wishes(st);
	return st;
}

void order_stacks_free(struct order_stacks *st)
{
	if (!st)
		return;
	pairs_free(&st->edges);
	mem_free(st->wish);
	mem_free(st);
}

static uint32_t *head_of(struct order_stacks *st, uint64_t lock, uint64_t task)
{
	return &st->head[pairs_hash(lock, task, 0) % HEADS];
}

static void wish_for(struct order_stacks *st, struct edge *edge, const struct section *s,
		     bool outer)
{
	uint64_t task = section_task(s->tid, s->cpu);
	uint32_t i = st->free, *head;

	if (i == NONE && st->used == ORDER_WISHES)
		forget_wishes(st);
	if (i == NONE)
		i = st->used++;
	else
		st->free = st->wish[i].next;
	head = head_of(st, s->lock, task);
	st->wish[i] = (struct wish){
		.lock = s->lock, .task = task, .start = s->start, .edge = edge, .next = *head,
		.family = s->family, .outer = outer,
	};
	*head = i;
}

/*
 * Was the stack of the outer section asked for? A reader's lock that a task holds twice is two
 * sections around the same inner one, so the last that was asked for is not all of them.
 */
static bool is_asked_for(struct order_stacks *st, const struct edge *edge,
			 const struct section *outer, uint64_t task)
{
	unsigned int looked = 0;

	if (edge->outer_task != task)
		return false;
	if (edge->outer_start == outer->start)
		return true;
	for (uint32_t i = *head_of(st, outer->lock, task); i != NONE && looked++ < LOOKED_AT;
	     i = st->wish[i].next) {
		const struct wish *w = &st->wish[i];

		if (w->outer && w->edge == edge && w->start == outer->start && w->task == task)
			return true;
	}
	return false;
}

void order_stacks_begin(struct order_stacks *st, const struct section *inner,
			const struct section *outer)
{
	uint64_t task = section_task(outer->tid, outer->cpu);
	struct edge *edge;

	/* as in order.c */
	if (outer->lock == inner->lock && !locks_are_apart(outer->family, inner->family))
		return;
	edge = pairs_get(&st->edges, outer->lock, inner->lock,
			 order_locks_tag(outer->family, inner->family));
	if (!edge)
		return;
	if (!edge->known) {
		edge->known = true;
		edge->outer_site = outer->site;
		edge->inner_site = inner->site;
	}
	if (edge->outer_site != outer->site || edge->inner_site != inner->site)
		return;
	if (!edge->stack.inner)
		wish_for(st, edge, inner, false);
	/* once, however often the inner one is acquired in it */
	if (edge->stack.outer || is_asked_for(st, edge, outer, task))
		return;
	edge->outer_task = task;
	edge->outer_start = outer->start;
	wish_for(st, edge, outer, true);
}

static void fulfil(const struct wish *w, uint32_t number)
{
	uint32_t *to = w->outer ? &w->edge->stack.outer : &w->edge->stack.inner;

	if (!*to)
		*to = number;
}

/*
 * An earlier section goes on if it can be held together with the one that has ended, as
 * readers can, or the raw spinlock in a sleeping lock; else its end is not in the trace.
 */
static bool goes_on(const struct wish *w, const struct section *ended, unsigned int *earlier)
{
	return w->start < ended->start && !locks_excludes(w->family, ended->family) &&
	       (*earlier)++ < EARLIER;
}

void order_stacks_section(struct order_stacks *st, const struct section *s, uint32_t number)
{
	uint64_t task = section_task(s->tid, s->cpu);
	uint32_t *at = head_of(st, s->lock, task), i;
	unsigned int earlier = 0;

	while ((i = *at) != NONE) {
		struct wish *w = &st->wish[i];

		if (w->lock != s->lock || w->task != task || w->start > s->start ||
		    goes_on(w, s, &earlier)) {
			at = &w->next;
			continue;
		}
		if (w->start == s->start)
			fulfil(w, number);
		*at = w->next;
		w->next = st->free;
		st->free = i;
	}
}

void order_stacks_wait(struct order_stacks *st, const struct wait *w, uint32_t number)
{
	uint64_t task = section_task(w->tid, w->cpu);

	for (uint32_t i = *head_of(st, w->lock, task); i != NONE; i = st->wish[i].next) {
		const struct wish *wish = &st->wish[i];

		/* it did not wait for what it already held */
		if (wish->lock == w->lock && wish->task == task && wish->start >= w->begin &&
		    !locks_are_apart(wish->family, w->family))
			fulfil(wish, number);
	}
}

struct order_edge_stacks order_stacks_of(const struct order_stacks *st,
					 const struct order_edge *e)
{
	const struct edge *edge = st ? pairs_find(&st->edges, e->key.a, e->key.b, e->key.tag) :
				       NULL;

	return edge ? edge->stack : (struct order_edge_stacks){ 0 };
}
