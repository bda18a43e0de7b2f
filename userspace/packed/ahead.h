/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Blocks of compressed streams are decoded before they are asked for, by a crew
 * (base/crew/crew.h).
 *
 * This changes only when a block is decoded. A good block is taken from here; any other is as
 * if it had never been here: the reader decodes it itself, and reports what is wrong with it
 * as it always does.
 */
#ifndef FT_PACKED_AHEAD_H
#define FT_PACKED_AHEAD_H

#include "base/crew/crew.h"
#include "packed/block.h"

/* Plain bytes that wait, of all streams: three blocks of each (ALL_BLOCKS of block.c). */
#define AHEAD_BYTES	(48u << 20)

/* What the streams of a trace share; and what each of them has. */
struct ahead;
struct ahead_file;

/** ahead_new - @crew: stays longer. Return: NULL without memory. It is not of a scope */
struct ahead *ahead_new(struct crew *crew);

/** ahead_free - of all files, too; @a: or NULL */
void ahead_free(struct ahead *a);

/** ahead_open - a file of @size bytes. Return: NULL without memory */
struct ahead_file *ahead_open(struct ahead *a, int fd, uint64_t size);

/** ahead_close - before the descriptor is closed; @f: or NULL */
void ahead_close(struct ahead_file *f);

/**
 * ahead_take - the block at @pos in the file, if it was decoded and is good
 * @packed:	bytes of its data
 *
 * Return: @raw plain bytes, until the next call; or NULL.
 */
const uint8_t *ahead_take(struct ahead_file *f, uint64_t pos, uint32_t raw, uint32_t *packed);

/** ahead_begin - begin with the blocks from @pos on, as far as that was not done yet */
void ahead_begin(struct ahead_file *f, uint64_t pos);

#endif /* FT_PACKED_AHEAD_H */
