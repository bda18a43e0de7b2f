/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * An allocator for many small pieces that are all freed together. It cuts them from
 * large blocks, which the kernel may back by huge pages, and reuses a freed piece for
 * the next one of the same size. Pieces have no header; nothing is searched.
 *
 * A zeroed struct arena is an empty one.
 */
#ifndef FT_BASE_ARENA_H
#define FT_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#define ARENA_UNIT	32	/* sizes are multiples of this */
#define ARENA_CLASSES	128	/* and at most this many units */

struct arena {
	uint8_t	*next;			/* free part of the last block */
	size_t	left;
	void	**blocks;
	size_t	n_blocks;
	void	*unused[ARENA_CLASSES];	/* by units - 1; linked by first words */
};

/** arena_zalloc - @size zeroed bytes, aligned to 32, or to 64 if all sizes are */
void *arena_zalloc(struct arena *a, size_t size);

/** arena_give_back - free a piece of @size bytes; @p may be NULL */
void arena_give_back(struct arena *a, void *p, size_t size);

/** arena_free - free all pieces */
void arena_free(struct arena *a);

#endif /* FT_BASE_ARENA_H */
