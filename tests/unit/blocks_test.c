// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Blocks of packets into files, and a disk that fills: userspace/record/compress/blocks.c.
 * Nothing is packed, so that each block has the size of its packets.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <linux/feather_trace.h>

#include "base/array.h"
#include "packed/pack.h"
#include "record/compress/blocks.h"
#include "record/compress/compress.h"
#include "record/kernel/rings.h"
#include "record/kernel/seam.h"

#define HEADER	sizeof(struct ft_packet_header)
#define RECORD	sizeof(struct ft_record)

/* So many streams have the smallest blocks, of four full packets, and four of each. */
#define STREAMS	1024u
#define PACKETS	4u
#define BLOCK	(sizeof(struct packed_header) + PACKETS * FT_PACKET_MAX)

static _Atomic bool packing_stands;

size_t __real_packer_block(struct packer *p, const void *raw, size_t len, uint64_t at, void *out);
size_t __wrap_packer_block(struct packer *p, const void *raw, size_t len, uint64_t at, void *out);

size_t __wrap_packer_block(struct packer *p, const void *raw, size_t len, uint64_t at, void *out)
{
	while (packing_stands)
		usleep(1000);
	return __real_packer_block(p, raw, len, at, out);
}

static struct rings rings;
static struct ring ring;
static int files[1];

static int file_new(void)
{
	char path[] = "/tmp/blocks_test.XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	unlink(path);
	return fd;
}

static int set_up(void **state)
{
	(void)state;
	memset(&rings, 0, sizeof(rings));
	memset(&ring, 0, sizeof(ring));
	packing_stands = true;
	rings.ring = &ring;
	rings.n = 1;
	rings.enough = UINT64_MAX;
	rings.stop = RINGS_ABORT;	/* blocks_finish() waits for nobody */
	rings.stop_fd = rings.event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	rings.compress = compress_start(1, STREAMS, STREAMS);
	assert_non_null(rings.compress);
	rings.seam.file = files;
	rings.seam.left = 1;
	rings.seams = 1;
	ring.rings = &rings;
	ring.stream = compress_open(rings.compress, 0);
	assert_non_null(ring.stream);
	ring.file = file_new();
	ring.old_file = -1;
	files[0] = file_new();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	packing_stands = false;
	compress_stop(rings.compress);
	free(ring.where);
	close(ring.file);
	if (ring.old_file >= 0)
		close(ring.old_file);
	close(rings.stop_fd);
	return 0;
}

static bool keep(unsigned int packets)
{
	static char records[FT_PACKET_RECORDS * RECORD];
	static struct ft_packet_header header = {
		.magic = FT_PACKET_MAGIC, .content_bits = 8 * FT_PACKET_MAX,
		.packet_bits = 8 * FT_PACKET_MAX,
	};
	const struct iovec part[] = {
		{ &header, HEADER }, { records, sizeof(records) },
	};

	while (packets--) {
		assert_true(blocks_room(&ring) >= FT_PACKET_RECORDS);
		blocks_copy(&ring, part, FT_PACKET_MAX);
		if (!blocks_keep(&ring, FT_PACKET_RECORDS, FT_PACKET_MAX))
			return false;
	}
	return true;
}

static void limit_files(rlim_t bytes)
{
	const struct rlimit limit = { bytes, RLIM_INFINITY };

	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void expect_file(int fd, const struct ring_books *books, unsigned int packets,
			unsigned int unwritten)
{
	assert_int_equal(lseek(fd, 0, SEEK_END), books->bytes);
	assert_int_equal(books->records, packets * FT_PACKET_RECORDS);
	assert_int_equal(books->unwritten, unwritten * FT_PACKET_RECORDS);
}

/* Each file has whole blocks, and its own books say what it has not. */
static void a_full_disk_is_counted_in_each_part(void **state)
{
	static const struct {
		unsigned int before, after;	/* packets around the seam */
		rlim_t room;			/* in each file */
		unsigned int old, new;		/* packets that are there then */
	} t[] = {
		{ 2 * PACKETS, PACKETS + 1, 0, 0, 0 },
		{ 2 * PACKETS, PACKETS + 1, BLOCK - 1, 0, 0 },
		{ 2 * PACKETS, PACKETS + 1, BLOCK, PACKETS, 0 },
		{ 2 * PACKETS, PACKETS + 1, 2 * BLOCK, 2 * PACKETS, PACKETS + 1 },
		{ PACKETS, 2 * PACKETS + 1, BLOCK + 17, PACKETS, PACKETS },
		{ 1, 2, BLOCK, 1, 2 },
		{ 0, 2 * PACKETS, BLOCK, 0, PACKETS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		struct ring_books books;

		assert_true(keep(t[i].before));
		seam_cross(&ring);
		assert_true(keep(t[i].after));
		limit_files(t[i].room);
		blocks_finish(&ring);
		limit_files(RLIM_INFINITY);
		assert_int_equal(rings.seam.left, 0);
		assert_int_equal(ring.error, t[i].old + t[i].new < t[i].before + t[i].after ?
				 EFBIG : 0);
		expect_file(ring.old_file, &ring.old, t[i].old, t[i].before - t[i].old);
		books = ring_books(&ring);
		expect_file(ring.file, &books, t[i].new, t[i].after - t[i].new);
		tear_down(state);
		set_up(state);
	}
}

/* Before the end: who keeps packets is told, and what was kept is counted. */
static void a_full_disk_ends_the_keeping(void **state)
{
	(void)state;
	limit_files(0);
	assert_false(keep(100));
	blocks_finish(&ring);
	limit_files(RLIM_INFINITY);
	assert_int_equal(ring.error, EFBIG);
	assert_int_equal(ring.records, 0);
	assert_int_equal(ring.unwritten, 4 * PACKETS * FT_PACKET_RECORDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_full_disk_is_counted_in_each_part, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_full_disk_ends_the_keeping, set_up, tear_down),
	};

	signal(SIGXFSZ, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
