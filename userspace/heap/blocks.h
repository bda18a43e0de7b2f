/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The blocks of one process that were allocated and not yet freed, by address: a hash table
 * with open addressing.
 */
#ifndef FT_HEAP_BLOCKS_H
#define FT_HEAP_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heap_row;
struct heap_thread;

/** struct heap_block - @address 0: there is none */
struct heap_block {
	uint64_t		address, size;
	uint64_t		birth;		/* ticks */
	struct heap_row		*site;
	struct heap_row		*stack;		/* NULL: it has none */
	struct heap_thread	*thread;	/* that has allocated it */
	uint8_t			what;		/* enum ft_heap_event */
	uint8_t			class;		/* of the size that it had first */
	bool			sized;		/* else @size is 0, and not known */
};

/** struct heap_blocks - zeroed, it is empty */
struct heap_blocks {
	struct heap_block	*at;
	size_t			mask;		/* room - 1; 0 before the first */
	size_t			n;
};

/** heap_blocks_find - NULL: there is none; valid until the table changes */
struct heap_block *heap_blocks_find(const struct heap_blocks *b, uint64_t address);

/** heap_blocks_put - @block, whose address is free */
void heap_blocks_put(struct heap_blocks *b, const struct heap_block *block);

/** heap_blocks_remove - what heap_blocks_find() gave */
void heap_blocks_remove(struct heap_blocks *b, struct heap_block *block);
void heap_blocks_free(struct heap_blocks *b);

/* Every block, in no order; the table must not change. */
#define heap_blocks_for_each(b, block)					\
	for ((block) = (b)->at; (b)->mask && (block) <= (b)->at + (b)->mask; (block)++) \
		if (!(block)->address)					\
			continue;					\
		else

#endif /* FT_HEAP_BLOCKS_H */
