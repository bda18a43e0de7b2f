// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * In a compressed stream, blocks without a record of interest are passed over: their headers
 * say all that is needed. So damage in such a block is not seen.
 *
 * A gap lies at the time of the record before it, so a gap of interest follows a record of
 * interest, and is never passed over. These blocks are always read: the first of a file, which
 * later ones are checked against; the last, which has the losses at the end; and each that
 * counts losses, with those behind it until a record shows a gap: if none does, there is one at
 * the end.
 */
#include <string.h>

#include "trace/trace.h"

void trace_only(struct trace *t, uint64_t first, uint64_t end)
{
	t->is_partial = true;
	t->first = first;
	t->end = end;
}

static bool is_of_interest(const struct stream *s, const struct packed_header *h)
{
	return h->ts_end >= s->trace->first && s->ts < s->trace->end;
}

/* Is it the block that is due, with nothing to report? */
static bool is_ordinary(const struct stream *s, const struct packed_header *h)
{
	const struct metadata *m = &s->trace->meta;

	return h->kind == PACKED_COLUMNS && h->records && h->seq == s->seq + 1 &&
	       h->cpu == s->cpu && h->stream_id == s->class && h->ts_begin >= s->ts &&
	       h->discarded == s->lost - s->lost_before &&
	       (!m->has_uuid || !memcmp(m->uuid, h->uuid, sizeof(m->uuid)));
}

/* Has no record shown yet that some were lost, though they are counted? */
static bool lacks_gap(const struct stream *s)
{
	return s->gap_mask && s->lost && s->gaps == s->dropped_gaps;
}

void stream_pass(struct stream *s)
{
	struct packed_header h;

	while (s->packed && s->begun && !s->in_gap && !lacks_gap(s) &&
	       packed_block(s->packed, (uint64_t)s->pos, &h) && is_ordinary(s, &h) &&
	       !is_of_interest(s, &h)) {
		packed_pass(s->packed, &h);
		s->head = s->tail = 0;
		s->pos += h.raw;
		s->ts = h.ts_begin;
		s->seq += h.packets;
		s->packets += h.packets;
		s->records += h.records;
	}
}
