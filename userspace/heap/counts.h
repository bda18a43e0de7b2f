/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Counts a block: in the rows of all tables that it belongs to, and over time. */
#ifndef FT_HEAP_COUNTS_H
#define FT_HEAP_COUNTS_H

#include "heap/heap.h"

/** heap_count_allocated - @block begins */
void heap_count_allocated(struct heap *h, const struct heap_block *block);

/** heap_count_freed - it was released at @ts; @brief: right after its allocation */
void heap_count_freed(struct heap *h, const struct heap_block *block, uint64_t ts, bool brief);

/** heap_count_live - from @ts on it is in use, until heap_count_not_live() */
void heap_count_live(struct heap *h, const struct heap_block *block, uint64_t ts);
void heap_count_not_live(struct heap *h, const struct heap_block *block, uint64_t ts);

/** heap_count_left - count it as never freed, or, with @left false, no longer as such */
void heap_count_left(struct heap *h, const struct heap_block *block, bool left);

/** heap_count_stack - @block.stack is known only now; @ended: its process has ended */
void heap_count_stack(struct heap *h, const struct heap_block *block, bool ended);

#endif /* FT_HEAP_COUNTS_H */
