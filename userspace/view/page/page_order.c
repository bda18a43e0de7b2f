// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The page: the order of locks. */
#include "base/array.h"
#include "view/page/html.h"
#include "view/page/page.h"

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
	page_cell_site(f, r, e->outer_site);
	html_code(f, "%s", symbols_format(r->symbols, e->key.b, false, lock,
					  sizeof(lock)));
	page_cell_site(f, r, e->inner_site);
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
		  "tasks that do so at the same time can deadlock, unless one uses "
		  "trylock.", n);
	html_table_begin(f, columns, ARRAY_SIZE(columns));
	for (i = 0; i < n && i < r->top; i++) {
		way_row(f, r, in[i].there, in[i].there_count, i + 1);
		way_row(f, r, in[i].back, in[i].back_count, i + 1);
	}
	html_table_end(f);
}

void page_order(FILE *f, const struct report *r)
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
	html_section_begin(f, "order", "Order of locks", page_mark(r));
	inversions(f, r);
	html_table_begin(f, columns, ARRAY_SIZE(columns));
	for (i = 0; i < shown; i++) {
		html_row_begin(f);
		html_count(f, pairs[i]->count);
		page_cell_family(f, r, pairs[i]->key.tag >> 8);
		page_cell_site(f, r, pairs[i]->key.a);
		page_cell_family(f, r, pairs[i]->key.tag);
		page_cell_site(f, r, pairs[i]->key.b);
		html_row_end(f);
	}
	html_table_end(f);
	html_note(f, HTML_NOTE, "%zu of %zu pairs of call sites, those most often "
		  "nested.", shown, n);
	html_section_end(f);
}
