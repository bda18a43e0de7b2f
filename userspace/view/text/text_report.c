// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The report for people: aligned tables, at most 100 columns wide. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/virtual.h"
#include "base/visible.h"
#include "trace/fact.h"
#include "view/text/text.h"

#define FACT_COLUMNS	68	/* of a value in the head: some are long, as commands */

static void text_gaps(const struct report *r)
{
	size_t n = r->n_gaps < 10 ? r->n_gaps : 10, i;
	char title[TRACE_NAME_LEN];

	for (i = 0; i < n; i++) {
		const struct report_gap *gap = &r->gaps[i];

		printf("  %s: from %.6f s ", trace_stream_title(title, gap->cpu),
		       text_seconds(r, gap->from));
		if (gap->open)
			printf("to the end\n");
		else
			printf("to %.6f s\n", text_seconds(r, gap->to));
	}
	if (r->gaps_in_all > n)
		printf("  and %" PRIu64 " gaps more\n", r->gaps_in_all - n);
}

static void text_lost(const struct report *r)
{
	uint64_t lost = trace_lost(&r->trace);
	char title[TRACE_NAME_LEN];
	unsigned int i;

	if (!lost)
		return;
	printf("WARNING: %" PRIu64 " record%s lost (%.3g %% of all):", lost,
	       lost == 1 ? " was" : "s were",
	       100.0 * (double)lost / (double)(lost + r->records));
	for (i = 0; i < r->trace.n_streams; i++) {
		const struct stream *s = &r->trace.streams[i];

		if (stream_lost(s))
			printf(" %s: %" PRIu64, trace_stream_title(title, s->cpu),
			       stream_lost(s));
	}
	putchar('\n');
	if (r->trace.parts.dropped_records)
		printf("  %" PRIu64 " of them in %" PRIu64 " parts that were dropped before they were sent\n",
		       r->trace.parts.dropped_records, r->trace.parts.dropped);
	text_gaps(r);
	printf("Sections and waits that they belong to are left out or missing: tables marked *\n"
	       "are not complete.\n\n");
}

static void text_fact(const struct report *r, const char *label,
		      const char *key)
{
	char *value = trace_fact_whole(&r->trace, key);
	char line[8 * FACT_COLUMNS];

	if (!value)
		return;
	visible_shorten(value, FACT_COLUMNS);
	visible_copy(line, sizeof(line), value);
	visible_shorten(line, FACT_COLUMNS);
	printf("%-10s %s\n", label, line);
	free(value);
}

/* Acquisitions that were stamped too early: see locks/early.h. */
static void text_early(const struct report *r)
{
	char most[CELL];

	if (r->early)
		printf("%-10s %" PRIu64 " acquisitions, stamped at most %s before the lock's release: taken to begin at it\n",
		       "Early", r->early,
		       text_ps(most, report_span(r, r->early_most)));
}

/* An emulator's times are not those of a real machine. */
static void text_virtual(const struct report *r)
{
	char name[128];

	if (trace_fact(&r->trace, "virtual", name, sizeof(name)))
		printf("%-10s %s%s\n", "Virtual", name,
		       virtual_is_emulator(name) ?
		       ": an emulator, its times mean nothing" : "");
}

static void text_when(const struct report *r)
{
	char date[64];

	if (report_begin(r, date, sizeof(date)))
		printf("%-10s %s\n", "Begin", date);
	printf("%-10s %.6f s\n", "Duration", r->duration);
}

static void text_head(const struct report *r)
{
	uint64_t lost = trace_lost(&r->trace), early;
	char rate[CELL], streams[TRACE_STREAMS_LEN];

	printf("%-10s %s\n", "Trace", r->trace.title);
	text_fact(r, "Host", "host");
	text_fact(r, "Kernel", "kernel_release");
	text_virtual(r);
	text_fact(r, "Locks", "lock_source");
	text_fact(r, "Command", "command");
	text_when(r);
	printf("%-10s %" PRIu64 " on %s, ", "Records", r->records,
	       trace_streams_text(streams, &r->trace));
	if (lost)
		printf("%" PRIu64 " lost\n", lost);
	else
		printf("none lost\n");
	if (r->unknown)
		printf("%-10s %" PRIu64 " with an event that the metadata does not define\n",
		       "", r->unknown);
	printf("%-10s %s, %sHz\n", "Clock",
	       r->trace.meta.clock ? r->trace.meta.clock : "?",
	       text_rate(rate, (double)r->trace.meta.freq));
	if (report_early(r, &early) && early)
		printf("%-10s acquisitions were seen up to %" PRIu64
		       " ns early in a test before the recording\n", "", early);
	text_early(r);
}

/* Two shares fit into the table of sections; more get one of their own. */
static unsigned int limits_in_row(const struct report *r)
{
	return r->n_limits <= 2 ? r->n_limits : 0;
}

static void text_class(const struct report *r, const struct report_class *c)
{
	const struct histogram *h = &c->lengths;
	char cell[CELL];
	unsigned int i;

	printf("%-13s %10" PRIu64 " %5s", c->title, h->count,
	       text_rate(cell, r->duration > 0 ?
				 (double)h->count / r->duration : 0));
	if (!h->count) {
		putchar('\n');
		return;
	}
	printf(" %7s", text_ps(cell, report_span(r, h->min)));
	text_distribution(r, h);
	for (i = 0; i < limits_in_row(r); i++)
		printf(" %6s", text_share(cell, c->below[i], h->count));
	putchar('\n');
}

static void text_sections(const struct report *r)
{
	char limit[CELL];
	unsigned int i;

	text_title(r, "Critical sections: from acquisition to release");
	printf("%-13s %10s %5s %7s %7s %7s %7s %7s %7s %7s", "", "number", "per s",
	       "min", "mean", "median", "p90", "p99", "p99.9", "max");
	for (i = 0; i < limits_in_row(r); i++) {
		snprintf(limit, sizeof(limit), "<%sus", r->limit[i].name);
		printf(" %6s", limit);
	}
	putchar('\n');
	for (i = 0; i < LOCKS_FAMILIES; i++) {
		if (report_has(&r->family[i]))
			text_class(r, &r->family[i]);
	}
	for (i = 0; i < LOCKS_GROUPS; i++) {
		if (report_shows_group(r, i))
			text_class(r, &r->group[i]);
	}
}

static void text_below(const struct report *r)
{
	char cell[CELL];
	unsigned int i, n;

	if (limits_in_row(r) == r->n_limits)
		return;
	text_title(r, "Shorter than, in microseconds");
	printf("%-13s", "");
	for (n = 0; n < r->n_limits; n++)
		printf(" %9s", r->limit[n].name);
	putchar('\n');
	for (i = 0; i < LOCKS_FAMILIES; i++) {
		const struct report_class *c = &r->family[i];

		if (!c->lengths.count)
			continue;
		printf("%-13s", c->title);
		for (n = 0; n < r->n_limits; n++)
			printf(" %9s", text_share(cell, c->below[n],
						  c->lengths.count));
		putchar('\n');
	}
}

static void text_cuts(const struct report *r)
{
	uint64_t sum = 0;
	unsigned int i, cut;

	for (i = 0; i < LOCKS_GROUPS; i++)
		sum += report_cuts(&r->group[i]);
	if (!sum)
		return;
	text_title(r, "Left out: only one end was seen");
	printf("%-13s %10s %10s %10s %10s\n", "", "start", "end", "lost", "other");
	for (i = 0; i < LOCKS_FAMILIES; i++) {
		const struct report_class *c = &r->family[i];

		if (!report_cuts(c))
			continue;
		printf("%-13s", c->title);
		for (cut = 0; cut < LOCKS_CUTS; cut++)
			printf(" %10" PRIu64, c->cut[cut]);
		putchar('\n');
	}
	printf("start, end: cut by the beginning or the end of the trace; lost: records are missing;\n"
	       "other: acquired again without a release, or released again without an acquisition\n");
}

/* Internal locks, which depths leave out if symbols show them. */
static void text_internal(const struct report *r)
{
	uint64_t n = r->group[GROUP_SPINNING].internal;

	if (r->internal_known && n)
		printf("%" PRIu64 " that sleeping locks take inside themselves are left out (--internal counts them)\n",
		       n);
	else if (!r->internal_known && !r->internal_counted &&
		 (r->family[FT_LOCK_SPIN].lengths.count ||
		  r->family[FT_LOCK_RAW_SPIN].lengths.count))
		printf("without symbols, locks that sleeping locks take inside themselves count as well\n");
}

static void text_depth(const struct report *r)
{
	static const char *const titles[LOCKS_SCOPES] = {
		[LOCKS_SPINNING] = "spinning, per CPU",
		[LOCKS_SLEEPING] = "sleeping, per task",
		[LOCKS_BOTH] = "both",
		[LOCKS_PROGRAM] = "program, by thread",
		[LOCKS_SPIN] = "spinlocks alone",
	};
	uint64_t sum[LOCKS_SCOPES] = { 0 };
	unsigned int scope, depth, depths = 0;
	char share[CELL];

	for (scope = 0; scope < LOCKS_SCOPES; scope++) {
		for (depth = 0; depth < LOCKS_DEPTHS; depth++)
			sum[scope] += r->depth[scope][depth];
		if (report_depths(r, scope) > depths)
			depths = report_depths(r, scope);
	}
	if (!depths)
		return;
	text_title(r, "Nesting: locks that were held already; 0 is a section on its own");
	printf("%5s", "depth");
	for (scope = 0; scope < LOCKS_SCOPES; scope++) {
		if (report_shows_scope(r, scope))
			printf(" %18s", titles[scope]);
	}
	putchar('\n');
	for (depth = 0; depth < depths; depth++) {
		printf("%5u", depth);
		for (scope = 0; scope < LOCKS_SCOPES; scope++) {
			if (report_shows_scope(r, scope))
				printf(" %10" PRIu64 " %7s", r->depth[scope][depth],
				       text_share(share, r->depth[scope][depth],
						  sum[scope]));
		}
		putchar('\n');
	}
	text_internal(r);
}

static void text_contexts(const struct report *r)
{
	char share[CELL];
	unsigned int i, c;

	text_title(r, "Where they were acquired");
	printf("%-13s %19s %19s %19s %19s\n", "", "task", "softirq", "hardirq",
	       "NMI");
	for (i = 0; i < LOCKS_FAMILIES; i++) {
		const struct report_class *class = &r->family[i];

		if (!class->lengths.count)
			continue;
		printf("%-13s", class->title);
		for (c = 0; c < REPORT_CONTEXTS; c++)
			printf(" %11" PRIu64 " %7s", class->context[c],
			       text_share(share, class->context[c],
					  class->lengths.count));
		putchar('\n');
	}
}

static void balance_row(const char *cpu, const char *family,
			const struct balance *b)
{
	printf("%5s %-13s %10" PRIu64 " %10" PRIu64 " %+8" PRId64 " %8" PRIu64
	       " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 "\n", cpu, family,
	       b->acquires, b->releases, (int64_t)(b->acquires - b->releases),
	       b->no_release[LOCKS_CUT_END],
	       b->no_release[LOCKS_CUT_START] + b->no_acquire[LOCKS_CUT_START],
	       b->no_acquire[LOCKS_CUT_END],
	       b->no_release[LOCKS_CUT_LOST] + b->no_acquire[LOCKS_CUT_LOST],
	       b->no_release[LOCKS_CUT_OTHER] + b->no_acquire[LOCKS_CUT_OTHER]);
}

/* A task may release a sleeping lock on another CPU: only their sum must balance. */
static void text_balance(const struct report *r)
{
	unsigned int i, family;
	char cpu[CELL];

	text_title(r, "Balance: a difference must be open sections, or cut by the start or the end");
	printf("%5s %-13s %10s %10s %8s %8s %8s %8s %8s %8s\n", "CPU", "",
	       "acquired", "released", "differ", "open", "at start", "at end",
	       "lost", "other");
	for (i = 0; i < r->trace.n_streams; i++) {
		const struct balance *b = locks_balance(r->locks, i);

		snprintf(cpu, sizeof(cpu), "%u", r->trace.streams[i].cpu);
		for (family = 0; family < LOCKS_FAMILIES; family++) {
			if (locks_is_spinning(family) &&
			    (b[family].acquires || b[family].releases))
				balance_row(cpu, r->family[family].title,
					    &b[family]);
		}
	}
	for (family = 0; family < LOCKS_FAMILIES; family++) {
		struct balance sum = report_balance(r, family);

		if (!locks_is_spinning(family) && (sum.acquires || sum.releases))
			balance_row("all", r->family[family].title, &sum);
	}
}

static void text_filter(const struct report *r)
{
	if (!r->filtered)
		return;
	printf("%-10s %s\n", "Filter", "only sections that the options select;");
	printf("%-10s %s\n", "", "counts of left-out sections and losses are for the whole trace");
}

void text_report(const struct report *r, bool balance)
{
	text_lost(r);
	text_head(r);
	text_filter(r);
	if (r->realtime) {
		text_realtime(r);
		return;
	}
	text_sections(r);
	text_below(r);
	text_contexts(r);
	text_cuts(r);
	text_depth(r);
	text_tables(r);
	text_waits(r);
	text_longest(r);
	text_order(r);
	text_bounds(r);
	if (balance)
		text_balance(r);
}
