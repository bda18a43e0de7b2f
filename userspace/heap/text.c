// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The heap, for people. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/number.h"
#include "heap/heap.h"
#include "view/text/text.h"

#define FUNCTIONS	64

static const char *size_of(char cell[CELL], uint64_t bytes)
{
	return format_size(cell, CELL, bytes);
}

static const char *time_of(const struct heap *h, char cell[CELL], uint64_t ticks)
{
	return text_ps(cell, (report_ps)heap_ns(h, ticks) * 1000);
}

static double at_seconds(const struct heap *h, uint64_t ts)
{
	return (double)(ts - h->trace.start) / (double)h->trace.meta.freq;
}

/* --- the whole ------------------------------------------------------------ */

static void print_count(const char *what, const struct heap_count *count)
{
	char cell[CELL];

	printf("%-14s%12" PRIu64 " blocks, %s", what, count->blocks, size_of(cell, count->bytes));
}

static void print_totals(const struct heap *h)
{
	const struct heap_row *all = &h->total.row;
	double seconds = heap_seconds(h);
	char cell[CELL];

	print_count("allocated", &all->allocated);
	if (seconds > 0) {
		printf(" (%s blocks, ", text_rate(cell, (double)all->allocated.blocks / seconds));
		printf("%s a second)", size_of(cell, (uint64_t)((double)all->allocated.bytes /
							       seconds)));
	}
	putchar('\n');
	print_count("freed", &all->freed);
	if (all->freed.blocks)
		printf("; %s of the blocks at once, by the next call of their thread",
		       text_share(cell, all->brief, all->freed.blocks));
	putchar('\n');
	print_count("never freed", &all->left);
	printf("\n%-14s%12s, at %.6f s", "most in use", size_of(cell, all->most),
	       at_seconds(h, h->peak_ts));
	printf("; %" PRIu64 " blocks at most\n", h->total.most_blocks);
}

static void print_lifetimes(const struct heap *h)
{
	static const unsigned int permille[] = { 500, 900, 990, 999 };
	static const char *const names[] = { "median", "p90", "p99", "p99.9" };
	const struct histogram *all = &h->lifetimes;
	char cell[CELL];

	if (!all->count)
		return;
	printf("%-14smean %s", "lifetimes", time_of(h, cell, (uint64_t)(all->sum / all->count)));
	for (unsigned int i = 0; i < 4; i++)
		printf(", %s %s", names[i],
		       time_of(h, cell, histogram_quantile(all, permille[i])));
	printf(", longest %s\n", time_of(h, cell, all->max));
}

static void print_doubts(const struct heap *h)
{
	uint64_t lost = trace_lost(&h->trace);

	if (h->unknown)
		printf("%" PRIu64 " releases of blocks that were allocated before the recording, or "
		       "by the parent before fork()\n", h->unknown);
	if (h->replaced)
		printf("%" PRIu64 " blocks were allocated again though no release was recorded\n",
		       h->replaced);
	if (h->unsized)
		printf("%" PRIu64 " allocations of an unknown size: counted as 0 bytes\n",
		       h->unsized);
	if (lost)
		printf("LOST %" PRIu64 " records: releases may be among them, so some blocks "
		       "that count as 'never freed' may have been freed\n", lost);
}

/* --- tables --------------------------------------------------------------- */

static void print_head(const char *title, const char *of)
{
	printf("\n%s\n%10s %6s %9s  %10s %9s  %10s %9s  %6s %8s  %s\n", title, "at peak", "share",
	       "blocks", "allocated", "blocks", "not freed", "blocks", "brief", "lifetime", of);
}

static void print_path(const struct heap *h, const struct heap_row *row)
{
	char *path = heap_row_path(h, row);

	puts(path ? path : "");
	mem_free(path);
}

static void print_row(const struct heap *h, enum heap_table table, const struct heap_row *row)
{
	char size[CELL], share[CELL], functions[FUNCTIONS], name[SYMBOLS_LEN];
	uint64_t median = sketch_quantile(&row->lifetimes, 500);

	printf("%10s %6s %9" PRIu64 "  ", size_of(size, row->peak.bytes),
	       text_share(share, row->peak.bytes, h->total.row.most), row->peak.blocks);
	printf("%10s %9" PRIu64 "  ", size_of(size, row->allocated.bytes), row->allocated.blocks);
	printf("%10s %9" PRIu64 "  ", size_of(size, row->left.bytes), row->left.blocks);
	printf("%6s %8s  ", text_share(share, row->brief, row->freed.blocks),
	       row->freed.blocks ? time_of(h, size, median) : "-");
	if (table == HEAP_SITES)
		printf("%s: ", heap_row_functions(row, functions, sizeof(functions)));
	if (table == HEAP_STACKS)
		print_path(h, row);
	else
		puts(heap_row_name(h, table, row, name));
}

static void print_more(const struct heap *h, size_t rows)
{
	if (rows > h->top)
		printf("%10s and %zu more (--top 0)\n", "", rows - h->top);
}

static void print_table(const struct heap *h, enum heap_table table, const char *title,
			const char *of)
{
	const struct heap_rows *rows = &h->rows[table];

	print_head(title, of);
	for (size_t i = 0; i < rows->n && i < h->top; i++)
		print_row(h, table, rows->row[i]);
	print_more(h, rows->n);
}

/* @offset: of the count, whose rows without any are left out. */
static void print_sites(const struct heap *h, const char *title, size_t offset)
{
	struct heap_row **row = heap_rows_sorted(&h->rows[HEAP_SITES], offset);
	size_t n = 0;

	while (n < h->rows[HEAP_SITES].n &&
	       ((const struct heap_count *)((const char *)row[n] + offset))->blocks)
		n++;
	if (n) {
		print_head(title, "call");
		for (size_t i = 0; i < n && i < h->top; i++)
			print_row(h, HEAP_SITES, row[i]);
		print_more(h, n);
	}
	mem_free(row);
}

void heap_text(const struct heap *h)
{
	printf("trace %s: the heap of %" PRIu64 " process%s, %.6f s\n\n", h->trace.title,
	       h->processes, h->processes == 1 ? "" : "es", heap_seconds(h));
	print_totals(h);
	print_lifetimes(h);
	print_doubts(h);
	if (!h->total.row.allocated.blocks)
		return;
	print_table(h, HEAP_SITES, "Who held it when most was in use", "call");
	print_sites(h, "Never freed: what programs had at their end, however they ended",
		    offsetof(struct heap_row, left));
	print_sites(h, "Churn: what was allocated in all", offsetof(struct heap_row, allocated));
	if (h->rows[HEAP_STACKS].n)
		print_table(h, HEAP_STACKS, "By stack, of the allocations that have one", "path");
	print_table(h, HEAP_SIZES, "By size", "bytes");
	print_table(h, HEAP_FUNCTIONS, "By function", "function");
	if (h->rows[HEAP_PROCESSES].n > 1)
		print_table(h, HEAP_PROCESSES, "By process", "process");
	if (h->rows[HEAP_THREADS].n > 1)
		print_table(h, HEAP_THREADS, "By thread", "thread");
}
