/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Compressing a stream, block by block. See block.h. */
#ifndef FT_PACKED_PACK_H
#define FT_PACKED_PACK_H

#include "packed/block.h"

#define PACKED_LEVEL		1	/* unless another one is asked for */
#define PACKED_LEVEL_MAX	19

/** struct packer - private; one for each thread that compresses, for any streams in turn */
struct packer;

/**
 * packer_new - @level: 1 (fast) to PACKED_LEVEL_MAX (small)
 *
 * Return: NULL without memory.
 */
struct packer *packer_new(int level);
void packer_free(struct packer *p);

/**
 * packer_block - compress a piece of a stream
 * @raw:	plain bytes, 1 to PACKED_RAW_MAX: best whole packets; others come back as they
 *		were, too
 * @at:		where they stand in the plain stream
 * @out:	gets header and data: has room for PACKED_BLOCK_MAX
 *
 * What does not become smaller is stored. Return: bytes in @out.
 */
size_t packer_block(struct packer *p, const void *raw, size_t len, uint64_t at, void *out);

#endif /* FT_PACKED_PACK_H */
