// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Small pieces of memory from large blocks. See arena.h. */
#include "base/arena.h"
#include "base/mem.h"

#define FIRST_BLOCK	(16u << 10)	/* most traces are small */
#define DOUBLED		7		/* how often: up to a huge page */

static size_t units(size_t size)
{
	return (size + ARENA_UNIT - 1) / ARENA_UNIT;
}

static size_t block_size(size_t number)
{
	return (size_t)FIRST_BLOCK << (number < DOUBLED ? number : DOUBLED);
}

static void add_block(struct arena *a)
{
	size_t size = block_size(a->n_blocks);

	a->blocks = mem_resize(a->blocks, a->n_blocks + 1, sizeof(*a->blocks));
	a->next = mem_zalloc_huge(1, size);
	a->left = size;
	a->blocks[a->n_blocks++] = a->next;
}

void *arena_zalloc(struct arena *a, size_t size)
{
	size_t n = units(size);
	void **piece = a->unused[n - 1];

	size = n * ARENA_UNIT;
	if (piece) {
		a->unused[n - 1] = *piece;
		return memset(piece, 0, size);
	}
	if (a->left < size)	/* what is left of the old one is lost */
		add_block(a);
	piece = (void **)a->next;
	a->next += size;
	a->left -= size;
	return piece;
}

void arena_give_back(struct arena *a, void *p, size_t size)
{
	size_t n = units(size);

	if (!p)
		return;
	*(void **)p = a->unused[n - 1];
	a->unused[n - 1] = p;
}

void arena_free(struct arena *a)
{
	size_t i;

	for (i = 0; i < a->n_blocks; i++)
		mem_free_huge(a->blocks[i], 1, block_size(i));
	mem_free(a->blocks);
	*a = (struct arena){ 0 };
}
