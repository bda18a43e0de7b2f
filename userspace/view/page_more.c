// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The page's tables of waits, of the longest sections, and of the order of locks. */
#include <inttypes.h>

#include "base/util.h"
#include "symbols/tasks.h"
#include "view/html.h"
#include "view/page.h"
#include "view/text.h"

/* Inside a section so many of those that ended there are shown. */
#define SHOWN	16

static void cell_site(FILE *f, const struct report *r, uint64_t site)
{
	char symbol[SYMBOLS_LEN];

	if (site)
		html_code(f, "%s", symbols_format(r->symbols, site, true, symbol,
						  sizeof(symbol)));
	else
		html_code(f, "(not known)");
}

static void cell_waited(FILE *f, const struct report *r, uint64_t site,
			unsigned int family)
{
	if (site)
		cell_site(f, r, site);
	else
		html_code(f, "%s", waits_no_site(family));
}

static void cell_family(FILE *f, const struct report *r, uint32_t family)
{
	html_cell(f, "%s", r->family[family & 0xff].title);
}

static void wait_families(FILE *f, const struct report *r)
{
	static const unsigned int permille[] = { 500, 900, 990, 999 };
	static const struct html_column columns[] = {
		{ "family", NULL, HTML_TEXT },
		{ "waits", NULL, HTML_NUMBER },
		{ "total", NULL, HTML_NUMBER },
		{ "mean", NULL, HTML_NUMBER },
		{ "median", NULL, HTML_NUMBER },
		{ "p90", NULL, HTML_NUMBER },
		{ "p99", NULL, HTML_NUMBER },
		{ "p99.9", NULL, HTML_NUMBER },
		{ "max", NULL, HTML_NUMBER },
	};

	html_table_begin(f, columns, ARRAY_SIZE(columns));
	for (unsigned int i = 0; i < LOCKS_FAMILIES; i++) {
		const struct histogram *h = &r->family[i].waits;

		if (!h->count)
			continue;
		html_row_begin(f);
		cell_family(f, r, i);
		html_count(f, h->count);
		report_html_cell_ps(f, report_span(r, h->sum));
		report_html_cell_ps(f, report_mean(r, h));
		for (size_t q = 0; q < ARRAY_SIZE(permille); q++)
			report_html_cell_ps(f, report_span(r,
				histogram_quantile(h, permille[q])));
		report_html_cell_ps(f, report_span(r, h->max));
		html_row_end(f);
	}
	html_table_end(f);
}

static void wait_pairs(FILE *f, const struct report *r, size_t n)
{
	static const struct html_column columns[] = {
		{ "total", "time that was waited", HTML_NUMBER },
		{ "number", NULL, HTML_NUMBER },
		{ "mean", NULL, HTML_NUMBER },
		{ "max", NULL, HTML_NUMBER },
		{ "for", "the lock's family", HTML_TEXT },
		{ "waiter", "where it acquired the lock then", HTML_CODE },
		{ "held by", "where the holder had acquired it", HTML_CODE },
	};

	html_table_begin(f, columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < n; i++) {
		const struct wait_pair *p = r->waited[i];

		html_row_begin(f);
		report_html_cell_total(f, r, p->sum);
		html_count(f, p->count);
		report_html_cell_ps(f, report_mean_of(r, p->sum, p->count));
		report_html_cell_ps(f, report_span(r, p->max));
		cell_family(f, r, p->key.tag >> 8);
		cell_waited(f, r, p->key.a, p->key.tag >> 8);
		cell_waited(f, r, p->key.b, p->key.tag & 0xff);
		html_row_end(f);
	}
	html_table_end(f);
}

static void waits(FILE *f, const struct report *r)
{
	size_t all = r->wait_pairs.used, n = all < r->top ? all : r->top;

	if (!r->waits)
		return;
	html_section_begin(f, "waits", "Waiting for locks", report_html_mark(r));
	if (n) {
		wait_families(f, r);
		wait_pairs(f, r, n);
		html_note(f, HTML_NOTE, "%zu of %zu pairs of a waiter and a holder, "
			  "those that waited longest in all.", n, all);
	} else {
		html_note(f, HTML_NOTE, "Nobody waited for a lock.");
	}
	html_section_end(f);
}

static void inside_row(FILE *f, const struct report *r, const struct section *outer,
		       const struct section *s)
{
	char text[CELL];

	html_row_begin(f);
	html_number(f, (double)(s->start - outer->start), "+%s",
		    report_html_ps(text, report_span(r, s->start - outer->start)));
	if (s->end)
		report_html_cell_ps(f, report_span(r, s->end - s->start));
	else
		html_number(f, (double)(outer->end - s->start), "goes on");
	html_count(f, section_depth(s));
	cell_family(f, r, s->family);
	html_cell(f, "%s%s", s->ctx == outer->ctx ? "" : "interrupt: ",
		  report_context_name(report_context(s->ctx)));
	cell_site(f, r, s->site);
	html_row_end(f);
}

static void long_section(FILE *f, const struct report *r, const struct long_section *l)
{
	static const struct html_column columns[] = {
		{ "began", "after the outer section's begin", HTML_NUMBER },
		{ "held", NULL, HTML_NUMBER },
		{ "depth", "locks that were held already", HTML_NUMBER },
		{ "family", NULL, HTML_TEXT },
		{ "context", NULL, HTML_TEXT },
		{ "acquired at", NULL, HTML_CODE },
	};
	const struct section *s = &l->section;
	unsigned int first = l->n_inside > SHOWN ? l->n_inside - SHOWN : 0, i;
	char symbol[SYMBOLS_LEN], lock[SYMBOLS_LEN], length[CELL];
	const char *name = names_find(r->names, s->tid);
	char title[TRACE_NAME_LEN];

	html_disclosure_begin(f, "%s  %s at %s",
			      report_html_ps(length, report_span(r, s->end - s->start)),
			      r->family[s->family].title,
			      symbols_format(r->symbols, s->site, true, symbol,
					     sizeof(symbol)));
	html_note(f, HTML_NOTE, "At %.9f s, %s, %s %" PRId32 "%s%s, lock %s; "
		  "%" PRIu32 " sections ended inside it.",
		  text_seconds(r, s->start), trace_stream_title(title, s->cpu),
		  report_context_name(report_context(s->ctx)), s->tid,
		  name ? " " : "", name ? name : "",
		  symbols_format(r->symbols, s->lock, false, lock, sizeof(lock)),
		  l->ended);
	if (l->n_inside) {
		html_table_begin(f, columns, ARRAY_SIZE(columns));
		for (i = first; i < l->n_inside; i++)
			inside_row(f, r, s, &l->inside[i]);
		html_table_end(f);
	}
	if (first || l->ended > l->n_inside)
		html_note(f, HTML_NOTE, "The latest %u of them.", l->n_inside - first);
	html_disclosure_end(f);
}

static void longest(FILE *f, const struct report *r)
{
	const struct long_section *list;
	size_t n, any = 0, i;
	unsigned int group;

	for (group = 0; group < LOCKS_GROUPS; group++) {
		longest_list(r->longest, group, &n);
		any += n;
	}
	if (!any)
		return;
	html_section_begin(f, "longest", "The longest sections, and what began inside",
			   report_html_mark(r));
	for (group = 0; group < LOCKS_GROUPS; group++) {
		list = longest_list(r->longest, group, &n);
		for (i = 0; i < n; i++)
			long_section(f, r, &list[i]);
	}
	html_section_end(f);
}

static void way_row(FILE *f, const struct report *r, const struct order_edge *e,
		    uint64_t count, size_t number)
{
	char lock[SYMBOLS_LEN];

	html_row_begin(f);
	html_count(f, number);
	html_count(f, count);
	html_cell(f, "%s", report_context_name(report_context(e->ctx)));
	html_code(f, "%s", symbols_format(r->symbols, e->key.a, false, lock,
					  sizeof(lock)));
	cell_site(f, r, e->outer_site);
	html_code(f, "%s", symbols_format(r->symbols, e->key.b, false, lock,
					  sizeof(lock)));
	cell_site(f, r, e->inner_site);
	html_row_end(f);
}

static void inversions(FILE *f, const struct report *r)
{
	static const struct html_column columns[] = {
		{ "pair", NULL, HTML_NUMBER },
		{ "number", NULL, HTML_NUMBER },
		{ "context", NULL, HTML_TEXT },
		{ "held", NULL, HTML_CODE },
		{ "acquired at", NULL, HTML_CODE },
		{ "then", NULL, HTML_CODE },
		{ "acquired there", NULL, HTML_CODE },
	};
	const struct order_inversion *in;
	size_t n, i;

	in = order_inversions(r->order, &n);
	if (!n)
		return;
	html_note(f, HTML_WARNING, "%zu pairs of locks were taken in both orders. Two "
		  "tasks that do so at the same time wait for each other; with "
		  "trylock they do not.", n);
	html_table_begin(f, columns, ARRAY_SIZE(columns));
	for (i = 0; i < n && i < r->top; i++) {
		way_row(f, r, in[i].there, in[i].there_count, i + 1);
		way_row(f, r, in[i].back, in[i].back_count, i + 1);
	}
	html_table_end(f);
}

static void order(FILE *f, const struct report *r)
{
	static const struct html_column columns[] = {
		{ "number", NULL, HTML_NUMBER },
		{ "held", NULL, HTML_TEXT },
		{ "acquired at", NULL, HTML_CODE },
		{ "then", NULL, HTML_TEXT },
		{ "acquired inside at", NULL, HTML_CODE },
	};
	const struct order_pair *const *pairs;
	size_t n, shown, i;

	pairs = order_pairs(r->order, &n);
	shown = n < r->top ? n : r->top;
	if (!n)
		return;
	html_section_begin(f, "order", "Order of locks", report_html_mark(r));
	inversions(f, r);
	html_table_begin(f, columns, ARRAY_SIZE(columns));
	for (i = 0; i < shown; i++) {
		html_row_begin(f);
		html_count(f, pairs[i]->count);
		cell_family(f, r, pairs[i]->key.tag >> 8);
		cell_site(f, r, pairs[i]->key.a);
		cell_family(f, r, pairs[i]->key.tag);
		cell_site(f, r, pairs[i]->key.b);
		html_row_end(f);
	}
	html_table_end(f);
	html_note(f, HTML_NOTE, "%zu of %zu pairs of call sites, those most often "
		  "nested.", shown, n);
	html_section_end(f);
}

void report_html_more(FILE *f, const struct report *r)
{
	waits(f, r);
	longest(f, r);
	order(f, r);
}
