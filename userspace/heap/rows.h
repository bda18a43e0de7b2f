/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What is counted of blocks, by call site and other keys.
 *
 * Each row has what it held at the peak of the whole. That is not copied at each new peak: a
 * row saves it when it is first changed after one.
 */
#ifndef FT_HEAP_ROWS_H
#define FT_HEAP_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/distribution/sketch.h"
#include "base/map.h"

struct heap_timeline;

struct heap_count {
	uint64_t	blocks, bytes;
};

/**
 * struct heap_row - @key: a call site, a class of sizes ...
 * @left:	never freed: live at the end, or when its process ended
 * @most:	the most bytes that were live at one time
 * @peak:	live when most was live of all
 * @brief:	freed by the call of its thread that follows its allocation
 * @functions:	1 << enum ft_heap_event of its allocations
 * @lifetimes:	ticks, of what was freed
 * @over_time:	of the first HEAP_TIMELINES rows of a table; else NULL
 */
struct heap_row {
	uint64_t		key;
	struct heap_count	allocated, freed, live, left, peak;
	uint64_t		most;
	uint64_t		brief;
	uint64_t		turn;		/* heap_total.turn when @peak was kept */
	uint32_t		functions;
	struct sketch		lifetimes;
	struct heap_timeline	*over_time;
};

enum heap_table {
	HEAP_SITES,
	HEAP_SIZES,		/* by class: see heap_size_class() */
	HEAP_OVER_TIME,		/* the tables before this one have timelines */
	HEAP_FUNCTIONS = HEAP_OVER_TIME,		/* by enum ft_heap_event */
	HEAP_PROCESSES,		/* by tag */
	HEAP_THREADS,		/* by tag and number */
	HEAP_STACKS,		/* by the stack's number, of allocations that have one */
	HEAP_TABLES
};

/* Rows of a table that have a timeline: 14 MiB. Of sizes there are at most 66. */
#define HEAP_TIMELINES	2048u

/** struct heap_rows - zeroed, it has none */
struct heap_rows {
	struct map		by_key;
	struct heap_row		**row;
	size_t			n, room;
	size_t			timelines;	/* rows that have one */
	struct arena		memory;
};

/** struct heap_total - the whole, as a row without a key */
struct heap_total {
	struct heap_row		row;
	uint64_t		turn;		/* how many peaks there were */
	uint64_t		most_blocks;
};

/** heap_rows_get - the row of @key; made if there is none */
struct heap_row *heap_rows_get(struct heap_rows *rows, uint64_t key);

/** heap_rows_sort - by the bytes held at the peak, then allocated; keys decide at last */
void heap_rows_sort(struct heap_rows *rows);

/** heap_rows_sorted - another order, of bytes: offset of a struct heap_count. mem_free() it */
struct heap_row **heap_rows_sorted(const struct heap_rows *rows, size_t offset);
void heap_rows_free(struct heap_rows *rows);

/* Private: before what is live of @row changes. */
static inline void heap_row_keep(const struct heap_total *total, struct heap_row *row)
{
	if (row->turn == total->turn)
		return;
	row->peak = row->live;
	row->turn = total->turn;
}

static inline void heap_row_add(const struct heap_total *total, struct heap_row *row,
				uint64_t bytes)
{
	heap_row_keep(total, row);
	row->live.blocks++;
	row->live.bytes += bytes;
	if (row->live.bytes > row->most)
		row->most = row->live.bytes;
}

static inline void heap_row_sub(const struct heap_total *total, struct heap_row *row,
				uint64_t bytes)
{
	heap_row_keep(total, row);
	row->live.blocks--;
	row->live.bytes -= bytes;
}

/** heap_size_class - 0 for 0 bytes, else so that bytes are at most 1 << (class - 1) */
static inline unsigned int heap_size_class(uint64_t bytes)
{
	return !bytes ? 0 : bytes == 1 ? 1 : 65 - (unsigned int)__builtin_clzll(bytes - 1);
}

#endif /* FT_HEAP_ROWS_H */
