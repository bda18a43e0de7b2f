// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Headers of blocks. See block.h. */
#include <string.h>

#include <linux/feather_trace.h>

#include "packed/block.h"

#define HEADER		sizeof(struct ft_packet_header)
#define RECORD		sizeof(struct ft_record)
#define ALL_BLOCKS	(16u << 20)	/* of all streams together */
#define BLOCK_LEAST	(16u << 10)

_Static_assert(sizeof(struct packed_header) == 128, "as in the file");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "headers are used as they lie there");

/* Each step maps the sums so far one to one, as it does the words. */
static uint64_t sum_word(uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * 0x9fb21c651e98df25ull;
	return sum ^ sum >> 32;
}

uint64_t packed_sum(const void *data, size_t len)
{
	uint64_t sum = sum_word(0x46545a, len), word;
	const uint8_t *at = data;

	for (; len >= sizeof(word); at += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		sum = sum_word(sum, word);
	}
	word = 0;
	memcpy(&word, at, len);
	return sum_word(sum, word);
}

/* Is there a header of a packet, and a size that can be right? */
static bool is_packet(const struct ft_packet_header *h)
{
	uint64_t content = h->content_bits / 8;

	return h->magic == FT_PACKET_MAGIC && !(h->content_bits % 64) && content >= HEADER &&
	       !((content - HEADER) % RECORD) && h->packet_bits == h->content_bits;
}

static void describe_packet(struct packed_header *header, const struct ft_packet_header *h)
{
	uint64_t n = (h->content_bits / 8 - HEADER) / RECORD;

	if (!header->packets) {
		header->seq = h->seq;
		header->cpu = h->cpu;
		header->stream_id = h->stream_id;
		memcpy(header->uuid, h->uuid, sizeof(header->uuid));
	}
	header->discarded = h->discarded;
	header->packets++;
	if (!n)
		return;
	if (!header->records)
		header->ts_begin = h->ts_begin;
	header->ts_end = h->ts_end;
	if (__builtin_add_overflow(header->records, n, &header->records))
		header->records = UINT32_MAX;
}

size_t packed_whole(const void *raw, size_t len)
{
	const uint8_t *bytes = raw;
	struct ft_packet_header h;
	size_t from = 0;

	while (len - from >= HEADER) {
		memcpy(&h, bytes + from, HEADER);
		if (!is_packet(&h) || h.content_bits / 8 > len - from)
			break;
		from += h.content_bits / 8;
	}
	return from ? from : len;
}

bool packed_describe(struct packed_header *header, const void *raw, size_t len, uint64_t at)
{
	const uint8_t *bytes = raw;
	struct ft_packet_header h;
	size_t from = 0;

	*header = (struct packed_header){
		.magic = PACKED_MAGIC, .version = PACKED_VERSION, .at = at, .raw = (uint32_t)len,
	};
	while (len - from >= HEADER) {
		memcpy(&h, bytes + from, HEADER);
		if (!is_packet(&h))
			return false;
		describe_packet(header, &h);
		if (h.content_bits / 8 > len - from)
			return false;
		from += h.content_bits / 8;
	}
	return from == len && header->packets;
}

void packed_seal(struct packed_header *header, enum packed_kind kind, const void *data, size_t len)
{
	header->kind = (uint16_t)kind;
	header->packed = (uint32_t)len;
	header->data_sum = packed_sum(data, len);
	header->header_sum = packed_sum(header, offsetof(struct packed_header, header_sum));
}

void packed_stored(struct packed_header *header, const void *raw, size_t len, uint64_t at)
{
	packed_describe(header, raw, len, at);
	packed_seal(header, PACKED_STORED, raw, len);
}

bool packed_header_ok(const struct packed_header *h)
{
	return h->magic == PACKED_MAGIC && h->version == PACKED_VERSION &&
	       h->header_sum == packed_sum(h, offsetof(struct packed_header, header_sum)) &&
	       h->kind < PACKED_KINDS && h->raw && h->raw <= PACKED_RAW_MAX &&
	       h->packed && h->packed <= h->raw &&
	       (h->kind != PACKED_STORED || h->packed == h->raw) && h->at <= (1ull << 62);
}

size_t packed_block_size(unsigned int streams)
{
	size_t size = streams ? ALL_BLOCKS / streams : PACKED_RAW_MAX;

	size &= ~(size_t)4095;
	return size > PACKED_RAW_MAX ? PACKED_RAW_MAX : size < BLOCK_LEAST ? BLOCK_LEAST : size;
}
