// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The page: locks that can wait for each other for ever. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/order_cycles.h"
#include "base/array.h"
#include "base/mem.h"
#include "symbols/frames.h"
#include "symbols/tasks.h"
#include "view/long_section.h"
#include "view/page/html.h"
#include "view/page/page.h"

static void cell_task(FILE *f, const struct report *r, int32_t tid, uint8_t ctx)
{
	const char *name = names_find(r->names, tid);

	if (ctx)
		html_cell(f, "%s", report_context_name(report_context(ctx)));
	else if (name)
		html_cell(f, "%s (%" PRId32 ")", name, tid);
	else
		html_cell(f, "task %" PRId32, tid);
}

static void cell_first(FILE *f, const struct report *r, uint64_t when)
{
	double seconds = page_seconds(r, (double)(when - r->trace.start));

	html_number(f, seconds, "%.6f s", seconds);
}

static void cell_stack(FILE *f, const struct report *r, uint32_t number)
{
	char *path = number ? frames_path(r->symbols, stacks_at(r->stacks, number), true,
					  LONG_SHOWN) : NULL;

	html_code(f, "%s", path ? path : "");
	mem_free(path);
}

static void edge_row(FILE *f, const struct report *r, size_t number, const char *seen,
		     const struct order_link *link, const struct order_edge *e, uint64_t count)
{
	struct order_edge_stacks stack = order_stacks_of(r->order_stacks, e);
	const struct order_node *node = r->cycles->graph.node;
	char name[SYMBOLS_LEN];

	html_row_begin(f);
	html_count(f, number);
	html_cell(f, "%s", seen);
	html_count(f, count);
	html_code(f, "%s", order_node_name(r->symbols, &node[link->from], name));
	page_cell_site(f, r, e->outer_site);
	html_code(f, "%s", order_node_name(r->symbols, &node[link->to], name));
	page_cell_site(f, r, e->inner_site);
	cell_task(f, r, e->tid, e->ctx);
	cell_first(f, r, e->when);
	if (r->order_stacks) {
		cell_stack(f, r, stack.outer);
		cell_stack(f, r, stack.inner);
	}
	html_row_end(f);
}

static const char *seen_text(enum order_seen seen, bool writers)
{
	static const char *const words[ORDER_SEEN][2] = {
		{ "observed", "observed; readers wait while a writer does" },
		{ "by one task", "by one task; readers wait while a writer does" },
		{ "possible: not all locks were searched",
		  "possible: not all locks were searched; readers wait while a writer does" },
		{ "possible", "possible; readers wait while a writer does" },
	};

	return words[seen][writers];
}

/* The last ones are there only if the trace has stacks. */
#define STACK_COLUMNS	2
#define EDGE_COLUMNS(first)						\
	{ first, NULL, HTML_NUMBER },					\
	{ "seen", "observed: with the same locks, by several tasks; "	\
		  "possible: with other locks of these classes", HTML_TEXT }, \
	{ "number", NULL, HTML_NUMBER },				\
	{ "held", NULL, HTML_CODE },					\
	{ "acquired at", NULL, HTML_CODE },				\
	{ "then", NULL, HTML_CODE },					\
	{ "acquired there", NULL, HTML_CODE },				\
	{ "by", NULL, HTML_TEXT },					\
	{ "first", NULL, HTML_NUMBER },					\
	{ "held by way of", "the first stack that is known of an acquisition there", HTML_CODE }, \
	{ "then by way of", "the first stack that is known of an acquisition there", HTML_CODE }

static size_t edge_columns(const struct report *r, size_t all)
{
	return r->order_stacks ? all : all - STACK_COLUMNS;
}

static void cycles(FILE *f, const struct report *r)
{
	static const struct html_column columns[] = { EDGE_COLUMNS("cycle") };
	const struct order_cycles *c = r->cycles;
	size_t i;

	if (c->cut)
		html_note(f, HTML_CAUTION, "The search for cycles was stopped: there may be "
			  "more.");
	if (c->cut_locks)
		html_note(f, HTML_CAUTION, "Not all cycles were searched for the same locks.");
	if (!c->n)
		return;
	html_note(f, HTML_WARNING, "%zu cycle%s in the lock order, of up to %u classes. As many tasks "
		  "as a cycle has rows, each at another row, can wait for each other for ever.",
		  c->n, c->n == 1 ? "" : "s", ORDER_CYCLE);
	html_table_begin(f, columns, edge_columns(r, ARRAY_SIZE(columns)));
	for (i = 0; i < c->n && i < r->top; i++) {
		const struct order_cycle *cycle = &c->cycle[i];

		for (unsigned int k = 0; k < cycle->n; k++)
			edge_row(f, r, i + 1, seen_text(cycle->seen, cycle->writers),
				 cycle->link[k], cycle->edge[k], cycle->count[k]);
	}
	html_table_end(f);
	if (order_tried(r->order))
		html_note(f, HTML_NOTE, "%" PRIu64 " nested acquisitions by trylock wait for "
			  "nobody and are left out.", order_tried(r->order));
	else if (!irq_uses_knows_calls(r->irq_uses))
		html_note(f, HTML_CAUTION, "The trace does not tell trylocks, which cannot "
			  "deadlock, from others.");
}

static void nested(FILE *f, const struct report *r)
{
	static const struct html_column columns[] = { EDGE_COLUMNS("class") };
	const struct order_cycles *c = r->cycles;
	size_t i;

	if (!c->n_nested)
		return;
	html_note(f, HTML_NOTE, "%zu classes were nested within themselves. A class in which no "
		  "two locks were taken in both orders is possible only.", c->n_nested);
	html_table_begin(f, columns, edge_columns(r, ARRAY_SIZE(columns)));
	for (i = 0; i < c->n_nested && i < r->top; i++) {
		const struct order_nested *n = &c->nested[i];
		char seen[128];

		snprintf(seen, sizeof(seen), "%s; %" PRIu64 " times, %zu pairs of locks, %" PRIu64
			 " in both orders", seen_text(n->seen, false), n->link->count, n->link->n,
			 n->inverted);
		edge_row(f, r, i + 1, seen, n->link, n->edge, n->edge->count);
		if (n->back)
			edge_row(f, r, i + 1, seen, n->link, n->back, n->back->count);
	}
	html_table_end(f);
}

static void unsafe(FILE *f, const struct report *r)
{
	static const struct html_column columns[] = {
		{ "lock", NULL, HTML_CODE },
		{ "interrupt", NULL, HTML_TEXT },
		{ "seen", "certain: an interrupt came while it was held; "
			  "possible: by a function that leaves them on", HTML_TEXT },
		{ "in it", NULL, HTML_NUMBER },
		{ "acquired in it at", NULL, HTML_CODE },
		{ "others", NULL, HTML_NUMBER },
		{ "with it on at", NULL, HTML_CODE },
		{ "by", NULL, HTML_TEXT },
	};
	const struct irq_unsafe *u;
	char name[SYMBOLS_LEN];
	size_t n, i;

	u = irq_uses_unsafe(r->irq_uses, &n);
	if (!n)
		return;
	/* the worst is the first */
	html_note(f, u->certain ? HTML_WARNING : HTML_CAUTION,
		  "%zu locks are taken by interrupts, and by others with these interrupts on. "
		  "An interrupt on the CPU that has such a lock waits for ever. Possible ones "
		  "may be under local_irq_disable() or local_bh_disable(), which no record "
		  "shows.", n);
	html_table_begin(f, columns, ARRAY_SIZE(columns));
	for (i = 0; i < n && i < r->top; i++) {
		const struct order_node class = { .class = u[i].class,
						  .lock = u[i].inside->key.a };

		html_row_begin(f);
		html_code(f, "%s", order_node_name(r->symbols, &class, name));
		html_cell(f, "%s", irq_kind_name(u[i].kind));
		html_cell(f, "%s", u[i].certain ? "certain" : "possible");
		html_count(f, u[i].inside_count);
		page_cell_site(f, r, u[i].inside->site);
		html_count(f, u[i].certain ? u[i].came : u[i].on_count);
		page_cell_site(f, r, u[i].on->site);
		cell_task(f, r, u[i].on->tid, u[i].on->ctx);
		html_row_end(f);
	}
	html_table_end(f);
}

void page_cycles(FILE *f, const struct report *r)
{
	cycles(f, r);
	nested(f, r);
	unsafe(f, r);
}

bool page_has_cycles(const struct report *r)
{
	size_t n;

	irq_uses_unsafe(r->irq_uses, &n);
	return n || r->cycles->n || r->cycles->n_nested || r->cycles->cut || r->cycles->cut_locks;
}
