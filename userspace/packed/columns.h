/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Packets as columns: what pack.c makes and unpack.c undoes.
 *
 * A record of a lock repeats most of what records before it had: who runs, from which place
 * which event comes, a lock that was used a moment ago. So a record becomes a few small
 * numbers, each kind of them a column, which compresses well as it has a distribution of
 * its own. All that is predicted starts anew with each block. Where nothing is as foreseen,
 * the numbers become longer, and stay right.
 *
 *	TIME		ticks since the record before: two bytes and a third one; if that is
 *			TIME_FAR, all eight bytes are in FAR
 *	SITE		event and second word (for locks: the call site), as a number in the
 *			table SITES, which is in the order of that word
 *	WHO		what is not as in the record before: WHO_*; it is in CTX, GAP, TID
 *	LOCK		the first word: LOCK_SITE, as the last time at this SITE; 1 to
 *			LOCK_RECENT, one of those used last; LOCK_KNOWN, its number in the
 *			block is in KNOWN; LOCK_NEW, it is in NEW
 *	HEADERS		headers of packets, each word less what was foreseen
 *
 * Numbers of several bytes stand in planes: all first bytes, then all second ones, ...
 */
#ifndef FT_PACKED_COLUMNS_H
#define FT_PACKED_COLUMNS_H

#include <linux/feather_trace.h>

#include "packed/block.h"

#define COLUMN_HEADER	sizeof(struct ft_packet_header)
#define COLUMN_RECORD	sizeof(struct ft_record)
#define COLUMN_RECORDS	(PACKED_RAW_MAX / COLUMN_RECORD)	/* in a block, at most */
#define COLUMN_PACKETS	(PACKED_RAW_MAX / COLUMN_HEADER)
#define HEADER_WORDS	(COLUMN_HEADER / sizeof(uint32_t))

/* An entry of SITES: first the ids, then each word less the one before it. */
#define SITE_BYTES	(sizeof(uint16_t) + sizeof(uint64_t))

enum column {
	COLUMN_TIME0, COLUMN_TIME1, COLUMN_TIME2, COLUMN_FAR,
	COLUMN_SITE0, COLUMN_SITE1, COLUMN_SITES,
	COLUMN_WHO, COLUMN_CTX, COLUMN_GAP, COLUMN_TID,
	COLUMN_LOCK, COLUMN_KNOWN, COLUMN_NEW,
	COLUMN_HEADERS,
	COLUMNS
};

/** column_max - bytes that a column can have */
static inline size_t column_max(enum column column)
{
	switch (column) {
	case COLUMN_FAR:
	case COLUMN_NEW:
		return COLUMN_RECORDS * sizeof(uint64_t);
	case COLUMN_SITES:
		return COLUMN_RECORDS * SITE_BYTES;
	case COLUMN_TID:
		return COLUMN_RECORDS * sizeof(uint32_t);
	case COLUMN_KNOWN:
		return COLUMN_RECORDS * sizeof(uint16_t);
	case COLUMN_HEADERS:
		return PACKED_RAW_MAX;
	default:
		return COLUMN_RECORDS;
	}
}

/**
 * struct column_bytes - a column
 * @bytes:	as many as column_max() has room
 * @n:		that are there
 */
struct column_bytes {
	uint8_t	*bytes;
	size_t	n;
};

/** columns_room - bytes that all columns of a block can have */
static inline size_t columns_room(void)
{
	size_t room = 0;

	for (int i = 0; i < COLUMNS; i++)
		room += column_max(i);
	return room;
}

/** columns_place - give each its part of columns_room() bytes at @room */
static inline void columns_place(struct column_bytes column[COLUMNS], uint8_t *room)
{
	for (int i = 0; i < COLUMNS; i++) {
		column[i].bytes = room;
		room += column_max(i);
	}
}

/**
 * struct column_size - of a column; as many as there are columns stand in front of them
 * @raw:	bytes
 * @packed:	bytes in the block, compressed; the same number: as they are
 */
struct column_size {
	uint32_t	raw, packed;
};

#define TIME_FAR	0xff

#define WHO_CTX		0x01
#define WHO_GAP		0x02
#define WHO_TID		0x04

#define LOCK_SITE	0
#define LOCK_RECENT	8	/* 1: the last one, ... */
#define LOCK_KNOWN	9
#define LOCK_NEW	10

/** column_first - what the first header of a block is foreseen from */
static inline struct ft_packet_header column_first(void)
{
	return (struct ft_packet_header){ .magic = FT_PACKET_MAGIC };
}

/** column_foresee - the header that comes after @h, except its sizes and times */
static inline void column_foresee(struct ft_packet_header *h)
{
	h->seq++;
}

/**
 * column_recent - the word @a was used last now
 * @at: where it was among @recent; LOCK_RECENT - 1 also if it was not there
 */
static inline void column_recent(uint64_t recent[LOCK_RECENT], unsigned int at, uint64_t a)
{
	for (; at; at--)
		recent[at] = recent[at - 1];
	recent[0] = a;
}

#endif /* FT_PACKED_COLUMNS_H */
