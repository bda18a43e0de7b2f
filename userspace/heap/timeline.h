/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What is live over time, in spans of equal length. When the table is full, pairs of adjacent
 * spans are merged, so it covers any time in the same memory.
 *
 * Timelines of one start and one room that are brought to one end have the same spans. With less
 * room, a span is longer: a whole number of the others'.
 */
#ifndef FT_HEAP_TIMELINE_H
#define FT_HEAP_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "heap/rows.h"

#define HEAP_SPANS	512u	/* of the whole */
#define HEAP_ROW_SPANS	128u	/* of a row: 7 KiB */

/** struct heap_span - @most, @end: live in it, and at its end */
struct heap_span {
	struct heap_count	most, end;
	struct heap_count	allocated;
	uint64_t		freed;		/* blocks */
};

struct heap_timeline {
	uint64_t		start;		/* ticks */
	unsigned int		shift;		/* a span has 1 << shift ticks */
	size_t			n, room;
	struct heap_count	now;		/* live */
	struct heap_span	span[];
};

/** heap_timeline_new - one from @start on, of at most @room spans; mem_free() it */
struct heap_timeline *heap_timeline_new(uint64_t start, size_t room);

/* Private: heap_timeline_at() of a time behind the last span. */
struct heap_span *heap_timeline_reach(struct heap_timeline *t, uint64_t ts);

/**
 * heap_timeline_at - the span of @ts; spans between the last one and that have what is live
 *
 * For heap_timeline_live(), @ts never falls. What is counted may be of a time before.
 */
static inline struct heap_span *heap_timeline_at(struct heap_timeline *t, uint64_t ts)
{
	uint64_t i = (ts - t->start) >> t->shift;

	return i < t->n ? &t->span[i] : heap_timeline_reach(t, ts);
}

/** heap_timeline_live - so much is live from now on, in @span */
static inline void heap_timeline_live(struct heap_timeline *t, struct heap_span *span,
				      const struct heap_count *live)
{
	t->now = span->end = *live;
	if (live->bytes > span->most.bytes)
		span->most.bytes = live->bytes;
	if (live->blocks > span->most.blocks)
		span->most.blocks = live->blocks;
}

#endif /* FT_HEAP_TIMELINE_H */
