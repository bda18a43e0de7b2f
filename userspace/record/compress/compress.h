/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ft record --compress: blocks of packets, compressed beside the recording.
 *
 *	thread of a ring    copies packets into a block
 *	                        | compress_push()
 *	                    [block|block|block|...]   of this stream, in order
 *	compressing thread      packs whatever waits
 *	                        | compress_next()
 *	thread of a ring    writes the oldest, once it is packed
 *
 * The thread that records also writes, so order, books, errors and changes of files are as
 * without compression. The compressing threads have a low priority and touch nothing but
 * blocks.
 *
 * *Nothing is lost for them.* Between the two there is no lock: the thread of a ring never
 * waits for the others, who may get no time at all. Where no block is free, it takes the
 * older half back and writes it as it is, even one that is being packed; the packing
 * thread finds out later, and until then a spare takes the place of that one. So all that a
 * slow compressor costs the recording is one more copy than a plain one has, which goes
 * from the ring to memory, and a checksum.
 *
 * Functions for a stream may be called by one thread at a time.
 */
#ifndef FT_RECORD_COMPRESS_COMPRESS_H
#define FT_RECORD_COMPRESS_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct compress;
struct compress_stream;

/**
 * struct compress_block - what a file gets next
 * @bytes:	a whole block (packed/block.h), @len of them
 * @records:	in it
 * @lost:	what compress_add() was told last before it ended
 * @stored:	plain bytes in it that could not be compressed in time
 * @last:	compress_end_file() was called behind it
 */
struct compress_block {
	const void	*bytes;
	size_t		len;
	uint64_t	records, lost, stored;
	bool		last;
};

/**
 * compress_start - start the threads
 * @level:	as for packer_new()
 * @streams:	numbers of streams are below
 * @usual:	how many there will be, as far as is known: sizes depend on it
 *
 * Return: NULL after a message.
 */
struct compress *compress_start(int level, unsigned int streams, unsigned int usual);

/** compress_stop - end the threads, free all streams; NULL is fine */
void compress_stop(struct compress *c);

/** compress_open - a new stream. Return: NULL without memory */
struct compress_stream *compress_open(struct compress *c, unsigned int number);

/**
 * compress_room - where the next packets go
 * @room:	how many bytes fit, at least a packet
 *
 * What is put there counts from compress_add() on. Not when compress_is_full().
 */
void *compress_room(struct compress_stream *s, size_t *room);

/**
 * compress_add - @len bytes of whole packets were put there
 *
 * When no more packet fits, the block is pushed.
 */
void compress_add(struct compress_stream *s, size_t len, uint64_t records, uint64_t lost);

/** compress_push - let the block that has begun, if any, be compressed as it is */
void compress_push(struct compress_stream *s);

/** compress_began - monotonic_now() of the first bytes of the block that has begun; or 0 */
double compress_began(const struct compress_stream *s);

/**
 * compress_end_file - push; what comes now is for the next file
 *
 * Return: false if all blocks are written.
 */
bool compress_end_file(struct compress_stream *s);

/** compress_next - Return: is the oldest block there and ready? */
bool compress_next(struct compress_stream *s, struct compress_block *block);

/** compress_done - what compress_next() has found is written */
void compress_done(struct compress_stream *s);

/** compress_waits - are there blocks that were pushed, but are not written? */
bool compress_waits(const struct compress_stream *s);

/** compress_is_full - is none free to go on with? Then use compress_behind() */
bool compress_is_full(const struct compress_stream *s);

/** compress_behind - compress_next() finds the older half (at least one) now, packed or not */
void compress_behind(struct compress_stream *s);

/** compress_left - Return: records that were added, but are not written; @next: to the next file */
uint64_t compress_left(const struct compress_stream *s, uint64_t *next);

#endif /* FT_RECORD_COMPRESS_COMPRESS_H */
