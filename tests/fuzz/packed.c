// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Compressed streams. The input is a file of blocks, whose sums are made right first, as
 * hardly any change would get past them: it is read, and mended. It is also a plain stream,
 * which must come back from its blocks.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "packed/file.h"
#include "packed/pack.h"

#define PIECE	4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void make_sums_right(uint8_t *data, size_t size)
{
	struct packed_header h;

	while (size >= sizeof(h)) {
		memcpy(&h, data, sizeof(h));
		if (h.packed > size - sizeof(h))
			break;
		h.magic = PACKED_MAGIC;
		packed_seal(&h, h.kind, data + sizeof(h), h.packed);
		memcpy(data, &h, sizeof(h));
		data += sizeof(h) + h.packed;
		size -= sizeof(h) + h.packed;
	}
}

/* How far it came, and what was there. */
struct seen {
	uint64_t	at, sum, torn;
	ssize_t		error;
	bool		bad;
};

/* @a: blocks are decoded ahead, or NULL */
static struct seen read_all(int fd, size_t size, struct unpacker *u, bool mend, struct ahead *a)
{
	struct seen seen = { 0 };
	uint8_t piece[PIECE];
	struct packed_file f;
	ssize_t n;

	packed_open(&f, fd, size, u, mend);
	if (a)
		packed_ahead(&f, a);
	while ((n = packed_read(&f, piece, sizeof(piece), seen.at)) > 0) {
		seen.at += (uint64_t)n;
		seen.sum = 31 * seen.sum + packed_sum(piece, (size_t)n);
	}
	seen.error = n;
	seen.torn = f.torn;
	seen.bad = f.bad;
	if (seen.at > f.end || (n == 0 && seen.at != f.end))
		abort();
	packed_close(&f);
	return seen;
}

/* A crew changes nothing. */
static void read_both(int fd, size_t size, struct unpacker *u, struct ahead *a)
{
	struct seen alone = read_all(fd, size, u, false, NULL);
	struct seen many = read_all(fd, size, u, false, a);

	if (alone.at != many.at || alone.sum != many.sum || alone.torn != many.torn ||
	    alone.error != many.error || alone.bad != many.bad)
		abort();
	read_all(fd, size, u, true, NULL);
}

static void round_trip(const uint8_t *data, size_t size, struct packer *p, struct unpacker *u)
{
	static uint8_t block[PACKED_BLOCK_MAX], back[PACKED_RAW_MAX];
	struct packed_header h;

	if (!size || size > PACKED_RAW_MAX)
		return;
	if (packer_block(p, data, size, 77, block) > sizeof(h) + size)
		abort();
	memcpy(&h, block, sizeof(h));
	if (!packed_header_ok(&h))
		abort();
	memcpy(unpacker_data(u), block + sizeof(h), h.packed);
	if (!unpacker_block(u, &h, back) || memcmp(back, data, size))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct unpacker *u;
	static struct packer *p;
	static struct ahead *a;
	uint8_t *copy = malloc(size + 1);
	int fd = memfd_create("packed", MFD_CLOEXEC);

	if (!u) {
		u = unpacker_new();
		p = packer_new(PACKED_LEVEL);
		a = ahead_new(crew_new(2));
	}
	if (!copy || !u || !p || !a || fd < 0)
		abort();
	memcpy(copy, data, size);
	make_sums_right(copy, size);
	if (write(fd, copy, size) == (ssize_t)size)
		read_both(fd, size, u, a);
	round_trip(data, size, p, u);
	close(fd);
	free(copy);
	return 0;
}
