/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ft record --compress, in the thread of a ring: packets go into blocks, and blocks, when
 * they are compressed (compress.h), into the file.
 *
 * Books count what is in the file. When a seam is crossed, blocks may still be on their way
 * into the old file: it changes behind the last of them.
 */
#ifndef FT_RECORD_COMPRESS_BLOCKS_H
#define FT_RECORD_COMPRESS_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

struct ring;

/** blocks_room - Return: how many records fit into the block, at least those of a packet */
size_t blocks_room(struct ring *ring);

/** blocks_copy - copy @bytes of packets, which have room; they count from blocks_keep() on */
void blocks_copy(struct ring *ring, const struct iovec *part, size_t bytes);

/** blocks_keep - what was copied last, @bytes with @records, is ours. Return: as blocks_look() */
bool blocks_keep(struct ring *ring, size_t records, size_t bytes);

/** blocks_look - write what is ready. Return: false if that failed: the ring has the error */
bool blocks_look(struct ring *ring);

/**
 * blocks_end_file - what comes next is for a new file
 *
 * Return: false if nothing is on its way into the old one. Otherwise seam_change() is
 * called when all is there, at the latest in blocks_finish().
 */
bool blocks_end_file(struct ring *ring);

/** blocks_finish - write all, with the compressor's help if that comes in time */
void blocks_finish(struct ring *ring);

#endif /* FT_RECORD_COMPRESS_BLOCKS_H */
