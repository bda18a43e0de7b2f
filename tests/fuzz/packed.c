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

static void read_all(int fd, size_t size, struct unpacker *u, bool mend)
{
	uint8_t piece[PIECE];
	struct packed_file f;
	uint64_t at = 0;
	ssize_t n;

	packed_open(&f, fd, size, u, mend);
	while ((n = packed_read(&f, piece, sizeof(piece), at)) > 0)
		at += (uint64_t)n;
	if (at > f.end || (n == 0 && at != f.end))
		abort();
	packed_close(&f);
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
	uint8_t *copy = malloc(size + 1);
	int fd = memfd_create("packed", MFD_CLOEXEC);

	if (!u) {
		u = unpacker_new();
		p = packer_new(PACKED_LEVEL);
	}
	if (!copy || !u || !p || fd < 0)
		abort();
	memcpy(copy, data, size);
	make_sums_right(copy, size);
	if (write(fd, copy, size) == (ssize_t)size) {
		read_all(fd, size, u, false);
		read_all(fd, size, u, true);
	}
	round_trip(data, size, p, u);
	close(fd);
	free(copy);
	return 0;
}
