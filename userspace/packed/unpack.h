/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Blocks become plain bytes again. See block.h. */
#ifndef FT_PACKED_UNPACK_H
#define FT_PACKED_UNPACK_H

#include "packed/block.h"

/** struct unpacker - private; one for each thread that reads, for any blocks in turn */
struct unpacker;

/** unpacker_new - Return: NULL without memory. It is not of a scope (base/scope.h) */
struct unpacker *unpacker_new(void);
void unpacker_free(struct unpacker *u);

/** unpacker_data - room for the data of a block: PACKED_RAW_MAX */
void *unpacker_data(struct unpacker *u);

/**
 * unpacker_block - decode the data of a block, which was read into unpacker_data()
 * @header:	for which packed_header_ok() holds
 * @raw:	has room for header->raw bytes
 *
 * Everything in the data is checked. Return: false: it is damaged.
 */
bool unpacker_block(struct unpacker *u, const struct packed_header *header, void *raw);

#endif /* FT_PACKED_UNPACK_H */
