// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Packets on their way from the device to files: see packets.h. */
#include <stdbool.h>
#include <string.h>

#include <linux/feather_trace.h>

#include "record/kernel/packets.h"

#define HEADER	sizeof(struct ft_packet_header)
#define RECORD	sizeof(struct ft_record)

_Static_assert(PACKETS_SPLIT_ROOM == HEADER, "a split adds one header");

/* Return: length of the packet at @p; 0 if it is not whole within @len bytes. */
static size_t packet_length(const char *p, size_t len)
{
	struct ft_packet_header h;

	if (len < HEADER)
		return 0;
	memcpy(&h, p, HEADER);
	if (h.magic != FT_PACKET_MAGIC || h.packet_bits % 8 ||
	    h.content_bits / 8 < HEADER || h.content_bits > h.packet_bits ||
	    h.packet_bits / 8 > len)
		return 0;
	return h.packet_bits / 8;
}

static size_t packet_records(const struct ft_packet_header *h)
{
	return (h->content_bits / 8 - HEADER) / RECORD;
}

size_t packets_walk(const char *p, size_t len, uint64_t *records)
{
	struct ft_packet_header h;
	size_t at = 0, n;

	while ((n = packet_length(p + at, len - at))) {
		memcpy(&h, p + at, HEADER);
		*records += packet_records(&h);
		at += n;
	}
	return at;
}

size_t packets_first(const char *p, size_t len, const char **records, size_t *n)
{
	size_t bytes = packet_length(p, len);
	struct ft_packet_header h;

	if (!bytes)
		return 0;
	memcpy(&h, p, HEADER);
	*records = p + HEADER;
	*n = packet_records(&h);
	return bytes;
}

void packets_number(struct packets *packets, char *p, size_t len)
{
	struct ft_packet_header h;
	size_t at = 0, n;

	while ((n = packet_length(p + at, len - at))) {
		memcpy(&h, p + at, HEADER);
		packets->next = h.seq + 1;
		packets->lost = h.discarded;
		/* the second half of a split packet */
		if (h.seq < packets->from)
			packets->from = h.seq;
		h.seq -= packets->from;
		h.discarded -= packets->before;
		memcpy(p + at, &h, HEADER);
		at += n;
	}
}

void packets_next_file(struct packets *packets)
{
	packets->from = packets->next;
	packets->before = packets->lost;
}

/* Return: the time of record @i of the packet at @p */
static uint64_t record_time(const char *p, size_t i)
{
	uint64_t ts;

	memcpy(&ts, p + HEADER + i * RECORD + offsetof(struct ft_record, ts), sizeof(ts));
	return ts;
}

static void set_size(struct ft_packet_header *h, size_t records)
{
	h->content_bits = h->packet_bits = (HEADER + records * RECORD) * 8;
}

/*
 * Splits the packet at @p behind its first @i of @n records; @len bytes of packets begin
 * there. Return: bytes of the first half.
 */
static size_t split(char *p, size_t *len, size_t n, size_t i)
{
	size_t first = HEADER + i * RECORD;
	struct ft_packet_header h;

	memmove(p + first + HEADER, p + first, *len - first);
	*len += HEADER;
	memcpy(&h, p, HEADER);
	h.ts_end = record_time(p, i - 1);
	set_size(&h, i);
	memcpy(p, &h, HEADER);
	h.ts_begin = record_time(p + first, 0);
	h.ts_end = record_time(p + first, n - i - 1);
	set_size(&h, n - i);
	memcpy(p + first, &h, HEADER);
	return first;
}

size_t packets_split(char *p, size_t *len, uint64_t at)
{
	struct ft_packet_header h;
	size_t done = 0, bytes, n, i;

	for (; (bytes = packet_length(p + done, *len - done)); done += bytes) {
		size_t rest = *len - done;

		memcpy(&h, p + done, HEADER);
		n = packet_records(&h);
		for (i = 0; i < n && record_time(p + done, i) < at; i++)
			;
		if (i == n)
			continue;
		if (i)
			bytes = split(p + done, &rest, n, i);
		*len = done + rest;
		return i ? done + bytes : done;
	}
	return done;
}
