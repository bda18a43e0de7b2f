// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The report for people: tables by call site, lock and task, and waits. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/classes.h"
#include "view/row_key.h"
#include "view/text/text.h"

/* The title of a table, and of its last column. */
static const struct { const char *by, *what; } tables[REPORT_TABLES] = {
	[TABLE_SITE] = { "Call sites", "acquired at" },
	[TABLE_LOCK] = { "Locks", "lock" },
	[TABLE_TASK] = { "Tasks", "task" },
	[TABLE_CLASS] = { "Classes of locks", "class" },
	[TABLE_STACK] = { "Stacks", "innermost function < its caller < ..." },
};

/* A saturated sum is that or more. */
static void print_sum(const struct report *r, uint64_t sum)
{
	char cell[CELL];

	printf("%s%8s", sum == UINT64_MAX ? ">= " : "",
	       text_ps(cell, report_span(r, sum)));
}

/* How many locks are of a class, and which part of all sections' time they have. */
static void print_class(const struct report *r, const struct table_row *row)
{
	uint32_t locks = classes_row(r->classes, row->key)->locks[table_family(row)];

	printf("  (%" PRIu32 " lock%s, %.1f%% of the time)", locks, locks == 1 ? "" : "s",
	       100 * classes_share(r->classes, row));
}

static void print_row(const struct report *r, enum report_tables which,
		      const struct table_row *row, const struct sketch *s)
{
	char cell[CELL], *key = row_key(r, which, row->key);

	print_sum(r, s->sum);
	printf(" %10" PRIu64, s->count);
	printf(" %7s", text_ps(cell, report_mean_of(r, s->sum, s->count)));
	printf(" %7s", text_ps(cell, report_span(r, sketch_quantile(s, 990))));
	printf(" %7s", text_ps(cell, report_span(r, s->max)));
	printf("  %-13s  %s", r->family[table_family(row)].title, key);
	if (which == TABLE_CLASS)
		print_class(r, row);
	putchar('\n');
	free(key);
}

static void print_head(const struct report *r, const char *text,
		       enum report_tables which, size_t n, size_t of)
{
	text_title(r, text);
	printf("%8s %10s %7s %7s %7s  %-13s  %s (%zu of %zu)\n", "total",
	       "number", "mean", "p99", "max", "", tables[which].what, n, of);
}

/* How many of the first @n rows have sections; others have only waits, as stacks of waits. */
static size_t count_held(const struct table *t, size_t n)
{
	size_t held = 0;

	for (size_t i = 0; i < n; i++)
		held += !!t->rows[i]->hold.count;
	return held;
}

static void text_table(const struct report *r, enum report_tables which)
{
	const struct table *t = &r->table[which];
	size_t n = t->n_rows < r->top ? t->n_rows : r->top, held = count_held(t, n), i;
	char text[64];

	if (!held)
		return;
	snprintf(text, sizeof(text), "%s by %s: held", tables[which].by,
		 table_column_name(r->sort));
	print_head(r, text, which, held, count_held(t, t->n_rows));
	for (i = 0; i < n; i++) {
		if (t->rows[i]->hold.count)
			print_row(r, which, t->rows[i], &t->rows[i]->hold);
	}
}

void text_tables(const struct report *r)
{
	unsigned int i, t;

	for (i = 0; (t = report_table(r, i)) < REPORT_TABLES; i++)
		text_table(r, t);
}

/* Waits. */

static size_t count_waiting(const struct table *t)
{
	size_t n = 0, i;

	for (i = 0; i < t->n_rows; i++)
		n += !!t->rows[i]->wait;
	return n;
}

/* Sorted by the column of --sort if that is of waits, else by their total. */
static void text_wait_table(const struct report *r, enum report_tables which)
{
	enum table_column sort = r->sort;
	size_t n = r->top, of = count_waiting(&r->table[which]), i;
	struct table_row **rows;
	char text[64];

	if (sort < COLUMN_WAIT_TOTAL || sort > COLUMN_WAIT_MAX)
		sort = COLUMN_WAIT_TOTAL;
	rows = table_top(&r->table[which], sort, &n);
	if (n > of)
		n = of;
	snprintf(text, sizeof(text), "%s by %s: waited for", tables[which].by,
		 table_column_name(sort));
	if (n)
		print_head(r, text, which, n, of);
	for (i = 0; i < n; i++) {
		if (rows[i]->wait)
			print_row(r, which, rows[i], rows[i]->wait);
	}
	free(rows);
}

static void print_site(const struct report *r, unsigned int family,
		       uint64_t addr)
{
	char symbol[SYMBOLS_LEN];

	if (!addr)
		snprintf(symbol, sizeof(symbol), "%s", waits_no_site(family));
	else
		symbols_format(r->symbols, addr, true, symbol, sizeof(symbol));
	printf("%s (%s)\n", symbol, r->family[family].title);
}

static void text_waited(const struct report *r)
{
	size_t n = r->wait_pairs.used < r->top ? r->wait_pairs.used : r->top, i;
	char cell[CELL];

	text_title(r, "Who waited for whom");
	printf("%8s %10s %7s %7s  %s (%zu of %zu)\n", "total", "number", "mean",
	       "max", "waiter, and under it the holder", n, r->wait_pairs.used);
	for (i = 0; i < n; i++) {
		const struct wait_pair *p = r->waited[i];

		print_sum(r, p->sum);
		printf(" %10" PRIu64, p->count);
		printf(" %7s", text_ps(cell, report_mean_of(r, p->sum, p->count)));
		printf(" %7s  ", text_ps(cell, report_span(r, p->max)));
		print_site(r, p->key.tag >> 8, p->key.a);
		printf("%*s", 39, "for ");
		print_site(r, p->key.tag & 0xff, p->key.b);
	}
}

static void text_wait_families(const struct report *r)
{
	char cell[CELL];
	unsigned int i;

	text_title(r, "Waiting: from the beginning of contention to its end");
	printf("%-13s %10s %8s %7s %7s %7s %7s %7s %7s\n", "", "number", "total",
	       "mean", "median", "p90", "p99", "p99.9", "max");
	for (i = 0; i < LOCKS_FAMILIES; i++) {
		const struct histogram *h = &r->family[i].waits;

		if (!h->count)
			continue;
		printf("%-13s %10" PRIu64, r->family[i].title, h->count);
		printf(" %8s", text_ps(cell, report_span(r, h->sum)));
		text_distribution(r, h);
		putchar('\n');
	}
}

static void text_waits_cut(const struct report *r)
{
	uint64_t start = waits_cut(r->waits, LOCKS_CUT_START);
	uint64_t end = waits_cut(r->waits, LOCKS_CUT_END);
	uint64_t lost = waits_cut(r->waits, LOCKS_CUT_LOST);
	uint64_t other = waits_cut(r->waits, LOCKS_CUT_OTHER);

	if (start || end || lost || other)
		printf("left out, with one end only: %" PRIu64 " start, %" PRIu64
		       " end, %" PRIu64 " lost, %" PRIu64 " other\n", start, end,
		       lost, other);
}

void text_waits(const struct report *r)
{
	unsigned int i, t;

	if (!r->waits)
		return;
	if (!r->wait_pairs.used) {
		printf("\nNobody waited for a lock.\n");
		text_waits_cut(r);
		return;
	}
	text_wait_families(r);
	text_waits_cut(r);
	for (i = 0; (t = report_table(r, i)) < REPORT_TABLES; i++)
		text_wait_table(r, t);
	text_waited(r);
}

/* Entries that bounded memory refused. */

static void bound(const char *what, uint64_t refused)
{
	if (refused)
		printf("NOTE: there were more %s than are kept; %" PRIu64 " events are in none of the rows\n",
		       what, refused);
}

static void say(const char *text, uint64_t n)
{
	if (n)
		printf("NOTE: %" PRIu64 " %s\n", n, text);
}

/* Where stacks were wanted, or some are missing. */
static void text_stacks(const struct report *r)
{
	const struct stacked_counts *n;

	say("records of stacks, but the trace has no readable file of them", r->stackless);
	if (!r->stacks && !r->stackless && r->shows[TABLE_STACK])
		printf("NOTE: no stack was recorded\n");
	if (!r->stacks)
		return;
	n = stacked_counts(r->stacked);
	say("stacks could not be taken while recording", n->none);
	say("records of stacks have an id that the trace's file does not have", n->unknown);
	say("records of stacks belong to a section or wait that is missing", n->stray);
	say("stacks were not kept, as the table of them was full", stacks_full(r->stacks));
}

void text_bounds(const struct report *r)
{
	putchar('\n');
	text_stacks(r);
	bound("call sites", r->table[TABLE_SITE].refused);
	bound("locks", r->table[TABLE_LOCK].refused);
	bound("tasks", r->table[TABLE_TASK].refused);
	bound("stacks of a family", r->table[TABLE_STACK].refused);
	bound("pairs of nested call sites", order_refused(r->order));
	bound("pairs of nested locks", order_refused_locks(r->order));
	bound("locks and their interrupts", irq_uses_refused(r->irq_uses));
	bound("pairs of waiter and holder", r->wait_pairs.refused);
	if (order_skipped(r->order))
		printf("NOTE: more than %u locks were held at once; pairs with the outermost of them are left out: %llu\n",
		       ORDER_OUTER, (unsigned long long)order_skipped(r->order));
}
