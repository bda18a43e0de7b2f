// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The page's tables, each with its figures. */
#include <inttypes.h>

#include "base/array.h"
#include "view/page/html.h"
#include "view/page/page.h"
#include "view/text/text.h"

static void cell_share(FILE *f, uint64_t part, uint64_t whole)
{
	char text[CELL];

	html_number(f, page_percent(part, whole), "%s",
		    page_share(text, part, whole));
}

static void cell_empty(FILE *f, unsigned int n)
{
	while (n--)
		html_number(f, 0, "%s", "");
}

static void class_row(FILE *f, const struct report *r, const struct report_class *c)
{
	const struct histogram *h = &c->lengths;
	double seconds = r->duration;
	double rate = seconds > 0 ? (double)h->count / seconds : 0;
	char text[CELL];
	unsigned int i;

	html_row_begin(f);
	html_cell(f, "%s", c->title);
	html_count(f, h->count);
	html_number(f, rate, "%s", text_rate(text, rate));
	if (h->count) {
		page_cell_ps(f, report_span(r, h->min));
		page_cells_distribution(f, r, h);
		for (i = 0; i < r->n_limits; i++)
			cell_share(f, c->below[i], h->count);
	} else {
		cell_empty(f, 1 + PAGE_DISTRIBUTION + r->n_limits);
	}
	html_row_end(f);
}

static void table_families(FILE *f, const struct report *r)
{
	char limit[REPORT_LIMITS][40];
	struct html_column columns[10 + REPORT_LIMITS] = {
		{ "family", NULL, HTML_TEXT },
		{ "number", "complete critical sections", HTML_NUMBER },
		{ "per s", "over the whole trace", HTML_NUMBER },
		{ "min", NULL, HTML_NUMBER },
		{ "mean", NULL, HTML_NUMBER },
		{ "median", NULL, HTML_NUMBER },
		{ "p90", "90 percent are not longer", HTML_NUMBER },
		{ "p99", "99 percent are not longer", HTML_NUMBER },
		{ "p99.9", "99.9 percent are not longer", HTML_NUMBER },
		{ "max", NULL, HTML_NUMBER },
	};
	unsigned int i;

	for (i = 0; i < r->n_limits; i++) {
		snprintf(limit[i], sizeof(limit[i]), "<\u00a0%s\u00a0\u00b5s",
			 r->limit[i].name);
		columns[10 + i] = (struct html_column){
			limit[i], "share of sections that are shorter", HTML_NUMBER
		};
	}
	html_section_begin(f, "families", "Critical sections: from acquisition to release",
			   page_mark(r));
	html_table_begin(f, columns, 10 + r->n_limits);
	for (i = 0; i < LOCKS_FAMILIES; i++) {
		if (r->family[i].lengths.count || report_cuts(&r->family[i]))
			class_row(f, r, &r->family[i]);
	}
	for (i = 0; i < LOCKS_GROUPS; i++) {
		if (report_shows_group(r, i))
			class_row(f, r, &r->group[i]);
	}
	html_table_end(f);
	html_section_end(f);
}

static void table_cuts(FILE *f, const struct report *r)
{
	static const struct html_column columns[] = {
		{ "family", NULL, HTML_TEXT },
		{ "start", "cut by the beginning of the trace", HTML_NUMBER },
		{ "end", "cut by the end of the trace", HTML_NUMBER },
		{ "lost", "records are missing", HTML_NUMBER },
		{ "other", "acquired again, or released again", HTML_NUMBER },
	};

	if (!report_cuts(&r->group[GROUP_SPINNING]) && !report_cuts(&r->group[GROUP_SLEEPING]) &&
	    !report_cuts(&r->group[GROUP_PROGRAM]))
		return;
	html_section_begin(f, "left-out", "Left out: only one end was seen",
			   page_mark(r));
	html_table_begin(f, columns, ARRAY_SIZE(columns));
	for (unsigned int i = 0; i < LOCKS_FAMILIES; i++) {
		const struct report_class *c = &r->family[i];

		if (!report_cuts(c))
			continue;
		html_row_begin(f);
		html_cell(f, "%s", c->title);
		for (unsigned int cut = 0; cut < LOCKS_CUTS; cut++)
			html_count(f, c->cut[cut]);
		html_row_end(f);
	}
	html_table_end(f);
	html_note(f, HTML_NOTE, "start, end: cut by the beginning or the end of the "
		  "trace; lost: records are missing; other: acquired again without "
		  "a release, or released again without an acquisition.");
	html_section_end(f);
}

static void depth_rows(FILE *f, const struct report *r, unsigned int depths)
{
	uint64_t sum[LOCKS_SCOPES] = { 0 };
	unsigned int scope, depth;

	for (scope = 0; scope < LOCKS_SCOPES; scope++) {
		for (depth = 0; depth < depths; depth++)
			sum[scope] += r->depth[scope][depth];
	}
	for (depth = 0; depth < depths; depth++) {
		html_row_begin(f);
		html_count(f, depth);
		for (scope = 0; scope < LOCKS_SCOPES; scope++) {
			if (!report_shows_scope(r, scope))
				continue;
			html_count(f, r->depth[scope][depth]);
			cell_share(f, r->depth[scope][depth], sum[scope]);
		}
		html_row_end(f);
	}
}

static void table_depth(FILE *f, const struct report *r)
{
	static const struct html_column of[LOCKS_SCOPES][2] = {
		{ { "spinning, per CPU", NULL, HTML_NUMBER },
		  { "share", "of the spinning locks' sections", HTML_NUMBER } },
		{ { "sleeping, per task", NULL, HTML_NUMBER },
		  { "share", "of the sleeping locks' sections", HTML_NUMBER } },
		{ { "both", NULL, HTML_NUMBER },
		  { "share", "of all sections of the kernel", HTML_NUMBER } },
		{ { "program, per thread", NULL, HTML_NUMBER },
		  { "share", "of the sections of programs", HTML_NUMBER } },
		{ { "spinlocks alone", "inside of each other, without rwlocks", HTML_NUMBER },
		  { "share", "of the spinlocks' sections", HTML_NUMBER } },
	};
	struct html_column columns[1 + 2 * LOCKS_SCOPES] = {
		{ "depth", NULL, HTML_NUMBER },
	};
	unsigned int depths = 0, scope, n = 1;

	for (scope = 0; scope < LOCKS_SCOPES; scope++) {
		if (report_depths(r, scope) > depths)
			depths = report_depths(r, scope);
		if (!report_shows_scope(r, scope))
			continue;
		columns[n++] = of[scope][0];
		columns[n++] = of[scope][1];
	}
	if (!depths)
		return;
	html_section_begin(f, "nesting", "Nesting", page_mark(r));
	html_note(f, HTML_NOTE, "The depth of a section is the number of locks that were "
		  "held already when it began: 0 is a section on its own.");
	charts_depth(f, r);
	html_table_begin(f, columns, n);
	depth_rows(f, r, depths);
	html_table_end(f);
	html_section_end(f);
}

/* Figures that have no table of their own. */
static void figures(FILE *f, const struct report *r)
{
	if (!r->series || !(r->group[GROUP_SPINNING].lengths.count +
			   r->group[GROUP_SLEEPING].lengths.count +
			   r->group[GROUP_PROGRAM].lengths.count))
		return;
	html_section_begin(f, "hold-times", "Hold times", page_mark(r));
	charts_lengths(f, r);
	chart_cumulative(f, r);
	html_section_end(f);
	if (r->last > r->first) {
		html_section_begin(f, "rate", "Rate over time", page_mark(r));
		charts_rate(f, r);
		html_section_end(f);
	}
}

void page_tables(FILE *f, const struct report *r)
{
	table_families(f, r);
	figures(f, r);
	table_depth(f, r);
	page_keys(f, r);
	page_waits(f, r);
	page_longest(f, r);
	page_order(f, r);
	page_realtime(f, r);
	table_cuts(f, r);
}
