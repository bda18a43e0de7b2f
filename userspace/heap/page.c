// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The heap as a page. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "base/array.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/number.h"
#include "heap/charts.h"
#include "heap/heap.h"
#include "view/page/html.h"
#include "view/text/text.h"

#define FUNCTIONS	64
#define TITLE		256

static double seconds_of(const struct heap *h, uint64_t ticks)
{
	return (double)ticks / (double)h->trace.meta.freq;
}

/* --- the whole ------------------------------------------------------------ */

static void fact_count(FILE *f, const char *name, const struct heap_count *count)
{
	char size[CELL], blocks[HTML_COUNT];

	html_fact(f, name, "%s blocks, %s", html_grouped(blocks, count->blocks),
		  format_size(size, sizeof(size), count->bytes));
}

static void put_facts(FILE *f, const struct heap *h)
{
	const struct heap_row *all = &h->total.row;
	char size[CELL], blocks[HTML_COUNT], rate[CELL];
	double seconds = heap_seconds(h);

	html_facts_begin(f);
	html_fact(f, "Trace", "%s", h->trace.title);
	html_fact(f, "Duration", "%.6f s", seconds);
	html_fact(f, "Processes", "%" PRIu64, h->processes);
	fact_count(f, "Allocated", &all->allocated);
	fact_count(f, "Freed", &all->freed);
	fact_count(f, "Never freed", &all->left);
	html_fact(f, "Most in use", "%s, at %.6f s; %s blocks at most",
		  format_size(size, sizeof(size), all->most),
		  seconds_of(h, h->peak_ts - h->trace.start),
		  html_grouped(blocks, h->total.most_blocks));
	if (seconds > 0)
		html_fact(f, "Rate", "%s blocks, %s a second",
			  text_rate(rate, (double)all->allocated.blocks / seconds),
			  format_size(size, sizeof(size),
				      (uint64_t)((double)all->allocated.bytes / seconds)));
	html_facts_end(f);
	if (trace_lost(&h->trace))
		html_note(f, HTML_WARNING, "%" PRIu64 " records were lost: releases may be "
					   "among them, so some blocks that count as 'never "
					   "freed' may have been freed.",
			  trace_lost(&h->trace));
	if (h->unknown)
		html_note(f, HTML_NOTE, "%" PRIu64 " releases of blocks that were allocated before "
			  "the recording, or by the parent before fork().", h->unknown);
	if (h->replaced)
		html_note(f, HTML_CAUTION, "%" PRIu64 " blocks were allocated again though no "
			  "release was recorded.", h->replaced);
	if (h->unsized)
		html_note(f, HTML_CAUTION, "%" PRIu64 " allocations of an unknown size: counted as "
			  "0 bytes.", h->unsized);
}

/* --- tables --------------------------------------------------------------- */

static void cell_size(FILE *f, uint64_t bytes)
{
	char size[CELL];

	html_number(f, (double)bytes, "%s", format_size(size, sizeof(size), bytes));
}

static void put_row(FILE *f, const struct heap *h, enum heap_table table,
		    const struct heap_row *row)
{
	uint64_t ns = heap_ns(h, sketch_quantile(&row->lifetimes, 500));
	char cell[CELL], functions[FUNCTIONS], name[SYMBOLS_LEN], *path;

	html_row_begin(f);
	cell_size(f, row->peak.bytes);
	html_count(f, row->peak.blocks);
	cell_size(f, row->allocated.bytes);
	html_count(f, row->allocated.blocks);
	cell_size(f, row->left.bytes);
	html_count(f, row->left.blocks);
	html_number(f, row->freed.blocks ? (double)row->brief / (double)row->freed.blocks : 0, "%s",
		    text_share(cell, row->brief, row->freed.blocks));
	html_number(f, (double)ns, "%s", row->freed.blocks ?
		    text_ps(cell, (report_ps)ns * 1000) : "-");
	html_cell(f, "%s", heap_row_functions(row, functions, sizeof(functions)));
	path = table == HEAP_STACKS ? heap_row_path(h, row) : NULL;
	html_code(f, "%s", path ? path : heap_row_name(h, table, row, name));
	mem_free(path);
	html_row_end(f);
}

static void put_table(FILE *f, const struct heap *h, enum heap_table table, const char *title,
		      const char *of)
{
	const struct html_column columns[] = {
		{ "at peak", "bytes in use when the total was at its peak", HTML_NUMBER },
		{ "blocks", NULL, HTML_NUMBER },
		{ "allocated", "bytes in all", HTML_NUMBER },
		{ "blocks", NULL, HTML_NUMBER },
		{ "never freed", "bytes that programs had at their end, however they ended",
		  HTML_NUMBER },
		{ "blocks", NULL, HTML_NUMBER },
		{ "brief", "blocks that the next call of their thread frees", HTML_NUMBER },
		{ "lifetime", "the median", HTML_NUMBER },
		{ "by", "functions of the allocator", HTML_TEXT },
		{ of, NULL, HTML_CODE },
	};
	const struct heap_rows *rows = &h->rows[table];

	html_section_begin(f, of, title, trace_lost(&h->trace) ? "not complete" : NULL);
	html_table_begin(f, columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < rows->n && i < h->top; i++)
		put_row(f, h, table, rows->row[i]);
	html_table_end(f);
	if (rows->n > h->top)
		html_note(f, HTML_NOTE, "And %zu more (--top 0).", rows->n - h->top);
	html_section_end(f);
}

int heap_page(const struct heap *h, const char *path)
{
	FILE *f = html_open(path);
	char title[TITLE];

	if (!f)
		return -1;
	snprintf(title, sizeof(title), "Heap: %s", h->trace.title);
	html_begin(f, title);
	put_facts(f, h);
	heap_charts(f, h);
	put_table(f, h, HEAP_SITES, "By call", "call");
	if (h->rows[HEAP_STACKS].n)
		put_table(f, h, HEAP_STACKS, "By stack, of the allocations that have one", "path");
	put_table(f, h, HEAP_SIZES, "By size", "size");
	put_table(f, h, HEAP_FUNCTIONS, "By function", "function");
	put_table(f, h, HEAP_PROCESSES, "By process", "process");
	put_table(f, h, HEAP_THREADS, "By thread", "thread");
	html_end(f);
	return close_output(f, path);
}
