// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Reading a file of blocks as the plain stream. See file.h. */
#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "packed/file.h"

#define HEADER	sizeof(struct packed_header)
#define WINDOW	(64u << 10)
#define NO_PLACE SIZE_MAX
/* A damaged place is taken to stand for at most this many times its length. */
#define MEND_RATIO 64

bool packed_is(int fd)
{
	uint32_t magic;

	return read_full_at(fd, &magic, sizeof(magic), 0) == sizeof(magic) &&
	       magic == PACKED_MAGIC;
}

void packed_open(struct packed_file *f, int fd, uint64_t size, struct unpacker *u, bool mend)
{
	*f = (struct packed_file){
		.fd = fd, .size = size, .unpacker = u, .mend = mend, .at_hand = NO_PLACE,
	};
}

void packed_close(struct packed_file *f)
{
	ahead_close(f->ahead);
	mem_free(f->place);
	mem_free(f->raw);
	*f = (struct packed_file){ 0 };
}

void packed_ahead(struct packed_file *f, struct ahead *a)
{
	f->ahead = f->mend ? NULL : ahead_open(a, f->fd, f->size);
	/* where reading begins, as far as it has been there */
	if (f->ahead && f->n_places)
		ahead_begin(f->ahead, f->n_places > 1 ? f->place[1].pos : f->next);
}

static bool read_header(const struct packed_file *f, uint64_t pos, struct packed_header *header)
{
	return read_full_at(f->fd, header, HEADER, pos) == HEADER && packed_header_ok(header);
}

static void add_place(struct packed_file *f, uint64_t pos, uint64_t size)
{
	if (f->n_places == f->room) {
		f->room = f->room ? 2 * f->room : 64;
		f->place = mem_resize(f->place, f->room, sizeof(*f->place));
	}
	f->place[f->n_places++] = (struct packed_place){ f->end, pos };
	f->end += size;
}

/* The file ends within a block. */
static bool end_torn(struct packed_file *f, uint64_t size, uint64_t records)
{
	f->torn = f->size - f->next;
	f->torn_size = size;
	f->torn_records = records ? records : 1;
	f->next = f->size;
	return false;
}

/* From @pos on, the next header. Return: its position, or the size of the file */
static uint64_t find_header(const struct packed_file *f, uint64_t pos, struct packed_header *header)
{
	const uint32_t magic = PACKED_MAGIC;
	uint8_t window[WINDOW], *found;
	ssize_t n;

	while (pos < f->size) {
		uint8_t *from = window;

		n = read_full_at(f->fd, window, WINDOW, pos);
		if (n < (ssize_t)HEADER)
			break;
		while ((found = memmem(from, (size_t)(window + n - from), &magic, sizeof(magic)))) {
			uint64_t at = pos + (uint64_t)(found - window);

			if (read_header(f, at, header) && header->at >= f->end)
				return at;
			from = found + 1;
		}
		pos += (uint64_t)n - sizeof(magic) + 1;
	}
	return f->size;
}

/* There is no header at f->next: go on at the next one. */
static bool skip_damage(struct packed_file *f)
{
	struct packed_header header;
	uint64_t pos = find_header(f, f->next + 1, &header);
	uint64_t most = (pos - f->next) * MEND_RATIO, hole = most;

	/* the next header says where its block begins, and so how much is missing */
	if (pos < f->size && header.at - f->end < most)
		hole = header.at - f->end;
	if (pos == f->size && hole > PACKED_RAW_MAX)
		hole = PACKED_RAW_MAX;
	f->next = pos;
	if (hole)
		add_place(f, PACKED_HOLE, hole);
	return true;
}

/* There is no good header where one should be. */
static bool end_bad(struct packed_file *f)
{
	if (f->mend)
		return skip_damage(f);
	f->bad = true;
	f->bad_at = f->next;
	f->next = f->size;
	return false;
}

bool packed_more(struct packed_file *f)
{
	uint64_t rest = f->size - f->next;
	struct packed_header header;

	if (!rest)
		return false;
	if (rest < HEADER)
		return end_torn(f, HEADER, 0);
	if (!read_header(f, f->next, &header) || (!f->mend && header.at != f->end) ||
	    header.at < f->end)
		return end_bad(f);
	if (rest - HEADER < header.packed)
		return end_torn(f, HEADER + header.packed, header.records);
	add_place(f, f->next, header.raw);
	f->next += HEADER + header.packed;
	return true;
}

/* The place that has @at, which is before f->end. */
static size_t find_place(const struct packed_file *f, uint64_t at)
{
	size_t from = 0, to = f->n_places;

	while (to - from > 1) {
		size_t mid = from + (to - from) / 2;

		if (f->place[mid].at <= at)
			from = mid;
		else
			to = mid;
	}
	return from;
}

static uint64_t place_size(const struct packed_file *f, size_t i)
{
	return (i + 1 < f->n_places ? f->place[i + 1].at : f->end) - f->place[i].at;
}

bool packed_block(struct packed_file *f, uint64_t at, struct packed_header *header)
{
	size_t i;

	while (at >= f->end) {
		if (!packed_more(f))
			return false;
	}
	i = find_place(f, at);
	if (f->place[i].at != at || f->place[i].pos == PACKED_HOLE ||
	    (i + 1 == f->n_places && !packed_more(f)))
		return false;
	return read_header(f, f->place[i].pos, header) && header->raw == place_size(f, i);
}

void packed_pass(struct packed_file *f, const struct packed_header *header)
{
	f->done = f->place[find_place(f, header->at)].pos + HEADER + header->packed;
}

static void is_at_hand(struct packed_file *f, size_t i, const uint8_t *plain, uint32_t packed)
{
	f->plain = plain;
	f->at_hand = i;
	f->done = f->place[i].pos + HEADER + packed;
	if (f->ahead)
		ahead_begin(f->ahead, f->done);
}

/* Return: was it decoded ahead? */
static bool load_ahead(struct packed_file *f, size_t i)
{
	const uint8_t *plain;
	uint32_t packed;

	if (!f->ahead)
		return false;
	plain = ahead_take(f->ahead, f->place[i].pos, (uint32_t)place_size(f, i), &packed);
	if (plain)
		is_at_hand(f, i, plain, packed);
	return plain;
}

/* Return: 0, or -errno */
static int load(struct packed_file *f, size_t i)
{
	uint64_t pos = f->place[i].pos;
	struct packed_header header;
	ssize_t n;

	if (f->at_hand == i)
		return 0;
	f->at_hand = NO_PLACE;
	if (load_ahead(f, i))
		return 0;
	if (!read_header(f, pos, &header) || header.raw != place_size(f, i))
		return -EBADMSG;
	n = read_full_at(f->fd, unpacker_data(f->unpacker), header.packed, pos + HEADER);
	if (n < 0)
		return (int)n;
	if (header.raw > f->raw_room) {
		f->raw = mem_resize(f->raw, header.raw, 1);
		f->raw_room = header.raw;
	}
	if (n != (ssize_t)header.packed || !unpacker_block(f->unpacker, &header, f->raw)) {
		if (!f->mend)
			return -EBADMSG;
		memset(f->raw, 0, header.raw);
	}
	is_at_hand(f, i, f->raw, header.packed);
	return 0;
}

ssize_t packed_read(struct packed_file *f, void *buf, size_t len, uint64_t at)
{
	uint64_t from, n;
	size_t i;
	int ret;

	while (at >= f->end) {
		if (!packed_more(f))
			return 0;
	}
	i = find_place(f, at);
	from = at - f->place[i].at;
	n = place_size(f, i) - from;
	if (n > len)
		n = len;
	if (f->place[i].pos == PACKED_HOLE) {
		memset(buf, 0, n);
		return (ssize_t)n;
	}
	ret = load(f, i);
	if (ret)
		return ret;
	memcpy(buf, f->plain + from, n);
	return (ssize_t)n;
}

ssize_t packed_read_full(struct packed_file *f, void *buf, size_t len, uint64_t at)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = packed_read(f, (char *)buf + done, len - done, at + done);

		if (n < 0)
			return n;
		if (!n)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}
