// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What is counted of a block. See counts.h. */
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

static void tell_timeline(struct heap *h, uint64_t ts)
{
	heap_timeline_live(&h->timeline, heap_timeline_at(&h->timeline, ts), &h->total.row.live);
}

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
	tell_timeline(h, ts);
}

void heap_count_not_live(struct heap *h, const struct heap_block *block, uint64_t ts)
{
	struct rows_of of = rows_of(h, block);

	for (unsigned int i = 0; i < of.n; i++)
		heap_row_sub(&h->total, of.row[i], block->size);
	heap_row_sub(&h->total, &h->total.row, block->size);
	tell_timeline(h, ts);
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
	struct heap_span *span = heap_timeline_at(&h->timeline, block->birth);
	struct rows_of of = rows_of(h, block);

	for (unsigned int i = 0; i < of.n; i++) {
		add(&of.row[i]->allocated, block->size);
		of.row[i]->functions |= 1u << block->what;
	}
	add(&h->total.row.allocated, block->size);
	h->total.row.functions |= 1u << block->what;
	add(&span->allocated, block->size);
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
	}
	add(&h->total.row.freed, block->size);
	h->total.row.brief += brief;
	histogram_add(&h->lifetimes, lifetime);
	heap_timeline_at(&h->timeline, ts)->freed++;
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
