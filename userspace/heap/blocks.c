// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Blocks by address. See blocks.h. */
#include "base/map.h"
#include "base/mem.h"
#include "heap/blocks.h"

#define ROOM_LEAST	64u

static size_t home(const struct heap_blocks *b, uint64_t address)
{
	return map_hash(address) & b->mask;
}

struct heap_block *heap_blocks_find(const struct heap_blocks *b, uint64_t address)
{
	if (!b->mask)
		return NULL;
	for (size_t i = home(b, address); b->at[i].address; i = (i + 1) & b->mask) {
		if (b->at[i].address == address)
			return &b->at[i];
	}
	return NULL;
}

static void put(struct heap_blocks *b, const struct heap_block *block)
{
	size_t i = home(b, block->address);

	while (b->at[i].address)
		i = (i + 1) & b->mask;
	b->at[i] = *block;
}

static void grow(struct heap_blocks *b)
{
	size_t room = b->mask ? 2 * (b->mask + 1) : ROOM_LEAST;
	struct heap_blocks old = *b;
	struct heap_block *block;

	b->at = mem_zalloc(room, sizeof(*b->at));
	b->mask = room - 1;
	heap_blocks_for_each(&old, block)
		put(b, block);
	mem_free(old.at);
}

void heap_blocks_put(struct heap_blocks *b, const struct heap_block *block)
{
	/* at most 2/3 of it are used */
	if (3 * b->n >= 2 * b->mask)
		grow(b);
	put(b, block);
	b->n++;
}

/* What follows moves up, if it may stand nearer to its home. */
void heap_blocks_remove(struct heap_blocks *b, struct heap_block *block)
{
	size_t hole = (size_t)(block - b->at), i = hole;

	for (;;) {
		i = (i + 1) & b->mask;
		if (!b->at[i].address)
			break;
		if (((i - home(b, b->at[i].address)) & b->mask) < ((i - hole) & b->mask))
			continue;
		b->at[hole] = b->at[i];
		hole = i;
	}
	b->at[hole].address = 0;
	b->n--;
}

void heap_blocks_free(struct heap_blocks *b)
{
	mem_free(b->at);
	*b = (struct heap_blocks){ 0 };
}
