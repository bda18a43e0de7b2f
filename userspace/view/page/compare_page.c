// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft compare as a page: the same tables, a row for each trace, and figures. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/virtual.h"
#include "trace/fact.h"
#include "view/compare_views.h"
#include "view/compare_format.h"
#include "view/page/html.h"
#include "view/page/overlay.h"
#include "view/page/page.h"

#define NAME_LEN	40	/* in a legend */
#define CHANGES	4	/* columns of a change: rate, mean, p99, verdict */

static const char *mark(const struct compare *c)
{
	return compare_lost(c) ? "not complete: records were lost" : NULL;
}

static void cell_seconds(FILE *f, double seconds)
{
	char text[CELL];

	html_number(f, seconds, "%s",
		    page_ps(text, (report_ps)(seconds * 1e12 + 0.5)));
}

static void cell_empty(FILE *f, unsigned int n)
{
	while (n--)
		html_number(f, 0, "%s", "");
}

static void cell_change(FILE *f, double change)
{
	char text[CELL];

	html_number(f, isnan(change) ? 0 : change, "%s",
		    format_change(text, change));
}

static void show_trace(FILE *f, const struct compare *c, unsigned int i)
{
	const struct digest *d = &c->trace[i];
	uint64_t lost = trace_lost(&d->trace);
	char name[2] = { compare_letter(i) }, value[512];
	char streams[TRACE_STREAMS_LEN];

	html_fact(f, name, "%s", d->trace.title);
	if (!trace_fact(&d->trace, "kernel_release", value, sizeof(value)))
		snprintf(value, sizeof(value), "kernel unknown");
	html_fact(f, "", "%s, %.3f s, %" PRIu64 " records on %s, %" PRIu64
		  " lost", value, digest_seconds(d), d->records,
		  trace_streams_text(streams, &d->trace), lost);
}

static void show_traces(FILE *f, const struct compare *c)
{
	char name[128];
	unsigned int i;

	if (compare_lost(c))
		html_note(f, HTML_WARNING, "Records were lost, and the sections and waits "
			  "that they belong to are missing: what looks like a change may be "
			  "a loss.");
	for (i = 0; i < c->n; i++) {
		if (trace_fact(&c->trace[i].trace, "virtual", name, sizeof(name)) &&
		    virtual_is_emulator(name))
			break;
	}
	if (i < c->n)
		html_note(f, HTML_CAUTION, "%c was recorded in an emulator (%s), and maybe "
			  "others, too: times of an emulator mean nothing.",
			  compare_letter(i), name);
	html_facts_begin(f);
	for (i = 0; i < c->n; i++)
		show_trace(f, c, i);
	html_facts_end(f);
}

/* A row's numbers in one trace, and what changed since the first one. */
static void row_cells(FILE *f, const struct compare *c, unsigned int i,
		      const struct histogram *h, const struct change *ch)
{
	struct compare_numbers n = compare_numbers(&c->trace[i], h);
	char text[CELL], words[COMPARE_WORDS];

	html_number(f, (double)n.count, "%" PRIu64, n.count);
	html_number(f, n.rate, "%s", text_rate(text, n.rate));
	if (n.count) {
		cell_seconds(f, n.mean);
		cell_seconds(f, n.p50);
		cell_seconds(f, n.p99);
		cell_seconds(f, n.max);
	} else {
		cell_empty(f, 4);
	}
	if (!ch) {
		cell_empty(f, CHANGES - 1);
		html_cell(f, "%s", "");
		return;
	}
	cell_change(f, ch->rate);
	cell_change(f, ch->mean);
	cell_change(f, ch->p99);
	html_cell(f, "%s%s", compare_is_called(ch) ? "\u25b6 " : "",
		  compare_verdict(c, i, ch, words));
}

#define NUMBER_COLUMNS \
	{ "number", "complete critical sections", HTML_NUMBER }, \
	{ "per s", "over the whole trace", HTML_NUMBER }, \
	{ "mean", NULL, HTML_NUMBER }, \
	{ "median", NULL, HTML_NUMBER }, \
	{ "p99", "99 percent are not longer", HTML_NUMBER }, \
	{ "max", NULL, HTML_NUMBER }, \
	{ "\u0394 rate", "change of the rate since the first trace", HTML_NUMBER }, \
	{ "\u0394 mean", "change of the mean", HTML_NUMBER }, \
	{ "\u0394 p99", "change of p99", HTML_NUMBER }, \
	{ "verdict", "changes that are large enough, and beyond chance", HTML_TEXT }

static void table_classes(FILE *f, const struct compare *c)
{
	static const struct html_column columns[] = {
		{ "family, trace", NULL, HTML_TEXT }, NUMBER_COLUMNS,
		{ "< 5\u00a0\u00b5s", "share of sections that are shorter", HTML_NUMBER },
		{ "< 13\u00a0\u00b5s", "share of sections that are shorter", HTML_NUMBER },
	};
	unsigned int class, i, k;
	char text[CELL];

	html_section_begin(f, "families", "Critical sections: from acquisition to release",
			   mark(c));
	html_table_begin(f, columns, ARRAY_SIZE(columns));
	for (class = 0; class < DIGEST_CLASSES; class++) {
		if (!compare_has_class(c, class))
			continue;
		for (i = 0; i < c->n; i++) {
			const struct digest_class *of = &c->trace[i].class[class];
			uint64_t n = of->lengths.count;

			html_row_begin(f);
			html_cell(f, "%s %c", digest_title(class),
				  compare_letter(i));
			row_cells(f, c, i, &of->lengths,
				  i ? &c->change[i][class] : NULL);
			for (k = 0; k < DIGEST_LIMITS; k++)
				html_number(f, page_percent(of->below[k], n), "%s",
					    text_share(text, of->below[k], n));
			html_row_end(f);
		}
	}
	html_table_end(f);
	html_note(f, HTML_NOTE, "\u25b6 marks a change: one of %.0f %% or more that the "
		  "variation within the traces does not explain. At most %.0f %% of "
		  "comparisons mark any change that is only chance; see "
		  "ft-compare(1).", 100 * c->limit, 100 * COMPARE_ALPHA);
	html_section_end(f);
}

static void table_of(FILE *f, const struct compare *c, enum digest_table which)
{
	const bool sites = which == DIGEST_SITES;
	const struct html_column columns[] = {
		{ sites ? "acquired at" : "class", NULL, HTML_CODE },
		{ "family, trace", NULL, HTML_TEXT }, NUMBER_COLUMNS,
	};
	static const struct histogram none;
	const struct compare_table *table = &c->table[which];
	unsigned int i;
	size_t k;

	if (!table->n)
		return;
	html_section_begin(f, sites ? "sites" : "classes", sites ? "Call sites" :
			   "Classes of locks", mark(c));
	html_table_begin(f, columns, ARRAY_SIZE(columns));
	for (k = 0; k < table->shown; k++) {
		const struct compare_row *row = &table->row[k];

		for (i = 0; i < c->n; i++) {
			html_row_begin(f);
			html_code(f, "%s", row->shown);
			html_cell(f, "%s %c", digest_title(row->family),
				  compare_letter(i));
			row_cells(f, c, i, row->in[i] ? &row->in[i]->lengths : &none,
				  i ? &row->change[i] : NULL);
			html_row_end(f);
		}
	}
	html_table_end(f);
	html_note(f, HTML_NOTE, "%zu of %zu %s, those with the largest share "
		  "of time.%s", table->shown, table->n, sites ? "call sites" : "classes of locks",
		  sites && c->whole_functions ? " The kernels are not known to be the same: all "
		  "sites of a family in one function are one." : "");
	html_section_end(f);
}

static void overlay_fill(const struct compare *c, struct overlay *o,
			 char names[][NAME_LEN])
{
	unsigned int i;

	for (i = 0; i < c->n; i++) {
		const char *slash = strrchr(c->trace[i].trace.title, '/');

		snprintf(names[i], NAME_LEN, "%c: %s", compare_letter(i),
			 slash && slash[1] ? slash + 1 : c->trace[i].trace.title);
		o[i] = (struct overlay){
			.name = names[i],
			.freq = (double)c->trace[i].trace.meta.freq,
			.n_depths = LOCKS_DEPTHS,
		};
	}
}

static void figures(FILE *f, const struct compare *c)
{
	static const char *const scopes[LOCKS_SCOPES] = {
		[LOCKS_SPINNING] = "Nesting of spinning locks, per CPU",
		[LOCKS_SLEEPING] = "Nesting of sleeping locks, per task",
		[LOCKS_BOTH] = "Nesting of both together",
		[LOCKS_PROGRAM] = "Nesting of programs' locks, per thread",
		[LOCKS_SPIN] = "Nesting of spinlocks alone, per CPU",
	};
	struct overlay o[COMPARE_TRACES];
	char names[COMPARE_TRACES][NAME_LEN];
	unsigned int class, scope, i;

	overlay_fill(c, o, names);
	html_section_begin(f, "figures", "Hold times and nesting", mark(c));
	html_figures_begin(f, 2);
	for (class = 0; class < LOCKS_FAMILIES; class++) {
		for (i = 0; i < c->n; i++)
			o[i].lengths = &c->trace[i].class[class].lengths;
		overlay_cumulative(f, digest_title(class), o, c->n);
	}
	for (scope = 0; scope < LOCKS_SCOPES; scope++) {
		if (!compare_shows_scope(c, scope))
			continue;
		for (i = 0; i < c->n; i++)
			o[i].depth = c->trace[i].depth[scope];
		overlay_depth(f, scopes[scope], o, c->n);
	}
	html_figures_end(f);
	html_section_end(f);
}

static void page(FILE *f, const struct compare *c)
{
	html_begin(f, "Critical sections, compared");
	show_traces(f, c);
	table_classes(f, c);
	figures(f, c);
	table_of(f, c, DIGEST_LOCK_CLASSES);
	table_of(f, c, DIGEST_SITES);
	html_end(f);
}

int compare_page(const struct compare *c, const char *path)
{
	FILE *f = html_open(path);

	if (!f)
		return -1;
	page(f, c);
	return close_output(f, path);
}
