// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The page: waiting for locks. */
#include "base/array.h"
#include "view/page/html.h"
#include "view/page/page.h"

static void cell_waited(FILE *f, const struct report *r, uint64_t site,
			unsigned int family)
{
	if (site)
		page_cell_site(f, r, site);
	else
		html_code(f, "%s", waits_no_site(family));
}

static void wait_families(FILE *f, const struct report *r)
{
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
		page_cell_family(f, r, i);
		html_count(f, h->count);
		page_cell_ps(f, report_span(r, h->sum));
		page_cells_distribution(f, r, h);
		html_row_end(f);
	}
	html_table_end(f);
}

static void wait_pairs(FILE *f, const struct report *r, size_t n)
{
	static const struct html_column columns[] = {
		{ "total", "total wait time", HTML_NUMBER },
		{ "number", NULL, HTML_NUMBER },
		{ "mean", NULL, HTML_NUMBER },
		{ "max", NULL, HTML_NUMBER },
		{ "for", "the lock's family", HTML_TEXT },
		{ "waiter", "where the waiter then acquired the lock", HTML_CODE },
		{ "held by", "where the holder had acquired it", HTML_CODE },
	};

	html_table_begin(f, columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < n; i++) {
		const struct wait_pair *p = r->waited[i];

		html_row_begin(f);
		page_cell_total(f, r, p->sum);
		html_count(f, p->count);
		page_cell_ps(f, report_mean_of(r, p->sum, p->count));
		page_cell_ps(f, report_span(r, p->max));
		page_cell_family(f, r, p->key.tag >> 8);
		cell_waited(f, r, p->key.a, p->key.tag >> 8);
		cell_waited(f, r, p->key.b, p->key.tag & 0xff);
		html_row_end(f);
	}
	html_table_end(f);
}

void page_waits(FILE *f, const struct report *r)
{
	size_t all = r->wait_pairs.used, n = all < r->top ? all : r->top;

	if (!r->waits)
		return;
	html_section_begin(f, "waits", "Waiting for locks", page_mark(r));
	if (n) {
		wait_families(f, r);
		wait_pairs(f, r, n);
		html_note(f, HTML_NOTE, "%zu of %zu pairs of a waiter and a holder, "
			  "those with the longest total wait.", n, all);
	} else {
		html_note(f, HTML_NOTE, "Nobody waited for a lock.");
	}
	html_section_end(f);
}
