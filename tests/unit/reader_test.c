// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * From a ring into files: userspace/record/kernel/reader.c. The device is a file in memory,
 * whose pages are the ring's slots, and an ioctl() of this test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <feather_trace/ring.h>
#include <linux/feather_trace.h>

#include "base/array.h"
#include "packed/pack.h"
#include "record/compress/compress.h"
#include "record/kernel/reader.h"
#include "record/kernel/rings.h"
#include "record/kernel/seam.h"

#define SLOTS	4096u
#define HEADER	sizeof(struct ft_packet_header)
#define RECORD	sizeof(struct ft_record)
#define FULL	((unsigned int)FT_PACKET_RECORDS)

static struct {
	struct ft_ring ring;
	uint64_t start, read, lost, next;
	bool other_trace;	/* has begun: nothing can be given back */
	const void *last;	/* packets that read() returns when all was taken */
	size_t last_len;
	unsigned int looks, waits, looks_max;
	int fd, control;
} device;

static struct rings rings;
static struct ring ring;
static struct ft_info info = { .clock_hz = 1000, .trace = 5, .uuid = "a trace" };
static int files[1];

static long device_stats(struct ft_stats *stats)
{
	if (++device.looks == device.looks_max)
		rings.stop = RINGS_ABORT;
	*stats = (struct ft_stats){
		.written = (device.ring.w - device.start) / RECORD,
		.read = device.read, .lost = device.lost, .slots = SLOTS,
	};
	return 0;
}

static long device_take(struct ft_range *range)
{
	uint32_t rest;

	range->offset = device.ring.r & device.ring.mask;
	rest = (uint32_t)(SLOTS - range->offset / RECORD);
	range->count = ft_ring_ready(&device.ring, range->count < rest ? range->count : rest);
	return 0;
}

static long device_give_back(const struct ft_range *range)
{
	if (device.other_trace) {
		device.start = device.ring.w;
		device.read = 0;
		errno = EINVAL;
		return -1;
	}
	ft_ring_release(&device.ring, range->count);
	device.read += range->count;
	return 0;
}

/* Nothing, until all was taken; then the last packet. */
ssize_t read(int fd, void *buf, size_t len)
{
	const void *last = device.last;

	assert_int_equal(fd, device.fd);
	if (device.ring.w != device.ring.r) {
		errno = EAGAIN;
		return -1;
	}
	device.last = NULL;
	if (!last)
		return 0;
	assert_true(len >= device.last_len);
	memcpy(buf, last, device.last_len);
	return (ssize_t)device.last_len;
}

int ppoll(struct pollfd *pfd, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
	(void)pfd;
	(void)n;
	(void)timeout;
	(void)mask;
	device.waits++;
	return 0;
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list list;
	void *arg;

	va_start(list, request);
	arg = va_arg(list, void *);
	va_end(list);
	if (request == FT_IOC_INFO) {
		assert_int_equal(fd, device.control);
		*(struct ft_info *)arg = (struct ft_info){ .trace = 5 + device.other_trace };
		return 0;
	}
	assert_int_equal(fd, device.fd);
	switch (request) {
	case FT_IOC_STATS:
		return (int)device_stats(arg);
	case FT_IOC_TAKE:
		return (int)device_take(arg);
	default:
		assert_int_equal(request, FT_IOC_GIVE_BACK);
		return (int)device_give_back(arg);
	}
}

static int file_new(void)
{
	int fd = memfd_create("file", MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static int set_up(void **state)
{
	struct ft_record *slots;

	(void)state;
	memset(&device, 0, sizeof(device));
	memset(&rings, 0, sizeof(rings));
	memset(&ring, 0, sizeof(ring));
	device.fd = file_new();
	device.control = file_new();
	device.last_len = HEADER;
	assert_int_equal(ftruncate(device.fd, SLOTS * RECORD), 0);
	slots = mmap(NULL, SLOTS * RECORD, PROT_READ | PROT_WRITE, MAP_SHARED, device.fd, 0);
	assert_ptr_not_equal(slots, MAP_FAILED);
	ft_ring_init(&device.ring, slots, SLOTS);
	ft_ring_open(&device.ring);
	device.start = device.ring.w;

	rings.ring = &ring;
	rings.n = 1;
	rings.info = &info;
	rings.enough = UINT64_MAX;
	rings.wake_us = 1000;
	rings.stop_fd = rings.event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	rings.stop = RINGS_DRAIN;
	rings.running = 1;
	rings.seam.file = files;
	ring.rings = &rings;
	ring.fd = device.fd;
	ring.cpu = 0;
	ring.file = file_new();
	ring.batch = reader_batch_new();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	munmap(device.ring.slots, SLOTS * RECORD);
	if (ring.map)
		munmap((void *)ring.map, ring.ring_bytes);
	free(ring.batch);
	free(ring.where);
	close(device.fd);
	close(device.control);
	if (ring.file >= 0)
		close(ring.file);
	close(rings.stop_fd);
	return 0;
}

/* Records of times 1, 2, 3, ... */
static void record(unsigned int n)
{
	while (n--) {
		uint32_t word = FT_RING_ID(7);
		struct ft_record *slot = ft_ring_reserve(&device.ring, &word);

		assert_non_null(slot);
		slot->ts = slot->a = ++device.next;
		ft_ring_commit(slot, word);
	}
}

/* The file has @n records from @ts on, in packets that count from 0. */
static void expect_file(int fd, uint64_t ts, unsigned int n, uint64_t lost)
{
	off_t len = lseek(fd, 0, SEEK_END), at = 0;
	struct ft_packet_header h;
	struct ft_record r;
	uint64_t packets = 0;

	while (at < len) {
		assert_int_equal(pread(fd, &h, HEADER, at), HEADER);
		assert_int_equal(h.magic, FT_PACKET_MAGIC);
		assert_memory_equal(h.uuid, info.uuid, sizeof(h.uuid));
		assert_int_equal(h.clock_hz, 1000);
		assert_int_equal(h.seq, packets++);
		assert_int_equal(h.discarded, lost);
		assert_int_equal(h.packet_bits, h.content_bits);
		assert_true(h.packet_bits / 8 <= FT_PACKET_MAX);
		assert_int_equal(h.ts_begin, n ? ts : ts - 1);
		for (at += HEADER; at < len && h.packet_bits > 8 * HEADER;
		     h.packet_bits -= 8 * RECORD, at += RECORD, n--) {
			assert_int_equal(pread(fd, &r, RECORD, at), RECORD);
			assert_int_equal(r.id, 7);
			assert_int_equal(r.ts, ts);
			assert_int_equal(r.a, ts++);
		}
		assert_int_equal(h.ts_end, ts - 1);
	}
	assert_int_equal(at, len);
	assert_int_equal(n, 0);
}

static void expect_books(uint64_t records, uint64_t lost, uint64_t unwritten)
{
	assert_int_equal(ring.records, records);
	assert_int_equal(ring.lost, lost);
	assert_int_equal(ring.unwritten, unwritten);
	assert_int_equal(lseek(ring.file, 0, SEEK_END), ring_books(&ring).bytes);
}

/* Also round the ring's end, and with a packet that is not full. */
static void all_records_reach_the_file(void **state)
{
	(void)state;
	record(SLOTS / 2);
	reader_thread(&ring);
	expect_file(ring.file, 1, SLOTS / 2, 0);
	device.lost = 3;
	record(SLOTS - FT_RING_RESERVE);
	ring.file = (close(ring.file), file_new());
	ring_begin_file(&ring);
	ring.packets.from = ring.packets.next;
	reader_thread(&ring);
	expect_file(ring.file, SLOTS / 2 + 1, SLOTS - FT_RING_RESERVE, 3);
	expect_books(SLOTS / 2 + SLOTS - FT_RING_RESERVE, 3, 0);
	assert_int_equal(ring.error, 0);
}

static void a_trace_without_records_has_no_packet(void **state)
{
	(void)state;
	reader_thread(&ring);
	expect_books(0, 0, 0);
	assert_int_equal(ring.error, 0);
}

/* What was lost last has a packet of its own, which the device makes. */
static void the_last_losses_are_told(void **state)
{
	struct ft_packet_header h = {
		.magic = FT_PACKET_MAGIC, .seq = 9, .discarded = 4,
		.packet_bits = 8 * HEADER, .content_bits = 8 * HEADER,
	};
	(void)state;
	record(10);
	device.last = &h;
	reader_thread(&ring);
	expect_books(10, 4, 0);
	assert_int_equal(ring_books(&ring).bytes, 2 * HEADER + 10 * RECORD);
	assert_int_equal(pread(ring.file, &h, HEADER, HEADER + 10 * RECORD), HEADER);
	assert_int_equal(h.seq, 1);
	assert_int_equal(h.discarded, 4);
	assert_int_equal(h.ts_begin, 10);
	assert_int_equal(h.ts_end, 10);
}

/* A CPU without records: the packet says when. And none of several packets is mistaken. */
static void packets_of_the_device_are_told_apart(void **state)
{
	struct {
		struct ft_packet_header header;
		struct ft_record record;
	} two[2] = { 0 };

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		two[i].header.magic = FT_PACKET_MAGIC;
		two[i].header.packet_bits = two[i].header.content_bits = 8 * sizeof(two[0]);
		two[i].record = (struct ft_record){ .id = 7, .ts = i + 1, .a = i + 1 };
	}
	device.last = two;
	device.last_len = sizeof(two);
	reader_thread(&ring);
	expect_file(ring.file, 1, 2, 0);
	expect_books(2, 0, 0);
	assert_int_equal(ring_books(&ring).bytes, sizeof(two));
}

static void losses_without_records_have_a_time(void **state)
{
	struct ft_packet_header h = {
		.magic = FT_PACKET_MAGIC, .discarded = 4, .ts_begin = 9, .ts_end = 9,
		.packet_bits = 8 * HEADER, .content_bits = 8 * HEADER,
	};

	(void)state;
	device.last = &h;
	reader_thread(&ring);
	expect_file(ring.file, 10, 0, 4);
	expect_books(0, 4, 0);
}

/* A full ring whose first record its writer has not finished. */
static void what_is_not_ready_is_waited_for(void **state)
{
	uint32_t word = FT_RING_ID(7);

	(void)state;
	assert_non_null(ft_ring_reserve(&device.ring, &word));
	record(SLOTS / 2);
	rings.stop = RINGS_RUN;
	device.looks_max = 10;
	reader_thread(&ring);
	assert_true(device.waits >= device.looks - 1);
	expect_books(0, 0, 0);
}

/*
 * A record that its writer never publishes: rings that come to theirs when all writers have had
 * their time, as after many others, wait no more. Before that they do.
 */
static void what_never_is_ready_is_waited_for_once(void **state)
{
	uint32_t word = FT_RING_ID(7);

	(void)state;
	record(10);
	assert_non_null(ft_ring_reserve(&device.ring, &word));
	rings_stop(&rings, RINGS_DRAIN);
	device.looks_max = 50;
	reader_thread(&ring);
	assert_int_equal(rings.stop, RINGS_ABORT);
	rings_stop(&rings, RINGS_DRAIN);
	rings.patience = 0;
	device.looks = 0;
	reader_thread(&ring);
	assert_int_equal(rings.stop, RINGS_DRAIN);
	expect_books(10, 0, 0);
}

static void a_seam_splits_by_time(void **state)
{
	const unsigned int before[] = { 0, 1, FULL, FULL + 17, 400, 401 };

	for (size_t i = 0; i < ARRAY_SIZE(before); i++) {
		files[0] = file_new();
		rings.seam.at = before[i] + 1;
		rings.seam.left = 1;
		rings.seams = 1;
		record(400);
		reader_thread(&ring);
		expect_file(ring.old_file, 1, before[i] < 400 ? before[i] : 400, 0);
		if (before[i] < 400)
			expect_file(ring.file, before[i] + 1, 400 - before[i], 0);
		assert_int_equal(ring.old.records + ring_books(&ring).records, 400);
		assert_int_equal(rings.seam.left, 0);
		close(ring.old_file);
		tear_down(state);
		set_up(state);
	}
}

/* One that has a limit. */
static void file_on_disk(void)
{
	char path[] = "/tmp/reader_test.XXXXXX";

	close(ring.file);
	ring.file = mkstemp(path);
	assert_true(ring.file >= 0);
	unlink(path);
}

/* The file ends with its last whole packet, wherever the room ended. */
static void a_full_disk_leaves_whole_packets(void **state)
{
	const struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };
	const size_t packet = HEADER + FULL * RECORD;
	const size_t room[] = { 0, 1, HEADER, packet - 1, packet, packet + 1, 2 * packet + 40,
				2 * packet + HEADER + 49 * RECORD };

	for (size_t i = 0; i < ARRAY_SIZE(room); i++) {
		struct rlimit limit = { room[i], RLIM_INFINITY };
		unsigned int whole = (unsigned int)(room[i] / packet) * FULL;

		file_on_disk();
		record(2 * FULL + 50);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
		reader_thread(&ring);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
		assert_int_equal(ring.error, EFBIG);
		assert_string_equal(ring.doing, "writing");
		expect_file(ring.file, 1, whole, 0);
		expect_books(whole, 0, 2 * FULL + 50 - whole);
		tear_down(state);
		set_up(state);
	}
}

/* What is behind a seam is missing in the new file's books. */
static void a_full_disk_at_a_seam_is_counted_by_file(void **state)
{
	const struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };
	const struct rlimit full = { HEADER + FULL * RECORD, RLIM_INFINITY };

	(void)state;
	file_on_disk();
	files[0] = file_new();
	record(2 * FULL + 50);
	rings.seam.at = 2 * FULL + 1;
	rings.seam.left = 1;
	rings.seams = 1;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
	reader_thread(&ring);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	assert_int_equal(ring.error, EFBIG);
	assert_int_equal(ring.old.records, FULL);
	assert_int_equal(ring.old.unwritten, FULL);
	assert_int_equal(ring_books(&ring).unwritten, 50);
	close(ring.old_file);
}

/* The compressing thread stands still while this is set. */
static _Atomic bool packing_stands;

size_t __real_packer_block(struct packer *p, const void *raw, size_t len, uint64_t at, void *out);
size_t __wrap_packer_block(struct packer *p, const void *raw, size_t len, uint64_t at, void *out);

size_t __wrap_packer_block(struct packer *p, const void *raw, size_t len, uint64_t at, void *out)
{
	while (packing_stands)
		usleep(1000);
	return __real_packer_block(p, raw, len, at, out);
}

static void compress_slowly(unsigned int cpus)
{
	packing_stands = true;
	rings.compress = compress_start(1, cpus, cpus);
	assert_non_null(rings.compress);
	ring.stream = compress_open(rings.compress, 0);
	assert_non_null(ring.stream);
}

static void compress_end(void)
{
	packing_stands = false;
	compress_stop(rings.compress);
}

/* Nothing comes after it, and no block of the old file gets packed: it is crossed in the end. */
static void a_seam_waits_for_no_packing(void **state)
{
	pthread_t thread;

	(void)state;
	compress_slowly(1);
	files[0] = file_new();
	record(400);
	rings.seam.at = 301;
	rings.seam.left = 1;
	rings.seams = 1;
	rings.stop = RINGS_RUN;
	assert_int_equal(pthread_create(&thread, NULL, reader_thread, &ring), 0);
	for (unsigned int ms = 0; rings.seam.left && ms < 20000; ms++)
		usleep(1000);
	assert_int_equal(rings.seam.left, 0);
	rings.stop = RINGS_DRAIN;
	pthread_join(thread, NULL);
	assert_int_equal(ring.old.records, 300);
	assert_int_equal(ring_books(&ring).records, 100);
	close(ring.old_file);
	compress_end();
}

/* A seam fills the last slot, and writing the first fails: nothing is taken for written. */
static void a_seam_on_a_full_disk_is_counted(void **state)
{
	const struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };
	const struct rlimit full = { 0, RLIM_INFINITY };
	const unsigned int before = 12 * FULL + 10;	/* three blocks of 16 KiB, and one begun */

	(void)state;
	compress_slowly(1024);
	file_on_disk();
	files[0] = file_new();
	record(before + 40);
	rings.seam.at = before + 1;
	rings.seam.left = 1;
	rings.seams = 1;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
	reader_thread(&ring);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	assert_int_equal(ring.error, EFBIG);
	assert_int_equal(ring.records, 0);
	assert_int_equal(ring.old.unwritten, before);
	assert_int_equal(ring_books(&ring).unwritten, 40);
	close(ring.old_file);
	compress_end();
}

static void *nothing(void *arg)
{
	return arg;
}

/* It may have overwritten what was written: the file has nothing of it. */
static void another_trace_voids_what_was_taken(void **state)
{
	(void)state;
	record(100);
	device.other_trace = true;
	reader_thread(&ring);
	expect_file(ring.file, 1, 0, 0);
	expect_books(0, 0, 100);
	assert_int_equal(ring.error, 0);
}

/* Losses that the ring has counted after the last packet are ours; those of another trace not. */
static void losses_of_another_trace_are_not_ours(void **state)
{
	struct record_dir none = { .path = "", .fd = -1 };

	for (int other = 0; other < 2; other++) {
		record(100);
		device.other_trace = other;
		reader_thread(&ring);
		device.lost = 7;
		ring.dir = &none;
		ring.open = ring.started = true;
		assert_int_equal(pthread_create(&ring.thread, NULL, nothing, NULL), 0);
		assert_true(rings_finish(&rings, device.control));
		assert_int_equal(rings.replaced, other);
		assert_int_equal(ring.lost, other ? 0 : 7);
		tear_down(state);
		set_up(state);
	}
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(all_records_reach_the_file),
		TEST(a_trace_without_records_has_no_packet),
		TEST(the_last_losses_are_told),
		TEST(packets_of_the_device_are_told_apart),
		TEST(losses_without_records_have_a_time),
		TEST(what_is_not_ready_is_waited_for),
		TEST(what_never_is_ready_is_waited_for_once),
		TEST(a_seam_splits_by_time),
		TEST(a_full_disk_leaves_whole_packets),
		TEST(a_full_disk_at_a_seam_is_counted_by_file),
		TEST(a_seam_waits_for_no_packing),
		TEST(a_seam_on_a_full_disk_is_counted),
		TEST(another_trace_voids_what_was_taken),
		TEST(losses_of_another_trace_are_not_ours),
	};

	signal(SIGXFSZ, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
