// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What is counted for each block. See counts.h. */
#include "heap/counts.h"

/* All rows that a block is counted in: not all have a stack, which is the last one. */
struct rows_of {
	struct heap_row	*row[HEAP_TABLES];
	unsigned int	n;
};

static struct rows_of rows_of(struct heap *h, const struct heap_block *block)
{
	return (struct rows_of){ .n = block->stack ? HEAP_TABLES : HEAP_STACKS, .row = {
		[HEAP_SITES] = block->site,
		[HEAP_SIZES] = heap_rows_get(&h->rows[HEAP_SIZES], block->class),
		[HEAP_FUNCTIONS] = heap_rows_get(&h->rows[HEAP_FUNCTIONS], block->what),
		[HEAP_PROCESSES] = block->thread->process->row,
		[HEAP_THREADS] = block->thread->row,
		[HEAP_STACKS] = block->stack,
	} };
}

static void add(struct heap_count *count, uint64_t bytes)
{
	count->blocks++;
	count->bytes += bytes;
}

static void sub(struct heap_count *count, uint64_t bytes)
{
	count->blocks--;
	count->bytes -= bytes;
}

/* --- over time ------------------------------------------------------------ */

static void give_timelines(struct heap *h, const struct rows_of *of)
{
	for (unsigned int table = 0; table < HEAP_OVER_TIME; table++) {
		struct heap_rows *rows = &h->rows[table];

		if (of->row[table]->over_time || rows->timelines == HEAP_TIMELINES)
			continue;
		of->row[table]->over_time = heap_timeline_new(h->trace.start, HEAP_ROW_SPANS);
		rows->timelines++;
	}
}

static void tell_live(const struct heap_row *row, struct heap_timeline *t, uint64_t ts)
{
	heap_timeline_live(t, heap_timeline_at(t, ts), &row->live);
}

static void tell_timelines(struct heap *h, const struct rows_of *of, uint64_t ts)
{
	tell_live(&h->total.row, h->timeline, ts);
	for (unsigned int table = 0; table < HEAP_OVER_TIME; table++) {
		if (of->row[table]->over_time)
			tell_live(of->row[table], of->row[table]->over_time, ts);
	}
}

static void allocated_then(struct heap_timeline *t, const struct heap_block *block)
{
	add(&heap_timeline_at(t, block->birth)->allocated, block->size);
}

/* --- a block --------------------------------------------------------------- */

void heap_count_live(struct heap *h, const struct heap_block *block, uint64_t ts)
{
	struct rows_of of = rows_of(h, block);
	uint64_t most = h->total.row.most;

	for (unsigned int i = 0; i < of.n; i++)
		heap_row_add(&h->total, of.row[i], block->size);
	heap_row_add(&h->total, &h->total.row, block->size);
	if (h->total.row.live.blocks > h->total.most_blocks)
		h->total.most_blocks = h->total.row.live.blocks;
	if (h->total.row.most > most) {
		h->total.turn++;
		h->peak_ts = ts;
	}
	tell_timelines(h, &of, ts);
}

void heap_count_not_live(struct heap *h, const struct heap_block *block, uint64_t ts)
{
	struct rows_of of = rows_of(h, block);

	for (unsigned int i = 0; i < of.n; i++)
		heap_row_sub(&h->total, of.row[i], block->size);
	heap_row_sub(&h->total, &h->total.row, block->size);
	tell_timelines(h, &of, ts);
}

void heap_count_left(struct heap *h, const struct heap_block *block, bool left)
{
	void (*change)(struct heap_count *count, uint64_t bytes) = left ? add : sub;
	struct rows_of of = rows_of(h, block);

	for (unsigned int i = 0; i < of.n; i++)
		change(&of.row[i]->left, block->size);
	change(&h->total.row.left, block->size);
}

void heap_count_allocated(struct heap *h, const struct heap_block *block)
{
	struct rows_of of = rows_of(h, block);

	give_timelines(h, &of);
	for (unsigned int i = 0; i < of.n; i++) {
		add(&of.row[i]->allocated, block->size);
		of.row[i]->functions |= 1u << block->what;
		if (of.row[i]->over_time)
			allocated_then(of.row[i]->over_time, block);
	}
	add(&h->total.row.allocated, block->size);
	h->total.row.functions |= 1u << block->what;
	allocated_then(h->timeline, block);
	h->unsized += !block->sized;
}

void heap_count_freed(struct heap *h, const struct heap_block *block, uint64_t ts, bool brief)
{
	uint64_t lifetime = ts - block->birth;
	struct rows_of of = rows_of(h, block);

	for (unsigned int i = 0; i < of.n; i++) {
		add(&of.row[i]->freed, block->size);
		of.row[i]->brief += brief;
		sketch_add(&of.row[i]->lifetimes, lifetime, &h->rows[i].memory);
		if (of.row[i]->over_time)
			heap_timeline_at(of.row[i]->over_time, ts)->freed++;
	}
	add(&h->total.row.freed, block->size);
	h->total.row.brief += brief;
	histogram_add(&h->lifetimes, lifetime);
	heap_timeline_at(h->timeline, ts)->freed++;
}

void heap_count_stack(struct heap *h, const struct heap_block *block, bool ended)
{
	struct heap_row *row = block->stack;

	add(&row->allocated, block->size);
	row->functions |= 1u << block->what;
	if (ended) {
		add(&row->left, block->size);
		return;
	}
	heap_row_add(&h->total, row, block->size);
	/* the peak may be the allocation that it is of */
	if (h->total.row.live.bytes == h->total.row.most)
		row->peak = row->live;
}
