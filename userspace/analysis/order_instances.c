// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Searches locks that make a cycle of classes one of locks: see order_instances.h. */
#include <string.h>

#include "analysis/order_instances.h"
#include "base/array.h"

struct search {
	const struct order_graph	*g;
	struct order_cycle		*cycle;
	const struct order_edge		*edge[ORDER_CYCLE];
	uint64_t			left;
	bool				over;	/* nothing was left */
};

/* Did more than one task, or context, do these? */
static bool are_of_several(const struct order_edge *const *edge, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		if (edge[i]->several || !order_same_doer(edge[i], edge[0]))
			return true;
	}
	return false;
}

static bool is_below(const struct pair *key, uint64_t outer, uint64_t inner)
{
	return key->a < outer || (key->a == outer && key->b < inner);
}

/* The first edge of a link which is not below one of these two locks. */
static size_t first_of(const struct order_link *link, uint64_t outer, uint64_t inner)
{
	return array_first(link->n, i, is_below(&link->edge[i]->key, outer, inner));
}

/*
 * Must the task that wants the inner lock of @x wait for the one that holds it as the outer
 * lock of @y?
 */
static bool blocks(const struct order_graph *g, const struct order_edge *x,
		   const struct order_edge *y, uint32_t node)
{
	unsigned int wanted = 0, held;

	for (held = 0; held < ORDER_MODES; held++)
		wanted |= order_wanted(x->modes, held);
	for (held = 0; held < ORDER_MODES; held++) {
		if (order_wanted(y->modes, held) &&
		    order_blocks(wanted, held, g->node[node].written))
			return true;
	}
	return false;
}

/* Return: is it of several tasks, and so the worst that there can be? */
static bool found(struct search *s)
{
	struct order_cycle *c = s->cycle;
	bool several = are_of_several(s->edge, c->n);

	if (c->seen == ORDER_POSSIBLE || several) {
		memcpy(c->edge, s->edge, sizeof(s->edge));
		c->seen = several ? ORDER_OBSERVED : ORDER_ONE_TASK;
	}
	return several;
}

/* Return: may one more edge be tried? */
static bool spend(struct search *s)
{
	if (s->left)
		s->left--;
	else
		s->over = true;
	return !s->over;
}

/* The first @n edges are chosen. Return: the search is over */
static bool follow(struct search *s, unsigned int n)
{
	const struct order_link *link = s->cycle->link[n % s->cycle->n];
	uint64_t lock = s->edge[n - 1]->key.b;
	size_t first, i;

	if (n == s->cycle->n)
		return lock == s->edge[0]->key.a &&
		       blocks(s->g, s->edge[n - 1], s->edge[0], link->from) && found(s);
	first = first_of(link, lock, 0);
	for (i = first; i < link->n && link->edge[i]->key.a == lock; i++) {
		if (i > first && !spend(s))
			return true;
		s->edge[n] = link->edge[i];
		if (blocks(s->g, s->edge[n - 1], s->edge[n], link->from) && follow(s, n + 1))
			return true;
	}
	return false;
}

void order_instances_find(const struct order_graph *g, struct order_cycle *cycle,
			  uint64_t *budget)
{
	const struct order_link *link = cycle->link[0];
	uint64_t most = *budget < ORDER_INSTANCES_EACH ? *budget : ORDER_INSTANCES_EACH;
	struct search s = { .g = g, .cycle = cycle, .left = most };

	cycle->seen = ORDER_POSSIBLE;
	for (unsigned int i = 0; i < cycle->n; i++) {
		cycle->count[i] = cycle->link[i]->count;
		cycle->edge[i] = cycle->link[i]->most;
	}
	for (size_t i = 0; i < link->n && (!i || spend(&s)); i++) {
		s.edge[0] = link->edge[i];
		if (follow(&s, 1))
			break;
	}
	if (s.over)
		cycle->seen = ORDER_UNKNOWN;
	*budget -= most - s.left;
}

struct order_nested order_instances_nested(const struct order_graph *g,
					   const struct order_link *link)
{
	struct order_nested n = { link, .seen = ORDER_POSSIBLE, .edge = link->most };

	for (size_t i = 0; i < link->n; i++) {
		const struct order_edge *pair[2] = { link->edge[i] };
		size_t at = first_of(link, pair[0]->key.b, pair[0]->key.a);

		if (pair[0]->key.a > pair[0]->key.b)
			continue;	/* it is found from the other side */
		for (; at < link->n; at++) {
			bool several;

			pair[1] = link->edge[at];
			if (pair[1]->key.a != pair[0]->key.b || pair[1]->key.b != pair[0]->key.a)
				break;
			if (!blocks(g, pair[0], pair[1], link->from) ||
			    !blocks(g, pair[1], pair[0], link->from))
				continue;
			several = are_of_several(pair, 2);
			if (!n.inverted++ || (several && n.seen != ORDER_OBSERVED)) {
				n.edge = pair[0];
				n.back = pair[1];
				n.seen = several ? ORDER_OBSERVED : ORDER_ONE_TASK;
			}
		}
	}
	return n;
}
