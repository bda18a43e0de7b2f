// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Packets on their way into files: see packets.h. */
#include <string.h>

#include <linux/feather_trace.h>

#include "record/kernel/packets.h"

#define HEADER	sizeof(struct ft_packet_header)
#define RECORD	sizeof(struct ft_record)

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

size_t packets_first(const char *p, size_t len, size_t *n)
{
	size_t bytes = packet_length(p, len);
	struct ft_packet_header h;

	if (!bytes)
		return 0;
	memcpy(&h, p, HEADER);
	*n = packet_records(&h);
	return bytes;
}

size_t packets_walk(const char *p, size_t len, uint64_t *records)
{
	size_t at = 0, bytes, n;

	for (; (bytes = packets_first(p + at, len - at, &n)); at += bytes)
		*records += n;
	return at;
}

void packets_begin(struct packets *packets, struct ft_packet_header *header,
		   const struct ft_record *records, size_t n, uint64_t lost,
		   unsigned int cpu, const struct ft_info *info)
{
	const uint64_t bits = (HEADER + n * RECORD) * 8;
	uint64_t begin = n ? records[0].ts : packets->end;

	if (n)
		packets->end = records[n - 1].ts;
	/* it was asked for at another moment than a count before it */
	if (lost > packets->lost)
		packets->lost = lost;
	*header = (struct ft_packet_header){
		.magic = FT_PACKET_MAGIC,
		.stream_instance = cpu,
		.ts_begin = begin,
		.ts_end = packets->end,
		.content_bits = bits,
		.packet_bits = bits,
		.seq = packets->next++ - packets->from,
		.discarded = packets->lost - packets->before,
		.cpu = cpu,
		.clock_hz = info->clock_hz,
	};
	memcpy(header->uuid, info->uuid, sizeof(header->uuid));
}

void packets_next_file(struct packets *packets)
{
	packets->from = packets->next;
	packets->before = packets->lost;
}
