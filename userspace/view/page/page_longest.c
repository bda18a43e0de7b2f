// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The page: the longest sections. */
#include "base/array.h"
#include "view/long_section.h"
#include "view/page/html.h"
#include "view/page/page.h"
#include "view/text/text.h"

static void inside_row(FILE *f, const struct report *r, const struct long_inside *in,
		       const char *context)
{
	char text[CELL];

	html_row_begin(f);
	html_number(f, (double)in->since, "+%s",
		    page_ps(text, report_span(r, in->since)));
	if (in->goes_on)
		html_number(f, (double)in->held, "goes on");
	else
		page_cell_ps(f, report_span(r, in->held));
	html_count(f, in->level);
	html_cell(f, "%s", in->family);
	html_cell(f, "%s%s", in->context ? "interrupt: " : "",
		  in->context ? in->context : context);
	page_cell_site(f, r, in->site);
	html_row_end(f);
}

static void long_section(FILE *f, const struct report *r, const struct long_section *l)
{
	static const struct html_column columns[] = {
		{ "began", "after the start of the outer section", HTML_NUMBER },
		{ "held", NULL, HTML_NUMBER },
		{ "level", "how many of the sections shown enclose it", HTML_NUMBER },
		{ "family", NULL, HTML_TEXT },
		{ "context", NULL, HTML_TEXT },
		{ "acquired at", NULL, HTML_CODE },
	};
	const char *context = report_context_name(report_context(l->section.ctx));
	struct long_shown shown;
	char length[CELL];
	unsigned int i;

	long_show(&shown, r, l);
	html_disclosure_begin(f, "%s  %s",
			      page_ps(length, report_span(r, shown.held)),
			      shown.what);
	html_note(f, HTML_NOTE, "%s%s%s", shown.where, shown.line ? ", " : "",
		  shown.line ? shown.line : "");
	if (shown.stack)
		html_note(f, HTML_NOTE, "in %s", shown.stack);
	if (shown.n_inside) {
		html_table_begin(f, columns, ARRAY_SIZE(columns));
		for (i = 0; i < shown.n_inside; i++)
			inside_row(f, r, &shown.inside[i], context);
		html_table_end(f);
	}
	if (*shown.left_out)
		html_note(f, HTML_NOTE, "%s", shown.left_out);
	long_end(&shown);
	html_disclosure_end(f);
}

void page_longest(FILE *f, const struct report *r)
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
			   page_mark(r));
	for (group = 0; group < LOCKS_GROUPS; group++) {
		list = longest_list(r->longest, group, &n);
		for (i = 0; i < n; i++)
			long_section(f, r, &list[i]);
	}
	html_section_end(f);
}
