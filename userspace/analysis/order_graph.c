// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* From pairs of locks to the graph of their classes: see order_graph.h. */
#include <stdio.h>

#include "analysis/order_graph.h"
#include "analysis/order_return.h"
#include "base/array.h"
#include "base/mem.h"

/* An edge of locks, while it is sorted by its nodes. */
struct placed {
	uint32_t		from, to;
	const struct order_edge	*edge;
};

/* Addresses of the kernel and of programs have the same bits 62 and 63: one is free. */
static uint64_t key_of(uint64_t of, bool raw)
{
	return of ^ (uint64_t)raw << 62;
}

static uint32_t node_of(struct order_graph *g, uint64_t lock, bool raw)
{
	const struct lock_class_known *class = order_class_of(g->classes, lock);
	struct map *map = class ? &g->by_class : &g->by_lock;
	uint64_t key = key_of(class ? (uintptr_t)class : lock, raw);
	uintptr_t found = (uintptr_t)map_get(map, key);

	if (found)
		return (uint32_t)(found - 1);
	if (g->n_nodes == g->room) {
		g->room = g->room ? 2 * g->room : 256;
		g->node = mem_resize(g->node, g->room, sizeof(*g->node));
	}
	g->node[g->n_nodes++] = (struct order_node){ .class = class, .lock = lock, .raw = raw };
	map_put(map, key, (void *)(uintptr_t)g->n_nodes);
	return (uint32_t)(g->n_nodes - 1);
}

static int compare(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;
	const struct pair *left = &x->edge->key, *right = &y->edge->key;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	if (left->a != right->a)
		return left->a < right->a ? -1 : 1;
	if (left->b != right->b)
		return left->b < right->b ? -1 : 1;
	return (left->tag > right->tag) - (left->tag < right->tag);
}

static void add_links(struct order_graph *g, const struct placed *p, size_t n)
{
	struct order_link *link = NULL;

	g->link = mem_zalloc(n + 1, sizeof(*g->link));
	for (size_t i = 0; i < n; i++) {
		if (!link || link->from != p[i].from || link->to != p[i].to) {
			link = &g->link[g->n_links++];
			*link = (struct order_link){ p[i].from, p[i].to, .edge = g->edges + i };
		}
		g->edges[i] = p[i].edge;
		link->n++;
		if (!link->most || p[i].edge->count > link->most->count)
			link->most = p[i].edge;
		link->count += p[i].edge->count;
		link->modes |= p[i].edge->modes;
	}
	g->first = mem_zalloc(g->n_nodes + 1, sizeof(*g->first));
	for (size_t i = 0; i < g->n_links; i++)
		g->first[g->link[i].from + 1]++;
	for (size_t i = 0; i < g->n_nodes; i++)
		g->first[i + 1] += g->first[i];
}

/* A lock without edges has no node, and needs none. */
static void find_writers(struct order_graph *g, const struct table *locks)
{
	const struct table_row *row;

	table_for_each(locks, row) {
		unsigned int family = table_family(row);
		const struct lock_class_known *class = order_class_of(g->classes, row->key);
		uintptr_t node = (uintptr_t)map_get(class ? &g->by_class : &g->by_lock,
						    key_of(class ? (uintptr_t)class : row->key,
							   family == FT_LOCK_RAW_SPIN));

		if (node && !locks_families[family].reader)
			g->node[node - 1].written = true;
	}
}

void order_graph_make(struct order_graph *g, const struct order *o,
		      const struct symbols *symbols, const struct table *locks)
{
	struct placed *placed;
	size_t n, i;

	*g = (struct order_graph){ .classes = symbols_locks(symbols) };
	g->edges = order_edges(o, g->classes, &n);
	placed = mem_zalloc(n + 1, sizeof(*placed));
	for (i = 0; i < n; i++) {
		const struct order_edge *e = g->edges[i];

		placed[i].edge = e;
		placed[i].from = node_of(g, e->key.a, e->outer_family == FT_LOCK_RAW_SPIN);
		placed[i].to = node_of(g, e->key.b, e->inner_family == FT_LOCK_RAW_SPIN);
		g->node[placed[i].from].written |= !locks_families[e->outer_family].reader;
		g->node[placed[i].to].written |= !locks_families[e->inner_family].reader;
	}
	if (n)
		qsort(placed, n, sizeof(*placed), compare);
	add_links(g, placed, n);
	mem_free(placed);
	if (g->n_nodes)
		find_writers(g, locks);
}

void order_graph_free(struct order_graph *g)
{
	mem_free(g->node);
	mem_free(g->link);
	mem_free(g->first);
	mem_free(g->edges);
	map_free(&g->by_class);
	map_free(&g->by_lock);
}

const struct order_link *order_graph_find(const struct order_graph *g, uint32_t from,
					  uint32_t to)
{
	const struct order_link *link = &g->link[g->first[from]];
	size_t n = g->first[from + 1] - g->first[from], at = array_first(n, i, link[i].to < to);

	return at < n && link[at].to == to ? &link[at] : NULL;
}

/* The ways in which the next node is wanted by those who block at this one. */
static unsigned int go_on(unsigned int wanted, const struct order_link *link, bool writers)
{
	unsigned int next = 0;

	for (unsigned int held = 0; held < ORDER_MODES; held++) {
		if (order_blocks(wanted, held, writers))
			next |= order_wanted(link->modes, held);
	}
	return next;
}

bool order_links_block(const struct order_graph *g, const struct order_link *const *link,
		       unsigned int n, bool writers)
{
	for (unsigned int held = 0; held < ORDER_MODES; held++) {
		unsigned int wanted = order_wanted(link[0]->modes, held);

		for (unsigned int i = 1; i < n; i++)
			wanted = go_on(wanted, link[i],
				       writers && g->node[link[i]->from].written);
		if (order_blocks(wanted, held, writers && g->node[link[0]->from].written))
			return true;
	}
	return false;
}

const char *order_node_name(const struct symbols *s, const struct order_node *node, char *buf)
{
	if (node->class)
		return lock_classes_text(node->class, buf, SYMBOLS_LEN);
	return symbols_format(s, node->lock, false, buf, SYMBOLS_LEN);
}
