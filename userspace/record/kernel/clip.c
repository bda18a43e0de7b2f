// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Clips the packets of a snapshot: see clip.h. */
#include <stdbool.h>
#include <string.h>

#include <linux/feather_trace.h>

#include "record/kernel/clip.h"

#define HEADER	sizeof(struct ft_packet_header)
#define RECORD	sizeof(struct ft_record)

static bool is_whole(const struct ft_packet_header *h, size_t rest)
{
	return h->magic == FT_PACKET_MAGIC && h->packet_bits == h->content_bits &&
	       !(h->packet_bits % 8) && h->packet_bits / 8 >= HEADER &&
	       h->packet_bits / 8 <= rest && !((h->packet_bits / 8 - HEADER) % RECORD);
}

static uint64_t time_of(const char *record)
{
	struct ft_record copy;

	memcpy(&copy, record, sizeof(copy));
	return copy.ts;
}

/* Return: how many of @count records at @p are older than the window. */
static size_t count_old(const struct clip *clip, const char *p, size_t count)
{
	size_t old = 0;

	while (old < count && time_of(p + old * RECORD) < clip->begin)
		old++;
	return old;
}

/* Writes a packet of @count records of which @left remain, and its count of losses. */
static void put_packet(struct clip *clip, char *to, struct ft_packet_header *h,
		       const char *records, size_t left)
{
	if (left) {
		h->ts_begin = time_of(records);
		if (!clip->records)
			clip->first = h->ts_begin;
	} else if (h->ts_begin < clip->begin) {
		h->ts_begin = clip->begin;
		if (h->ts_end < clip->begin)
			h->ts_end = clip->begin;
	}
	h->content_bits = h->packet_bits = 8 * (HEADER + left * RECORD);
	h->discarded = clip->lost;
	/* records first: the new header may overlap dropped records */
	memmove(to + HEADER, records, left * RECORD);
	memcpy(to, h, HEADER);
	clip->records += left;
}

size_t clip_packets(struct clip *clip, char *p, size_t len)
{
	struct ft_packet_header h;
	size_t at, size, count, old, used = 0;
	uint64_t seq = 0, lost;

	for (at = 0; at < len; at += size) {
		if (len - at < HEADER)
			return SIZE_MAX;
		memcpy(&h, p + at, HEADER);
		if (!is_whole(&h, len - at))
			return SIZE_MAX;
		size = h.packet_bits / 8;
		count = (size - HEADER) / RECORD;
		old = count_old(clip, p + at + HEADER, count);
		clip->cut += old;
		lost = h.discarded > clip->lost_before ? h.discarded - clip->lost_before : 0;
		/* drop a packet without records in the window and without new losses */
		if (old == count && lost == clip->lost)
			continue;
		clip->lost = lost;
		h.seq = seq++;
		put_packet(clip, p + used, &h, p + at + HEADER + old * RECORD, count - old);
		used += HEADER + (count - old) * RECORD;
	}
	return used;
}
