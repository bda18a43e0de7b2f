// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The page: the longest sections. */
#include <inttypes.h>

#include "base/array.h"
#include "symbols/tasks.h"
#include "view/page/html.h"
#include "view/page/page.h"
#include "view/text/text.h"

/* Inside a section so many of those that ended there are shown. */
#define SHOWN	16

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
	report_html_cell_family(f, r, s->family);
	html_cell(f, "%s%s", s->ctx == outer->ctx ? "" : "interrupt: ",
		  report_context_name(report_context(s->ctx)));
	report_html_cell_site(f, r, s->site);
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

void report_html_longest(FILE *f, const struct report *r)
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
