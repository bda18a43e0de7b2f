/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What is shown over time by call site, and what all others have together. */
#ifndef FT_HEAP_PARTS_H
#define FT_HEAP_PARTS_H

#include "heap/heap.h"

/* Call sites that have rows, however many are asked for: 2048 would be 50 MB of text. */
#define HEAP_PARTS	64u

/**
 * struct heap_parts - rows of a table with timelines, those with the most at the peak first
 * @rest:	of all that have no row here; nothing is known of its @most. Or NULL: there are none
 */
struct heap_parts {
	const struct heap_row	**row;
	size_t			n;
	struct heap_timeline	*rest;
};

/** heap_parts_take - @table: below HEAP_OVER_TIME; at most @limit rows */
void heap_parts_take(struct heap_parts *p, const struct heap *h, enum heap_table table,
		     size_t limit);
void heap_parts_free(struct heap_parts *p);

/** heap_parts_without - rows of @table that have no timeline: it has too many */
static inline size_t heap_parts_without(const struct heap *h, enum heap_table table)
{
	return h->rows[table].n - h->rows[table].timelines;
}

#endif /* FT_HEAP_PARTS_H */
