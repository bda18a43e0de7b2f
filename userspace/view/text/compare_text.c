// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft compare for people: tables of at most 100 columns, changes below values. */
#include <inttypes.h>
#include <stdio.h>

#include "base/virtual.h"
#include "trace/fact.h"
#include "view/compare_views.h"
#include "view/compare_format.h"

static void title(const struct compare *c, const char *text)
{
	printf("\n%s%s\n", text, compare_lost(c) ? " *" : "");
}

static void show_traces(const struct compare *c)
{
	char kernel[256];
	unsigned int i;

	for (i = 0; i < c->n; i++) {
		const struct digest *d = &c->trace[i];
		uint64_t lost = trace_lost(&d->trace);
		char streams[TRACE_STREAMS_LEN];

		printf("%c  %s\n", compare_letter(i), d->trace.title);
		if (!trace_fact(&d->trace, "kernel_release", kernel, sizeof(kernel)))
			snprintf(kernel, sizeof(kernel), "kernel unknown");
		printf("   %.40s, %.3f s, %" PRIu64 " records on %s, ", kernel,
		       digest_seconds(d), d->records,
		       trace_streams_text(streams, &d->trace));
		if (lost)
			printf("%" PRIu64 " LOST *\n", lost);
		else
			printf("none lost\n");
		if (trace_fact(&d->trace, "virtual", kernel, sizeof(kernel)) &&
		    virtual_is_emulator(kernel))
			printf("   recorded in an emulator (%.40s): times mean nothing\n",
			       kernel);
	}
	if (compare_lost(c))
		printf("\nWARNING: records were lost, and the sections and waits that they belong to are\n"
		       "missing: the tables marked * are not complete, and what looks like a change may\n"
		       "be a loss.\n");
}

static void show_numbers(const struct compare *c, unsigned int i,
			 const struct histogram *h)
{
	struct compare_numbers n = compare_numbers(&c->trace[i], h);
	char cell[CELL];

	printf("  %c %c%11" PRIu64, compare_letter(i),
	       trace_lost(&c->trace[i].trace) ? '*' : ' ', n.count);
	printf(" %7s", text_rate(cell, n.rate));
	if (!h->count)
		return;
	printf(" %8s", format_seconds(cell, n.mean));
	printf(" %8s", format_seconds(cell, n.p50));
	printf(" %8s", format_seconds(cell, n.p99));
	printf(" %8s", format_seconds(cell, n.max));
}

static void show_change(const struct compare *c, unsigned int i,
			const struct change *ch)
{
	char cell[CELL], words[COMPARE_WORDS];

	printf("  %-3s%11s", "", format_change(cell, ch->count));
	printf(" %7s", format_change(cell, ch->rate));
	printf(" %8s", format_change(cell, ch->mean));
	printf(" %8s", format_change(cell, ch->p50));
	printf(" %8s %8s  ", format_change(cell, ch->p99), "");
	printf("%s%s\n", compare_is_called(ch) ? "> " : "",
	       compare_verdict(c, i, ch, words));
}

static void show_class(const struct compare *c, unsigned int class)
{
	char cell[CELL];
	unsigned int i, limit;

	printf("%s\n", digest_title(class));
	for (i = 0; i < c->n; i++) {
		const struct digest_class *of = &c->trace[i].class[class];

		show_numbers(c, i, &of->lengths);
		if (of->lengths.count) {
			for (limit = 0; limit < DIGEST_LIMITS; limit++)
				printf(" %7s", text_share(cell, of->below[limit],
							  of->lengths.count));
		}
		putchar('\n');
		if (i)
			show_change(c, i, &c->change[i][class]);
	}
}

static void show_classes(const struct compare *c)
{
	unsigned int class, limit;
	char head[CELL];

	title(c, "Critical sections: from acquisition to release");
	printf("%-5s%11s %7s %8s %8s %8s %8s", "", "number", "per s", "mean",
	       "median", "p99", "max");
	for (limit = 0; limit < DIGEST_LIMITS; limit++) {
		snprintf(head, sizeof(head), "<%uus", digest_limits[limit]);
		printf(" %7s", head);
	}
	putchar('\n');
	for (class = 0; class < DIGEST_CLASSES; class++) {
		if (compare_has_class(c, class))
			show_class(c, class);
	}
}

static const char *const scopes[LOCKS_SCOPES] = {
	[LOCKS_SPINNING] = "spinning, per CPU",
	[LOCKS_SLEEPING] = "sleeping, per task",
	[LOCKS_BOTH] = "both",
	[LOCKS_PROGRAM] = "programs, per thread",
	[LOCKS_SPIN] = "spinlocks alone",
};

static void show_depth(const struct compare *c, enum locks_scope scope)
{
	uint64_t sum[COMPARE_TRACES] = { 0 };
	unsigned int i, depth, depths = 0;
	char cell[CELL];

	for (i = 0; i < c->n; i++) {
		for (depth = 0; depth < LOCKS_DEPTHS; depth++) {
			if (c->trace[i].depth[scope][depth] && depth >= depths)
				depths = depth + 1;
			sum[i] += c->trace[i].depth[scope][depth];
		}
	}
	if (!depths)
		return;
	printf("%-20s", scopes[scope]);
	for (i = 0; i < c->n; i++)
		printf(" %8c", compare_letter(i));
	putchar('\n');
	for (depth = 0; depth < depths; depth++) {
		printf("%20u", depth);
		for (i = 0; i < c->n; i++)
			printf(" %8s", text_share(cell, c->trace[i].depth[scope][depth],
						  sum[i]));
		putchar('\n');
	}
}

static void show_row(const struct compare *c, const struct compare_row *row)
{
	static const struct histogram none;
	unsigned int i;

	printf("%s: %.80s\n", digest_title(row->family), row->shown);
	for (i = 0; i < c->n; i++) {
		show_numbers(c, i, row->in[i] ? &row->in[i]->lengths : &none);
		putchar('\n');
		if (i)
			show_change(c, i, &row->change[i]);
	}
}

static void show_table(const struct compare *c, enum digest_table which)
{
	const struct compare_table *table = &c->table[which];
	size_t n = table->shown, i;

	if (!n)
		return;
	title(c, which == DIGEST_SITES ? "Call sites by their share of time" :
					 "Classes of locks by their share of time");
	if (which == DIGEST_SITES && c->whole_functions)
		printf("(the kernels are not known to be the same: all sites of a function are one)\n");
	printf("%-5s%11s %7s %8s %8s %8s %8s  (%zu of %zu)\n", "", "number",
	       "per s", "mean", "median", "p99", "max", n, table->n);
	for (i = 0; i < n; i++)
		show_row(c, &table->row[i]);
}

static void show_found(const struct compare *c, unsigned int i,
		       const char *what, const char *name,
		       const struct change *ch)
{
	char words[COMPARE_WORDS];

	printf("  %c -> %c  %-12s  %.40s%s%s\n", compare_letter(0),
	       compare_letter(i), what, name, *name ? ": " : "",
	       compare_verdict(c, i, ch, words));
}

/* What trace @i shows, and how much varies too slowly for a test. */
static unsigned int show_found_in(const struct compare *c, unsigned int i,
				  const struct compare_table *table, unsigned int *slow)
{
	unsigned int n = 0;

	for (size_t k = 0; k < table->shown; k++) {
		const struct compare_row *row = &table->row[k];

		*slow += compare_too_short(c, &row->change[i]);
		if (!compare_is_called(&row->change[i]))
			continue;
		show_found(c, i, digest_title(row->family), row->shown, &row->change[i]);
		n++;
	}
	return n;
}

static void show_summary(const struct compare *c)
{
	unsigned int i, class, n = 0, slow = 0;

	title(c, "What changed");
	for (i = 1; i < c->n; i++) {
		for (class = 0; class < DIGEST_CLASSES; class++) {
			slow += compare_too_short(c, &c->change[i][class]);
			if (!compare_is_called(&c->change[i][class]))
				continue;
			show_found(c, i, digest_title(class), "",
				   &c->change[i][class]);
			n++;
		}
		n += show_found_in(c, i, &c->table[DIGEST_LOCK_CLASSES], &slow);
		n += show_found_in(c, i, &c->table[DIGEST_SITES], &slow);
	}
	if (!n)
		printf("  no difference is both large enough and beyond chance\n");
	if (slow)
		printf("  %u more may be bursts, too long for traces of this length: record longer\n",
		       slow);
	printf("A change is one of %.0f %% or more that the variation within the traces does not explain\n"
	       "(at most %.0f %% of comparisons mark any that is only chance); see ft-compare(1).\n",
	       100 * c->limit, 100 * COMPARE_ALPHA);
}

void compare_text(const struct compare *c)
{
	enum locks_scope scope;

	show_traces(c);
	show_summary(c);
	show_classes(c);
	title(c, "Nesting: locks held already when a section began; 0 is a section on its own");
	for (scope = 0; scope < LOCKS_SCOPES; scope++)
		if (compare_shows_scope(c, scope))
			show_depth(c, scope);
	show_table(c, DIGEST_LOCK_CLASSES);
	show_table(c, DIGEST_SITES);
}
