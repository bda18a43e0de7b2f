// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A mapped ring: FT_IOC_TAKE, FT_IOC_GIVE_BACK, and how long the module stays. */
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "api.h"

#define ROOM		(FT_SLOTS_MIN - 8)
#define SIZE		(FT_SLOTS_MIN * sizeof(struct ft_record))

/* --- the mapping ---------------------------------------------------------- */

static const void *map(int reader, size_t size)
{
	void *ring = mmap(NULL, size, PROT_READ, MAP_SHARED, reader, 0);

	if (ring == MAP_FAILED)
		fail("mmap: %s", strerror(errno));
	return ring;
}

static void test_read_only(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDWR);
	void *ring;

	expect_error(mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, reader, 0),
		     EPERM);
	expect_error(mmap(NULL, SIZE, PROT_WRITE, MAP_SHARED, reader, 0), EPERM);
	expect_error(mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE, reader, 0),
		     EPERM);
	ring = (void *)map(reader, SIZE);
	expect_error(mprotect(ring, SIZE, PROT_READ | PROT_WRITE), EACCES);
	ring = mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE, reader, 0);
	expect(ring != MAP_FAILED);
	expect_error(mprotect(ring, SIZE, PROT_READ | PROT_WRITE), EACCES);
	expect_eq(get_info(control).active, 1);
}

static void test_size(void)
{
	int control = start(1024), reader = open_cpu(O_RDONLY);
	const size_t size = 1024 * sizeof(struct ft_record);
	const char *ring;
	size_t i;

	expect_error(mmap(NULL, size + 1, PROT_READ, MAP_SHARED, reader, 0), EINVAL);
	expect_error(mmap(NULL, 2 * size, PROT_READ, MAP_SHARED, reader, 0), EINVAL);
	expect_error(mmap(NULL, 4096, PROT_READ, MAP_SHARED, reader, 4096), EINVAL);
	expect_error(mmap(NULL, 4096, PROT_READ, MAP_SHARED, reader, size), EINVAL);
	map(reader, 4096);

	/* All of it is there, and cannot be made longer. */
	ring = map(reader, size);
	for (i = 0; i < size; i += 4096)
		expect_eq(ring[i], 0);
	expect_error(mremap((void *)ring, size, 2 * size, MREMAP_MAYMOVE), EFAULT);
	expect_eq(get_info(control).active, 1);
}

/* --- taking --------------------------------------------------------------- */

static struct ft_range take(int reader, __u32 count)
{
	struct ft_range range = { .offset = ~0ull, .count = count };

	expect_ok(ioctl(reader, FT_IOC_TAKE, &range));
	return range;
}

static int give_back(int reader, __u32 count)
{
	struct ft_range range = { .count = count };

	return ioctl(reader, FT_IOC_GIVE_BACK, &range);
}

static const struct ft_record *at(const void *ring, struct ft_range range)
{
	expect_eq(range.offset % sizeof(struct ft_record), 0);
	return (const void *)((const char *)ring + range.offset);
}

static void test_errors(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY);
	struct ft_range range = { .count = 1, .reserved = 1 };

	mark(control, 1, 5);
	expect_error(ioctl(reader, FT_IOC_TAKE, &range), EINVAL);
	expect_error(ioctl(reader, FT_IOC_GIVE_BACK, &range), EINVAL);
	range.count = 0;
	range.reserved = 0;
	expect_error(ioctl(reader, FT_IOC_TAKE, &range), EINVAL);
	expect_error(ioctl(reader, FT_IOC_GIVE_BACK, &range), EINVAL);

	/* Only what was taken can be given back. */
	expect_error(give_back(reader, 1), EINVAL);
	expect_eq(take(reader, 3).count, 3);
	expect_error(give_back(reader, 4), EINVAL);
	expect_error(give_back(reader, 0xffffffff), EINVAL);
	expect_ok(give_back(reader, 3));
	expect_error(give_back(reader, 1), EINVAL);
	expect_eq(cpu_stats().read, 3);
}

static void test_take(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY);
	const void *ring = map(reader, SIZE);
	struct ft_range range, again;

	expect_eq(take(reader, 10).count, 0);
	mark(control, 1, 20);
	range = take(reader, 10);
	expect_eq(range.count, 10);
	expect_marks(at(ring, range), 1, 10);

	/* Again: the same, or more of it. */
	again = take(reader, 10);
	expect_eq(again.offset, range.offset);
	expect_eq(again.count, 10);
	again = take(reader, 3);
	expect_eq(again.offset, range.offset);
	expect(again.count >= 3 && again.count <= 20);
	again = take(reader, 1000);
	expect_eq(again.offset, range.offset);
	expect_eq(again.count, 20);
	expect_marks(at(ring, again), 1, 20);
	expect_eq(cpu_stats().read, 0);

	/* In parts. */
	expect_ok(give_back(reader, 5));
	expect_eq(cpu_stats().read, 5);
	again = take(reader, 1000);
	expect_eq(again.count, 15);
	expect_eq(again.offset, range.offset + 5 * sizeof(struct ft_record));
	expect_marks(at(ring, again), 6, 15);
	expect_ok(give_back(reader, 14));
	expect_ok(give_back(reader, 1));
	expect_eq(take(reader, 1000).count, 0);
	expect_eq(cpu_stats().read, 20);
}

/* Writers go on while records are out, and do not touch them. */
static void test_filling(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY);
	const void *ring = map(reader, SIZE);
	struct ft_range range;

	mark(control, 1, 50);
	range = take(reader, 50);
	expect_eq(range.count, 50);
	mark(control, 51, 100);
	expect_eq(cpu_stats().written, ROOM);
	expect_eq(cpu_stats().lost, 150 - ROOM);
	expect_marks(at(ring, range), 1, 50);
	expect_ok(give_back(reader, 50));
	mark(control, 200, 60);
	expect_eq(cpu_stats().written, ROOM + 50);
}

/* What is taken is contiguous: at the ring's end it stops. */
static void test_wrap(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY);
	const void *ring = map(reader, SIZE);
	bool wrapped = false;
	struct ft_range range;
	__u64 next = 1;
	unsigned int i, left;

	for (i = 0; i < 30; i++) {
		mark(control, next, 100);
		for (left = 100; left; left -= range.count) {
			range = take(reader, 1000);
			expect(range.count >= 1 && range.count <= left);
			expect(range.offset + range.count * 32ull <= SIZE);
			expect_marks(at(ring, range), next, range.count);
			if (range.count < left) {
				expect_eq(range.offset + range.count * 32ull, SIZE);
				wrapped = true;
			}
			expect_ok(give_back(reader, range.count));
			next += range.count;
		}
	}
	expect(wrapped);
	expect_eq(cpu_stats().lost, 0);
}

/* Records that are out cannot be read, too. */
static void test_busy(void)
{
	struct ft_record record;
	struct ft_slots slots = { .buf = (uintptr_t)&record, .max = 1 };
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY);
	struct packet packet;

	mark(control, 1, 10);
	expect_eq(take(reader, 2).count, 2);
	expect_error(read(reader, &packet, sizeof(packet)), EBUSY);
	expect_error(ioctl(reader, FT_IOC_READ_SLOTS, &slots), EBUSY);
	expect_ok(give_back(reader, 1));
	expect_error(read(reader, &packet, sizeof(packet)), EBUSY);
	expect_ok(give_back(reader, 1));
	expect_eq(read_packet(reader, &packet), 8);
	expect_marks(packet.records, 3, 8);

	/* Those that were never given back are for the next reader. */
	mark(control, 11, 3);
	expect_eq(take(reader, 3).count, 3);
	close(reader);
	reader = open_cpu(O_RDONLY);
	expect_eq(read_packet(reader, &packet), 3);
	expect_marks(packet.records, 11, 3);
}

static void test_poll(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY);
	struct pollfd pollfd = { .fd = reader, .events = POLLIN };
	pid_t pid = fork();

	if (!pid) {
		sleep_ms(100);
		mark(control, 1, 1);
		_exit(EXIT_SUCCESS);
	}
	expect_eq(take(reader, 1).count, 0);
	expect_eq(poll(&pollfd, 1, -1), 1);
	expect_eq(pollfd.revents, POLLIN);
	join(pid);
	expect_eq(take(reader, 1).count, 1);
	disable(control);
	expect_eq(poll(&pollfd, 1, 0), 1);
	expect(!(pollfd.revents & POLLHUP));
	expect_ok(give_back(reader, 1));
	expect_eq(take(reader, 1).count, 0);
	expect_eq(poll(&pollfd, 1, 0), 1);
	expect(pollfd.revents & POLLHUP);
}

/* When the next trace begins, the ring is emptied under the reader. */
static void test_next_trace(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY);
	const void *ring = map(reader, SIZE);
	struct ft_range range;

	mark(control, 1, 10);
	expect_eq(take(reader, 10).count, 10);
	disable(control);
	expect_ok(give_back(reader, 2));
	enable(control);
	mark(control, 100, 10);
	expect_error(give_back(reader, 1), EINVAL);
	expect_eq(take(reader, 10).count, 0);
	expect_eq(cpu_stats().read, 0);
	close(reader);
	reader = open_cpu(O_WRONLY);
	/* The mapping keeps the first descriptor open. */
	expect_error(try_open_cpu(the_cpu(), O_RDONLY), EBUSY);
	munmap((void *)ring, SIZE);
	reader = open_cpu(O_RDONLY);
	ring = map(reader, SIZE);
	range = take(reader, 10);
	expect_eq(range.count, 10);
	expect_marks(at(ring, range), 100, 10);
}

/* --- the module ----------------------------------------------------------- */

/* Would succeed, and spoil all further tests, if the module might go. */
static void expect_in_use(void)
{
	expect_error(syscall(SYS_delete_module, "feather_trace", O_NONBLOCK),
		     EWOULDBLOCK);
}

static void test_module(void)
{
	int control = start(FT_SLOTS_MIN), fd;
	unsigned int i, records = 0;
	const struct ft_record *ring;

	expect_in_use();
	mark(control, 1, 3);
	fd = open_cpu(O_RDONLY);
	ring = map(fd, SIZE);
	disable(control);
	close(control);
	expect_in_use();
	close(fd);
	expect_in_use();
	for (i = 0; i < FT_SLOTS_MIN; i++)
		records += ring[i].id == FT_ID_MARK;
	expect_eq(records, 3);
	munmap((void *)ring, SIZE);

	fd = open_cpu(O_WRONLY);
	expect_in_use();
	close(fd);
	fd = expect_ok(open(META, O_RDONLY));
	expect_in_use();
}

static const struct api_test tests[] = {
	{ "a mapping is for reading only", test_read_only },
	{ "size and offset of a mapping", test_size },
	{ "TAKE and GIVE_BACK refuse bad input", test_errors },
	{ "what is taken is in the mapping", test_take },
	{ "the ring goes on while records are out", test_filling },
	{ "what is taken is contiguous", test_wrap },
	{ "reading while records are out: EBUSY", test_busy },
	{ "poll() with TAKE", test_poll },
	{ "records that are out when the next trace begins", test_next_trace },
	{ "the module stays while anything is open or mapped", test_module },
};

API_MAIN("api_map", tests)
