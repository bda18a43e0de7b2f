// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Finds cycles: see order_cycles.h. All nodes of a cycle are of one strongly connected part of
 * the graph, and it is searched from the lowest of them, so that each is found once.
 */
#include <string.h>

#include "analysis/order_components.h"
#include "analysis/order_cycles.h"
#include "analysis/order_instances.h"
#include "base/mem.h"

struct finding {
	struct order_cycles	*c;
	struct order_components	parts;
	unsigned int		len;		/* of cycles that are searched */
	uint32_t		root;
	const struct order_link	*path[ORDER_CYCLE];
};

/* Sets @seen, but leaves @reserve edges for others. */
static void find_locks(struct order_cycles *c, struct order_cycle *cycle, uint64_t reserve)
{
	uint64_t budget = c->budget > reserve ? c->budget - reserve : 0, before = budget;

	order_instances_find(&c->graph, cycle, &budget);
	c->budget -= before - budget;
	c->cut_locks |= cycle->seen == ORDER_UNKNOWN;
}

/* Locks of cycles that are hidden, or hide, are searched with half of all edges. */
static bool was_observed(struct order_cycles *c, struct order_cycle *cycle)
{
	find_locks(c, cycle, ORDER_INSTANCES / 2);
	return cycle->seen == ORDER_OBSERVED;
}

/*
 * Does a link between two nodes of the cycle make a shorter one, which blocks as well?
 * @observed: and was that observed?
 */
static bool is_hidden(struct order_cycles *c, const struct order_cycle *cycle, bool observed)
{
	const struct order_graph *g = &c->graph;
	unsigned int n = cycle->n, i, j, at;

	for (i = 0; i < n; i++) {
		for (j = 0; j < n; j++) {
			struct order_cycle shorter = { .n = 1 };

			if (i == j || j == (i + 1) % n)
				continue;
			/* from i straight to j, and on to i along the cycle */
			shorter.link[0] = order_graph_find(g, cycle->link[i]->from,
							   cycle->link[j]->from);
			if (!shorter.link[0])
				continue;
			for (at = j; at != i; at = (at + 1) % n)
				shorter.link[shorter.n++] = cycle->link[at];
			if (order_links_block(g, shorter.link, shorter.n, cycle->writers) &&
			    (!observed || was_observed(c, &shorter)))
				return true;
		}
	}
	return false;
}

static void keep(struct finding *f)
{
	struct order_cycles *c = f->c;
	struct order_cycle cycle = { .n = f->len, .cycles = 1 };

	memcpy(cycle.link, f->path, f->len * sizeof(*f->path));
	cycle.writers = !order_links_block(&c->graph, f->path, f->len, false);
	if (cycle.writers && !order_links_block(&c->graph, f->path, f->len, true))
		return;
	if (!is_hidden(c, &cycle, false))
		find_locks(c, &cycle, 0);
	else if (!was_observed(c, &cycle) || is_hidden(c, &cycle, true))
		return;
	if (c->n == ORDER_CYCLES_MAX) {
		c->cut = true;
		return;
	}
	if (c->n == c->room) {
		c->room = c->room ? 2 * c->room : 64;
		c->cycle = mem_resize(c->cycle, c->room, sizeof(*c->cycle));
	}
	c->cycle[c->n++] = cycle;
}

static bool is_on_path(const struct finding *f, unsigned int n, uint32_t node)
{
	for (unsigned int i = 0; i < n; i++) {
		if (f->path[i]->from == node)
			return true;
	}
	return false;
}

/* The path has @n links, and ends in @node. */
static void extend(struct finding *f, unsigned int n, uint32_t node)
{
	const struct order_graph *g = &f->c->graph;
	size_t i;

	if (n + 1 == f->len) {
		f->path[n] = order_graph_find(g, node, f->root);
		if (f->path[n])
			keep(f);
		return;
	}
	for (i = g->first[node]; i < g->first[node + 1] && !f->c->cut; i++) {
		const struct order_link *link = &g->link[i];

		f->c->cut |= ++f->c->steps > ORDER_STEPS;
		f->path[n] = link;
		if (link->to > f->root && link->to != node &&
		    f->parts.part[link->to] == f->parts.part[f->root] &&
		    !is_on_path(f, n, link->to))
			extend(f, n + 1, link->to);
	}
}

static void search(struct order_cycles *c)
{
	struct finding f = { .c = c };

	order_components_find(&f.parts, &c->graph);
	for (f.len = 2; f.len <= ORDER_CYCLE; f.len++) {
		for (f.root = 0; f.root < c->graph.n_nodes && !c->cut; f.root++) {
			if (f.parts.size[f.parts.part[f.root]] >= f.len)
				extend(&f, 0, f.root);
		}
	}
	order_components_free(&f.parts);
}

/* --- the same places ---------------------------------------------------------------- */

static int compare_places(const struct order_edge *x, const struct order_edge *y)
{
	if (x->outer_site != y->outer_site)
		return x->outer_site < y->outer_site ? -1 : 1;
	return (x->inner_site > y->inner_site) - (x->inner_site < y->inner_site);
}

/* From the link with the lowest places on. */
static void turn(struct order_cycle *c)
{
	struct order_cycle old = *c;
	unsigned int lowest = 0, i;

	for (i = 1; i < c->n; i++) {
		if (compare_places(c->edge[i], c->edge[lowest]) < 0)
			lowest = i;
	}
	for (i = 0; i < c->n; i++) {
		c->link[i] = old.link[(lowest + i) % c->n];
		c->edge[i] = old.edge[(lowest + i) % c->n];
		c->count[i] = old.count[(lowest + i) % c->n];
	}
}

static int compare_alike(const struct order_cycle *x, const struct order_cycle *y)
{
	int order = 0;

	if (x->n != y->n)
		return x->n < y->n ? -1 : 1;
	for (unsigned int i = 0; i < x->n && !order; i++)
		order = compare_places(x->edge[i], y->edge[i]);
	return order;
}

/* Are all its nodes locks, which have no class? */
static bool is_of_locks(const struct order_graph *g, const struct order_cycle *c)
{
	for (unsigned int i = 0; i < c->n; i++) {
		if (g->node[c->link[i]->from].class)
			return false;
	}
	return true;
}

static int compare_seen(const struct order_cycle *x, const struct order_cycle *y)
{
	if (x->writers != y->writers)
		return x->writers ? 1 : -1;
	return (x->seen > y->seen) - (x->seen < y->seen);
}

static int compare_to_merge(const void *a, const void *b)
{
	const struct order_cycle *x = a, *y = b;
	int order = compare_alike(x, y);

	if (!order)
		order = compare_seen(x, y);
	for (unsigned int i = 0; i < x->n && !order; i++)
		order = (x->link[i] > y->link[i]) - (x->link[i] < y->link[i]);
	return order;
}

static void merge_alike(struct order_cycles *c)
{
	size_t n = 0;

	if (c->n)
		qsort(c->cycle, c->n, sizeof(*c->cycle), compare_to_merge);
	for (size_t i = 0; i < c->n; i++) {
		const struct order_cycle *from = &c->cycle[i];
		struct order_cycle *to = n ? &c->cycle[n - 1] : NULL;

		if (!to || compare_alike(to, from) || !is_of_locks(&c->graph, from) ||
		    !is_of_locks(&c->graph, to)) {
			c->cycle[n++] = *from;
			continue;
		}
		for (unsigned int k = 0; k < to->n; k++)
			to->count[k] += from->count[k];
		to->cycles++;
	}
	c->n = n;
}

/* --- worst first -------------------------------------------------------------------- */

static uint64_t total(const struct order_cycle *c)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < c->n; i++)
		sum += c->count[i];
	return sum;
}

static int compare_worst(const void *a, const void *b)
{
	const struct order_cycle *x = a, *y = b;
	int order = compare_seen(x, y);

	if (order)
		return order;
	if (x->n != y->n)
		return x->n < y->n ? -1 : 1;
	if (total(x) != total(y))
		return total(x) > total(y) ? -1 : 1;
	return compare_to_merge(a, b);
}

static int compare_nested(const void *a, const void *b)
{
	const struct order_nested *x = a, *y = b;

	if (x->seen != y->seen)
		return x->seen < y->seen ? -1 : 1;
	if (x->link->count != y->link->count)
		return x->link->count > y->link->count ? -1 : 1;
	return (x->link > y->link) - (x->link < y->link);
}

static void find_nested(struct order_cycles *c)
{
	c->nested = mem_zalloc(c->graph.n_nodes + 1, sizeof(*c->nested));
	for (uint32_t node = 0; node < c->graph.n_nodes; node++) {
		const struct order_link *link = order_graph_find(&c->graph, node, node);

		if (link && order_links_block(&c->graph, &link, 1, true))
			c->nested[c->n_nested++] = order_instances_nested(&c->graph, link);
	}
	if (c->n_nested)
		qsort(c->nested, c->n_nested, sizeof(*c->nested), compare_nested);
}

struct order_cycles *order_cycles_find(const struct order *o, const struct symbols *symbols,
				       const struct table *locks)
{
	struct order_cycles *c = mem_zalloc(1, sizeof(*c));

	order_graph_make(&c->graph, o, symbols, locks);
	c->budget = ORDER_INSTANCES;
	search(c);
	for (size_t i = 0; i < c->n; i++)
		turn(&c->cycle[i]);
	merge_alike(c);
	if (c->n)
		qsort(c->cycle, c->n, sizeof(*c->cycle), compare_worst);
	find_nested(c);
	return c;
}

void order_cycles_free(struct order_cycles *c)
{
	if (!c)
		return;
	order_graph_free(&c->graph);
	mem_free(c->cycle);
	mem_free(c->nested);
	mem_free(c);
}

const char *order_seen_name(enum order_seen seen)
{
	static const char *const names[ORDER_SEEN] = {
		"observed", "one_task", "unknown", "possible"
	};

	return names[seen];
}
