// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The page: the order of locks. */
#include "base/array.h"
#include "view/page/html.h"
#include "view/page/page.h"

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
	if (!n && !page_has_cycles(r))
		return;
	html_section_begin(f, "order", "Order of locks", page_mark(r));
	page_cycles(f, r);
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
