// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Compressed streams: what is packed comes back as it was; of what is damaged, nothing
 * wrong does.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <linux/feather_trace.h>

#include "base/array.h"
#include "base/mem.h"
#include "packed/fact.h"
#include "packed/file.h"
#include "packed/pack.h"

#define HEADER	sizeof(struct ft_packet_header)
#define RECORD	sizeof(struct ft_record)

static uint64_t seed;

static uint64_t chance(uint64_t below)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (seed >> 33) % below;
}

/* Sections of a few locks, and now and then something that nobody foresees. */
static struct ft_record make_record(uint64_t *ts, size_t i)
{
	uint64_t site = chance(9);
	struct ft_record rec = {
		.ts = *ts += chance(50) ? chance(3000) : chance(1ull << 40),
		.id = (uint16_t)(FT_ID_LOCK + 2 * site + i % 2), .tid = (int32_t)(i / 16),
		.ctx = (uint8_t)(i / 40 % 3), .gap = (uint8_t)(i / 700),
		.a = 0xffff888000000000ull + 64 * (i / 2 * 7 % 40), .b = 0xffffffff81000000ull + site,
	};

	if (!chance(30))
		rec.a = chance(1ull << 31) << 32 | chance(1ull << 31);
	if (!chance(60))
		rec.b = chance(1ull << 31) << 32;
	return rec;
}

/* @n packets at @to. Return: bytes */
static size_t make_packets(uint8_t *to, unsigned int n, unsigned int records)
{
	uint64_t ts = 1000000000;
	size_t len = 0;

	for (unsigned int p = 0; p < n; p++) {
		unsigned int m = p % 5 == 4 ? p % 3 : records;
		struct ft_packet_header h = {
			.magic = FT_PACKET_MAGIC, .uuid = "0123456789abcde", .ts_begin = ts,
			.content_bits = (HEADER + m * RECORD) * 8, .seq = 7 + p,
			.packet_bits = (HEADER + m * RECORD) * 8, .discarded = p / 4,
			.stream_instance = 3, .cpu = 3, .clock_hz = 2400000000,
		};

		for (unsigned int i = 0; i < m; i++) {
			struct ft_record rec = make_record(&ts, p * records + i);

			if (!i)
				h.ts_begin = rec.ts;
			memcpy(to + len + HEADER + i * RECORD, &rec, RECORD);
		}
		h.ts_end = ts;
		memcpy(to + len, &h, HEADER);
		len += HEADER + m * RECORD;
	}
	return len;
}

/* In a file of blocks of at most @block bytes. Return: descriptor; *@size of the file */
static int pack_file(const uint8_t *raw, size_t len, size_t block, uint64_t *size)
{
	struct packer *p = packer_new(PACKED_LEVEL);
	uint8_t *out = mem_resize(NULL, PACKED_BLOCK_MAX, 1);
	int fd = memfd_create("packed", MFD_CLOEXEC);
	size_t at = 0;

	*size = 0;
	while (at < len) {
		size_t n = packed_whole(raw + at, len - at < block ? len - at : block);
		size_t used = packer_block(p, raw + at, n, at, out);

		assert_int_equal(write(fd, out, used), used);
		at += n;
		*size += used;
	}
	mem_free(out);
	packer_free(p);
	return fd;
}

/* Return: bytes at @to, or -EBADMSG; up to there all was as it is at @raw. */
static ssize_t read_back(struct unpacker *u, int fd, uint64_t size, uint8_t *to,
			 const uint8_t *raw, size_t len, bool *whole)
{
	struct packed_file f;
	ssize_t n = 1;
	size_t at = 0;

	packed_open(&f, fd, size, u, false);
	while (n > 0 && at <= len) {
		n = packed_read(&f, to, 5000, at);
		if (n > 0) {
			assert_true(at + (size_t)n <= len);
			assert_memory_equal(to, raw + at, (size_t)n);
			at += (size_t)n;
		}
	}
	*whole = !n && !f.bad && !f.torn;
	if (f.torn)
		assert_true(f.torn_records > 0 && f.torn < f.torn_size);
	packed_close(&f);
	return n < 0 ? n : (ssize_t)at;
}

static void check_round(const uint8_t *raw, size_t len, size_t block)
{
	struct unpacker *u = unpacker_new();
	uint8_t *to = mem_resize(NULL, PACKED_RAW_MAX, 1);
	uint64_t size;
	bool whole;
	int fd = pack_file(raw, len, block, &size);

	assert_true(packed_is(fd));
	assert_int_equal(read_back(u, fd, size, to, raw, len, &whole), len);
	assert_true(whole);
	close(fd);
	mem_free(to);
	unpacker_free(u);
}

static void packed_comes_back(void **state)
{
	uint8_t *raw = mem_zalloc(400, 4096);
	size_t len = make_packets(raw, 300, 125);

	(void)state;
	check_round(raw, len, PACKED_RAW_MAX);
	check_round(raw, len, 16384);
	/* what is no packet */
	check_round(raw, len - 17, PACKED_RAW_MAX);
	check_round(raw + 1, len - 1, 16384);
	check_round(raw, 1, PACKED_RAW_MAX);
	for (size_t i = 0; i < len; i++)
		raw[i] = (uint8_t)chance(256);
	check_round(raw, len, PACKED_RAW_MAX);
	memset(raw, 0, len);
	check_round(raw, len, PACKED_RAW_MAX);
	mem_free(raw);
}

static void packed_is_small(void **state)
{
	uint8_t *raw = mem_zalloc(100, 4096);
	size_t len = make_packets(raw, 64, 125);
	uint64_t size;

	(void)state;
	close(pack_file(raw, len, PACKED_RAW_MAX, &size));
	assert_true(size < len / 4);
	mem_free(raw);
}

/* Each bit of a file of three blocks: what is read before the damage is right, and no more. */
static void packed_flipped_bits(void **state)
{
	uint8_t raw[8192], to[8192], byte;
	size_t len = make_packets(raw, 6, 16);
	struct unpacker *u = unpacker_new();
	uint64_t size;
	bool whole;
	int fd = pack_file(raw, len, 1300, &size);

	(void)state;
	for (uint64_t at = 0; at < size; at++) {
		assert_int_equal(pread(fd, &byte, 1, (off_t)at), 1);
		for (unsigned int bit = 0; bit < 8; bit++) {
			uint8_t flipped = byte ^ (uint8_t)(1u << bit);

			assert_int_equal(pwrite(fd, &flipped, 1, (off_t)at), 1);
			read_back(u, fd, size, to, raw, len, &whole);
			assert_false(whole);
		}
		assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
	}
	assert_int_equal(read_back(u, fd, size, to, raw, len, &whole), len);
	assert_true(whole);
	close(fd);
	unpacker_free(u);
}

static void packed_torn(void **state)
{
	uint8_t raw[8192], to[8192];
	size_t len = make_packets(raw, 6, 16);
	struct unpacker *u = unpacker_new();
	uint64_t size;
	bool whole;
	int fd = pack_file(raw, len, 1300, &size), ends = 0;

	(void)state;
	for (uint64_t at = 1; at < size; at++) {
		ssize_t n = read_back(u, fd, at, to, raw, len, &whole);

		assert_true(n >= 0 && (size_t)n < len);
		ends += whole;		/* between two blocks nothing is missing */
	}
	assert_true(ends > 0 && ends < 8);
	close(fd);
	unpacker_free(u);
}

/* Of a stream that is to be mended, what is damaged is zero, and the rest is there. */
static void packed_mended(void **state)
{
	uint8_t *raw = mem_zalloc(100, 4096), *to = mem_zalloc(100, 4096), byte = 0x5a;
	size_t len = make_packets(raw, 60, 125);
	struct unpacker *u = unpacker_new();
	struct packed_header first;
	struct packed_file f;
	uint64_t size;
	int fd = pack_file(raw, len, 65536, &size);

	(void)state;
	assert_int_equal(pread(fd, &first, sizeof(first), 0), sizeof(first));
	for (int where = 0; where < 2; where++) {	/* a header, then data */
		off_t at = (off_t)(sizeof(first) + first.packed + (where ? sizeof(first) + 9 : 9));

		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
		packed_open(&f, fd, size, u, true);
		assert_int_equal(packed_read_full(&f, to, 400000, 0), len);
		assert_memory_equal(to, raw, first.raw);
		assert_int_equal(to[first.raw], 0);
		assert_memory_equal(to + len - 1000, raw + len - 1000, 1000);
		packed_close(&f);
		close(fd);
		fd = pack_file(raw, len, 65536, &size);
	}
	close(fd);
	unpacker_free(u);
	mem_free(raw);
	mem_free(to);
}

static void packed_facts(void **state)
{
	char path[] = "/tmp/packed-XXXXXX", text[9000], *back;
	int fd = mkstemp(path);
	void *packed;
	size_t n;

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)('a' + i / 7 % 20);
	n = packed_fact(text, sizeof(text), PACKED_LEVEL, &packed);
	assert_true(n && n < sizeof(text) / 4);
	assert_int_equal(packed_fact(text, 100, PACKED_LEVEL, &(void *){ NULL }), 0);
	assert_int_equal(write(fd, packed, n), n);
	assert_int_equal(packed_read_path(path, &back), sizeof(text));
	assert_memory_equal(back, text, sizeof(text));
	mem_free(back);
	for (size_t i = 4; i < n; i++) {
		uint8_t byte = ((uint8_t *)packed)[i] ^ 0x10;
		ssize_t len;

		assert_int_equal(pwrite(fd, &byte, 1, (off_t)i), 1);
		len = packed_read_path(path, &back);
		/* zstd does not use each bit of the frame's header */
		if (len >= 0) {
			assert_int_equal(len, sizeof(text));
			assert_memory_equal(back, text, sizeof(text));
			mem_free(back);
		}
		assert_int_equal(pwrite(fd, (uint8_t *)packed + i, 1, (off_t)i), 1);
	}
	assert_int_equal(ftruncate(fd, (off_t)n - 1), 0);
	assert_int_equal(packed_read_path(path, &back), -EBADMSG);
	mem_free(packed);
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packed_comes_back),
		cmocka_unit_test(packed_is_small),
		cmocka_unit_test(packed_flipped_bits),
		cmocka_unit_test(packed_torn),
		cmocka_unit_test(packed_mended),
		cmocka_unit_test(packed_facts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
