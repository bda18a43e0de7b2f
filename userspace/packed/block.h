/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The file of a compressed stream: blocks, one after the other.
 *
 *	+--------+------+--------+------+--------+---
 *	| header | data | header | data | header | ...
 *	+--------+------+--------+------+--------+---
 *
 * Each block stands for a piece of the plain stream, from @at on, and begins where the one
 * before it ends. It is decoded without any other, and its header says what is in it, so
 * who looks for a time reads headers alone. There is nothing at the end of the file: what
 * is torn off costs the block that it tears.
 *
 *	block.h		the header
 *	pack.h		plain bytes become a block
 *	unpack.h	a block becomes plain bytes
 *	columns.h	what compressed packets look like
 *	file.h		a file of blocks, read as the plain stream
 *	fact.h		other files of a trace
 */
#ifndef FT_PACKED_BLOCK_H
#define FT_PACKED_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACKED_MAGIC	0x015a5446u	/* "FTZ", 1: no packet begins with it */
#define PACKED_VERSION	1

/* The most plain bytes in a block; and room for any block. */
#define PACKED_RAW_MAX	(256u << 10)
#define PACKED_BLOCK_MAX (sizeof(struct packed_header) + PACKED_RAW_MAX)

enum packed_kind {
	PACKED_STORED,		/* the bytes as they are */
	PACKED_BYTES,		/* the bytes, compressed */
	PACKED_COLUMNS,		/* whole packets as columns: columns.h */
	PACKED_KINDS
};

/**
 * struct packed_header - starts each block
 * @magic:	PACKED_MAGIC
 * @version:	PACKED_VERSION
 * @kind:	enum packed_kind
 * @at:		where the bytes stand in the plain stream
 * @raw:	how many they are, at least 1
 * @packed:	bytes of data behind this header
 * @packets:	that begin in the block, up to the first that is none
 * @records:	of these
 * @ts_begin:	of the first record
 * @ts_end:	of the last one
 * @seq:	number of the first packet
 * @discarded:	count of lost records in the last packet
 * @cpu:	as in the first packet
 * @uuid:	of the trace, as in the first packet
 * @stream_id:	as in the first packet
 * @reserved:	0
 * @data_sum:	packed_sum() of the data
 * @header_sum:	packed_sum() of this header up to here
 */
struct packed_header {
	uint32_t	magic;
	uint16_t	version;
	uint16_t	kind;
	uint64_t	at;
	uint32_t	raw;
	uint32_t	packed;
	uint32_t	packets;
	uint32_t	records;
	uint64_t	ts_begin;
	uint64_t	ts_end;
	uint64_t	seq;
	uint64_t	discarded;
	uint64_t	cpu;
	uint8_t		uuid[16];
	uint32_t	stream_id;
	uint32_t	reserved[5];
	uint64_t	data_sum;
	uint64_t	header_sum;
};

/**
 * packed_sum - a checksum
 *
 * Any change within eight bytes of @data that stand together changes it, so any bit does.
 */
uint64_t packed_sum(const void *data, size_t len);

/**
 * packed_describe - fill in a header, except what is known when the data is packed
 *
 * Return: are @raw whole packets without padding, and nothing else?
 */
bool packed_describe(struct packed_header *header, const void *raw, size_t len, uint64_t at);

/**
 * packed_whole - how many of these bytes best become a block
 *
 * Return: up to the end of the last whole packet; all if there is none.
 */
size_t packed_whole(const void *raw, size_t len);

/** packed_seal - the last step: kind, size and sum of @data, and the header's own sum */
void packed_seal(struct packed_header *header, enum packed_kind kind, const void *data,
		 size_t len);

/**
 * packed_stored - the header of a block that is not compressed
 *
 * What follows it in the file are the bytes @raw as they are, 1 to PACKED_RAW_MAX.
 */
void packed_stored(struct packed_header *header, const void *raw, size_t len, uint64_t at);

/** packed_header_ok - can this be a header? Its sum fits, and its sizes are possible */
bool packed_header_ok(const struct packed_header *header);

/**
 * packed_block_size - how many plain bytes become a block, at most
 * @streams: of the trace
 *
 * A reader of a trace has a block of each stream in memory: with many streams, blocks are
 * smaller.
 */
size_t packed_block_size(unsigned int streams);

#endif /* FT_PACKED_BLOCK_H */
