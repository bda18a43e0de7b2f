// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Tarjan's algorithm, without recursion: a chain of locks may be as long as there are locks. */
#include "analysis/order_components.h"
#include "base/mem.h"

struct visit {
	uint32_t	*number, *low;	/* number: 0 is not visited */
	size_t		*next;		/* link of the node to follow */
	uint32_t	*stack, *way;	/* of nodes without a part; to where it is */
	size_t		n_stack, n_way;
	uint32_t	visited;
};

static void enter(struct visit *v, const struct order_graph *g, uint32_t node)
{
	v->number[node] = v->low[node] = ++v->visited;
	v->next[node] = g->first[node];
	v->stack[v->n_stack++] = node;
	v->way[v->n_way++] = node;
}

static void leave(struct visit *v, struct order_components *c, uint32_t node)
{
	uint32_t member;

	v->n_way--;
	if (v->n_way && v->low[v->way[v->n_way - 1]] > v->low[node])
		v->low[v->way[v->n_way - 1]] = v->low[node];
	if (v->low[node] != v->number[node])
		return;
	do {
		member = v->stack[--v->n_stack];
		c->part[member] = c->n;
		c->size[c->n]++;
		/* it is off the stack, and paths to it no longer count */
		v->number[member] = UINT32_MAX;
	} while (member != node);
	c->n++;
}

static void walk(struct visit *v, struct order_components *c, const struct order_graph *g)
{
	while (v->n_way) {
		uint32_t node = v->way[v->n_way - 1], to;

		if (v->next[node] == g->first[node + 1]) {
			leave(v, c, node);
			continue;
		}
		to = g->link[v->next[node]++].to;
		if (!v->number[to])
			enter(v, g, to);
		else if (v->number[to] < v->low[node])
			v->low[node] = v->number[to];
	}
}

void order_components_find(struct order_components *c, const struct order_graph *g)
{
	size_t n = g->n_nodes + 1;
	struct visit v = {
		.number = mem_zalloc(n, sizeof(*v.number)),
		.low = mem_zalloc(n, sizeof(*v.low)),
		.next = mem_zalloc(n, sizeof(*v.next)),
		.stack = mem_zalloc(n, sizeof(*v.stack)),
		.way = mem_zalloc(n, sizeof(*v.way)),
	};

	*c = (struct order_components){
		.part = mem_zalloc(n, sizeof(*c->part)),
		.size = mem_zalloc(n, sizeof(*c->size)),
	};
	for (uint32_t node = 0; node < g->n_nodes; node++) {
		if (v.number[node])
			continue;
		enter(&v, g, node);
		walk(&v, c, g);
	}
	mem_free(v.number);
	mem_free(v.low);
	mem_free(v.next);
	mem_free(v.stack);
	mem_free(v.way);
}

void order_components_free(struct order_components *c)
{
	mem_free(c->part);
	mem_free(c->size);
}
