// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The report for programs: locks that can wait for each other for ever. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "analysis/order_cycles.h"
#include "base/mem.h"
#include "symbols/frames.h"
#include "view/data/fields_put.h"

static void put_node(const struct report *r, struct fields *f, const char *column,
		     const struct order_node *node)
{
	char name[SYMBOLS_LEN];

	put_text(f, column, order_node_name(r->symbols, node, name));
}

static void put_path(const struct report *r, struct fields *f, const char *column,
		     uint32_t number)
{
	char *path;

	if (!number)
		return;
	path = frames_path(r->symbols, stacks_at(r->stacks, number), true, UINT_MAX);
	put_text(f, column, path);
	mem_free(path);
}

static void put_edge(const struct report *r, struct fields *f, const struct order_edge *e)
{
	struct order_edge_stacks stack = order_stacks_of(r->order_stacks, e);

	put_site(r, f, "outer", e->outer_family, e->outer_site);
	put_site(r, f, "inner", e->inner_family, e->inner_site);
	put_text(f, "context", report_context_name(report_context(e->ctx)));
	put_number(f, "tid", "%" PRId32, e->tid);
	put_time(r, f, "first_ns", e->when);
	put_lock(r, f, "outer_lock", e->key.a);
	put_lock(r, f, "inner_lock", e->key.b);
	put_path(r, f, "outer_path", stack.outer);
	put_path(r, f, "inner_path", stack.inner);
}

static void put_cycles(const struct report *r, struct fields *f)
{
	const struct order_cycles *c = r->cycles;
	char row[FIELDS_ROW];
	unsigned int k;
	size_t i;

	f->table(f, "cycle");
	for (i = 0; i < c->n && i < r->top; i++) {
		snprintf(row, sizeof(row), "%zu", i);
		f->row(f, row);
		put_u64(f, "length", c->cycle[i].n);
		put_text(f, "seen", order_seen_name(c->cycle[i].seen));
		put_u64(f, "writers", c->cycle[i].writers);
		put_u64(f, "cycles", c->cycle[i].cycles);
	}
	f->table(f, "cycle_edge");
	for (i = 0; i < c->n && i < r->top; i++) {
		for (k = 0; k < c->cycle[i].n; k++) {
			const struct order_link *link = c->cycle[i].link[k];

			snprintf(row, sizeof(row), "%zu:%u", i, k);
			f->row(f, row);
			put_node(r, f, "from", &c->graph.node[link->from]);
			put_node(r, f, "to", &c->graph.node[link->to]);
			put_u64(f, "count", c->cycle[i].count[k]);
			put_edge(r, f, c->cycle[i].edge[k]);
		}
	}
}

static void put_nested(const struct report *r, struct fields *f)
{
	const struct order_cycles *c = r->cycles;
	char row[FIELDS_ROW];

	f->table(f, "nested_class");
	for (size_t i = 0; i < c->n_nested && i < r->top; i++) {
		const struct order_nested *n = &c->nested[i];
		struct order_edge_stacks stack;

		snprintf(row, sizeof(row), "%zu", i);
		f->row(f, row);
		put_node(r, f, "class", &c->graph.node[n->link->from]);
		put_text(f, "seen", order_seen_name(n->seen));
		put_u64(f, "count", n->link->count);
		put_u64(f, "pairs", n->link->n);
		put_u64(f, "inverted", n->inverted);
		put_edge(r, f, n->edge);
		if (n->back) {
			put_site(r, f, "back_outer", n->back->outer_family, n->back->outer_site);
			put_site(r, f, "back_inner", n->back->inner_family, n->back->inner_site);
			stack = order_stacks_of(r->order_stacks, n->back);
			put_path(r, f, "back_outer_path", stack.outer);
			put_path(r, f, "back_inner_path", stack.inner);
		}
	}
}

static void put_use(const struct report *r, struct fields *f, const char *prefix,
		    const struct irq_use *u)
{
	char column[32];

	put_site(r, f, prefix, u->family, u->site);
	snprintf(column, sizeof(column), "%s_context", prefix);
	put_text(f, column, report_context_name(report_context(u->ctx)));
	snprintf(column, sizeof(column), "%s_tid", prefix);
	put_number(f, column, "%" PRId32, u->tid);
	snprintf(column, sizeof(column), "%s_first_ns", prefix);
	put_time(r, f, column, u->when);
	snprintf(column, sizeof(column), "%s_lock", prefix);
	put_lock(r, f, column, u->key.a);
}

static void put_irq_unsafe(const struct report *r, struct fields *f)
{
	const struct irq_unsafe *u;
	char row[FIELDS_ROW];
	size_t n, i;

	f->table(f, "irq_unsafe");
	u = irq_uses_unsafe(r->irq_uses, &n);
	for (i = 0; i < n && i < r->top; i++) {
		const struct order_node class = { .class = u[i].class,
						  .lock = u[i].inside->key.a };

		snprintf(row, sizeof(row), "%zu", i);
		f->row(f, row);
		put_text(f, "interrupt", irq_kind_name(u[i].kind));
		put_node(r, f, "class", &class);
		put_u64(f, "certain", u[i].certain);
		put_u64(f, "same_lock", u[i].same);
		put_u64(f, "locks", u[i].locks);
		put_u64(f, "inside_count", u[i].inside_count);
		put_u64(f, "on_count", u[i].on_count);
		put_u64(f, "came", u[i].came);
		put_use(r, f, "inside", u[i].inside);
		put_use(r, f, "on", u[i].on);
	}
}

void put_cycles_of_locks(const struct report *r, struct fields *f)
{
	put_cycles(r, f);
	put_nested(r, f);
	put_irq_unsafe(r, f);
	f->table(f, "order_search");
	f->row(f, "-");
	put_u64(f, "cut", r->cycles->cut);
	put_u64(f, "cut_locks", r->cycles->cut_locks);
	put_u64(f, "trylocks", order_tried(r->order));
	put_u64(f, "calls_known", irq_uses_knows_calls(r->irq_uses));
}
