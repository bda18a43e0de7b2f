// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A mutator that knows packets and records: bytes changed anywhere seldom get
 * past the magic number and the uuid.
 */
#include <stdbool.h>
#include <string.h>

#include <linux/feather_trace.h>

#include "files.h"

#define HEADER		sizeof(struct ft_packet_header)
#define RECORD		sizeof(struct ft_record)
#define MAX_ENTRIES	16

static uint64_t state;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1dull >> 16;
}

static size_t below(size_t n)
{
	return n ? (size_t)(next_random() % n) : 0;
}

struct piece {
	size_t		pos, len;	/* of the content */
};

/* The streams in the buffer. */
static unsigned int find_streams(const uint8_t *data, size_t size,
				 struct piece *piece)
{
	const uint8_t *content;
	size_t pos = 0, len;
	unsigned int entry, n = 0;

	while (n < MAX_ENTRIES &&
	       (len = files_next(data, size, &pos, &content, &entry))) {
		if (entry < ENTRY_CPU)
			continue;
		piece[n].pos = (size_t)(content - data);
		piece[n++].len = len - 1;
	}
	return n;
}

/* A packet of the stream: some place with the magic number, to the next one. */
static struct piece find_packet(const uint8_t *data, struct piece stream)
{
	const uint32_t magic = FT_PACKET_MAGIC;
	struct piece packet = stream;
	size_t skip = below(8), end = stream.pos + stream.len;

	for (;;) {
		const uint8_t *next;

		if (packet.len < HEADER)
			return packet;
		next = memmem(data + packet.pos + 4, end - packet.pos - 4, &magic,
			      sizeof(magic));
		packet.len = (next ? (size_t)(next - data) : end) - packet.pos;
		if (!next || !skip--)
			return packet;
		packet.pos = (size_t)(next - data);
		packet.len = end - packet.pos;
	}
}

static uint64_t odd_value(uint64_t old)
{
	static const uint64_t values[] = {
		0, 1, 7, 8, 96, 128, 768, 1024, 32768, 1ull << 27, 1ull << 31,
		1ull << 32, 1ull << 62, 1ull << 63, UINT64_MAX, UINT64_MAX - 7,
	};

	switch (below(6)) {
	case 0:
		return old + 1 + below(3);
	case 1:
		return old - 1 - below(3);
	case 2:
		return old ^ 1ull << below(64);
	case 3:
		return old + 256 * below(64);	/* bits of some records */
	default:
		return values[below(sizeof(values) / sizeof(values[0]))];
	}
}

static void change_u64(uint8_t *p)
{
	uint64_t value;

	memcpy(&value, p, sizeof(value));
	value = odd_value(value);
	memcpy(p, &value, sizeof(value));
}

static void change_header(uint8_t *data, struct piece packet)
{
	static const uint8_t fields[] = { 0, 4, 12, 20, 24, 32, 40, 48, 56, 64,
					  72, 80, 88 };
	uint8_t *h = data + packet.pos;

	if (packet.len < HEADER)
		return;
	change_u64(h + fields[below(sizeof(fields))]);
	if (!below(3)) {	/* sizes that agree get further */
		memcpy(h + 56, h + 48, 8);
	}
}

static void change_record(uint8_t *data, struct piece packet)
{
	size_t n = packet.len < HEADER ? 0 : (packet.len - HEADER) / RECORD;
	uint8_t *r = data + packet.pos + HEADER + below(n) * RECORD;
	uint8_t *other = data + packet.pos + HEADER + below(n) * RECORD;

	if (!n)
		return;
	switch (below(7)) {
	case 0:
		change_u64(r);
		break;
	case 1:			/* another lock event */
		r[8] = (uint8_t)(below(4) ? 16 + below(14) : 64 + below(12));
		break;
	case 2:
		r[8] = (uint8_t)next_random();
		r[9] = (uint8_t)below(3);
		break;
	case 3:
		r[10] = (uint8_t)next_random();
		r[11] = (uint8_t)(r[11] + below(3));
		break;
	case 4:			/* the same lock, the same task */
		memcpy(r + 12, other + 12, 12);
		break;
	case 5:
		change_u64(r + 8 * (1 + below(3)));
		break;
	default:
		memcpy(r, other, RECORD);
	}
}

/* Moves what follows so that @len bytes at @pos become @new_len. */
static size_t resize(uint8_t *data, size_t size, size_t max, size_t pos, size_t len,
		     size_t new_len, uint8_t *entry)
{
	uint32_t old;

	if (size - len + new_len > max)
		return size;
	memmove(data + pos + new_len, data + pos + len, size - pos - len);
	memcpy(&old, entry + 1, sizeof(old));
	old += (uint32_t)(new_len - len);
	memcpy(entry + 1, &old, sizeof(old));
	return size - len + new_len;
}

static size_t change_stream(uint8_t *data, size_t size, size_t max,
			    struct piece stream)
{
	struct piece packet = find_packet(data, stream);
	uint8_t *entry = data + stream.pos - ENTRY_HEAD;
	size_t at, len = 0;

	switch (below(10)) {
	case 0:			/* cut, remove some bytes, or many */
		at = stream.pos + below(stream.len);
		len = below(stream.pos + stream.len - at + 1);
		return resize(data, size, max, at, below(2) ? len % 40 : len, 0,
			      entry);
	case 1:			/* remove a packet */
		return resize(data, size, max, packet.pos, packet.len, 0, entry);
	case 2:			/* repeat it */
		at = packet.pos + packet.len;
		len = resize(data, size, max, at, 0, packet.len, entry);
		if (len != size)
			memcpy(data + at, data + packet.pos, packet.len);
		return len;
	case 3:			/* as libFuzzer would, within it */
		if (packet.len)
			LLVMFuzzerMutate(data + packet.pos, packet.len, packet.len);
		return size;
	case 4:
	case 5:
	case 6:
		change_header(data, packet);
		return size;
	default:
		change_record(data, packet);
		return size;
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
			       unsigned int seed)
{
	struct piece stream[MAX_ENTRIES];
	unsigned int n, rounds;

	state = seed * 0x9e3779b97f4a7c15ull + 1;
	n = find_streams(data, size, stream);
	if (!n || !below(8))
		return LLVMFuzzerMutate(data, size, max);
	for (rounds = 1 + below(4); rounds-- && n; ) {
		size = change_stream(data, size, max, stream[below(n)]);
		n = find_streams(data, size, stream);
	}
	return size;
}
