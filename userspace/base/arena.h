/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Many small pieces of memory that come and grow and go all at once: cut from
 * large blocks, for which the kernel is asked for huge pages. What is given back
 * is used again for pieces of the same size. No header, no search.
 *
 * A zeroed struct arena is an empty one.
 */
#ifndef FT_BASE_ARENA_H
#define FT_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#define ARENA_UNIT	32	/* sizes are multiples of this */
#define ARENA_CLASSES	128	/* and at most so many units */

struct arena {
	uint8_t	*next;			/* of the last block, what is free */
	size_t	left;
	void	**blocks;
	size_t	n_blocks;
	void	*unused[ARENA_CLASSES];	/* by units - 1; linked by first words */
};

/** arena_zalloc - @size zeroed bytes, aligned to 32, or to 64 if all sizes are */
void *arena_zalloc(struct arena *a, size_t size);

/** arena_give_back - @size bytes at @p, which may be NULL */
void arena_give_back(struct arena *a, void *p, size_t size);

/** arena_free - all that was taken from it */
void arena_free(struct arena *a);

#endif /* FT_BASE_ARENA_H */
