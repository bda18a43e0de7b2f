// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Call stacks: FT_IOC_STACKS, FT_IOC_STACKS_READ. The module ft_nested is loaded. */
#include "api.h"

#define NESTED	"/sys/module/ft_nested/parameters/run"

static const struct ft_stacks good = {
	.what = FT_STACKS_SECTIONS, .room = 64, .sections_ns = 1000,
};

/* Starts with events of spinlocks; skips where there are none. */
static int start_locks(void)
{
	__u32 ids[] = { FT_ID_ACQUIRE(FT_LOCK_SPIN), FT_ID_RELEASE(FT_LOCK_SPIN) };
	struct ft_set set = { .ids = (uintptr_t)ids, .count = ARRAY_SIZE(ids) };
	int control = configure(65536, WAKE_US);

	if (is_rt()) {
		ids[0] = FT_ID_ACQUIRE(FT_LOCK_RAW_SPIN);
		ids[1] = FT_ID_RELEASE(FT_LOCK_RAW_SPIN);
	}
	if (!has_event(ids[0]))
		skip("this kernel has no events of these locks");
	expect_ok(ioctl(control, FT_IOC_START, &set));
	return control;
}

static void stop_locks(int control)
{
	struct ft_detach detach = { .timeout_ms = TEST_SECONDS * 1000 };

	expect_ok(ioctl(control, FT_IOC_DISABLE_ALL));
	expect_ok(ioctl(control, FT_IOC_DETACH, &detach));
	close(control);
}

/* Checks all of them. Return: how many there are. */
static unsigned int read_all(int control, __u32 max, struct ft_stacks_read *read)
{
	static __u64 words[65536];
	__u32 from = 1, last = 0, depth, at;
	unsigned int count = 0;

	while (from) {
		*read = (struct ft_stacks_read){
			.buf = (uintptr_t)words, .max = max, .from = from,
		};
		expect_ok(ioctl(control, FT_IOC_STACKS_READ, read));
		expect(read->count <= max);
		for (at = 0; at < read->count; at += depth + 1, count++) {
			depth = words[at] >> 32;
			expect(depth && depth <= FT_STACKS_DEPTH);
			expect((__u32)words[at] > last);
			last = (__u32)words[at];
			/* of the kernel */
			expect(words[at + 1] >> 63);
		}
		expect_eq(at, read->count);
		expect(!read->from || read->from > from);
		from = read->from;
	}
	return count;
}

static void test_sections(void)
{
	int control = start_locks();
	struct ft_stacks stacks = good, other = good;
	struct ft_stacks_read read, again;
	unsigned int count;

	stacks.what |= FT_STACKS_WAITS;
	expect_ok(ioctl(control, FT_IOC_STACKS, &stacks));
	/* There are no events of waits. */
	expect_eq(stacks.what, FT_STACKS_SECTIONS);
	expect_error(ioctl(control, FT_IOC_STACKS, &other), EBUSY);
	fire(NESTED, 5);
	expect_ok(ioctl(control, FT_IOC_DISABLE_ALL));
	count = read_all(control, 65536, &read);
	expect(count >= 2 && count <= 64);
	expect(read.taken >= 10);
	/* The same in small pieces, and by others; and it stays after the trace. */
	expect_eq(read_all(open(CONTROL, O_RDONLY), FT_STACKS_DEPTH + 1, &again), count);
	expect_eq(again.taken, read.taken);
	stop_locks(control);
	control = open_control();
	read = (struct ft_stacks_read){ .buf = 1, .max = 64, .from = 1 };
	expect_error(ioctl(control, FT_IOC_STACKS_READ, &read), ENODATA);
}

/* The table is full: no more than it has room for, and the rest is counted. */
static void test_sampled(void)
{
	int control = start_locks();
	struct ft_stacks stacks = {
		.what = FT_STACKS_ACQUISITIONS, .room = FT_STACKS_ROOM_MIN, .one_in = 1,
	};
	struct ft_stacks_read read;
	unsigned int count;

	expect_ok(ioctl(control, FT_IOC_STACKS, &stacks));
	expect_eq(stacks.what, FT_STACKS_ACQUISITIONS);
	fire(NESTED, 20);
	expect_ok(ioctl(control, FT_IOC_DISABLE_ALL));
	count = read_all(control, 65536, &read);
	expect(count <= FT_STACKS_ROOM_MIN);
	expect(read.taken >= 40);
	expect(read.full + read.failed <= read.taken);
	/* Each that is there was recorded at least once. */
	expect(read.taken - read.full - read.failed >= count);
	stop_locks(control);
}

/* Of a sleep there is one where sched_switch is on; where it is not, there is none. */
static void test_sleeps(void)
{
	struct ft_stacks stacks = { .what = FT_STACKS_SLEEPS, .room = FT_STACKS_ROOM_MIN };
	struct ft_stacks_read read;
	struct ft_set set = { .count = 1 };
	int control = start(128), i;
	__u32 id;

	expect_error(ioctl(control, FT_IOC_STACKS, &stacks), ENOENT);
	close(control);
	control = configure(65536, WAKE_US);
	id = event_id(control, "sched_switch");
	set.ids = (uintptr_t)&id;
	expect_ok(ioctl(control, FT_IOC_START, &set));
	expect_ok(ioctl(control, FT_IOC_STACKS, &stacks));
	expect_eq(stacks.what, FT_STACKS_SLEEPS);
	for (i = 0; i < 20; i++)
		sleep_ms(1);
	expect(read_all(control, 65536, &read) > 0);
	expect(read.taken >= 20);
	/* The last descriptor goes with it while tasks sleep and wake up. */
	close(control);
	control = open_control();
	expect_error(ioctl(control, FT_IOC_STACKS, &stacks), ENODATA);
}

static void expect_refused(int control, struct ft_stacks bad)
{
	expect_error(ioctl(control, FT_IOC_STACKS, &bad), EINVAL);
}

static void test_refused(void)
{
	int control = open_control(), look = open(CONTROL, O_RDONLY);
	struct ft_stacks_read read = { .buf = 1, .max = 64, .from = 1 };
	struct ft_stacks stacks = good, bad;

	expect_error(ioctl(control, FT_IOC_STACKS, &stacks), ENODATA);
	expect_error(ioctl(look, FT_IOC_STACKS, &stacks), EBADF);
	expect_error(ioctl(control, FT_IOC_STACKS, nowhere()), EFAULT);
	expect_error(ioctl(control, FT_IOC_STACKS_READ, nowhere()), EFAULT);
	expect_error(ioctl(control, FT_IOC_STACKS_READ, &read), ENODATA);
	bad = good, bad.what = 0, expect_refused(control, bad);
	bad = good, bad.what |= 0x10, expect_refused(control, bad);
	bad = good, bad.room = 8, expect_refused(control, bad);
	bad = good, bad.room = 100, expect_refused(control, bad);
	bad = good, bad.room = 2 * FT_STACKS_ROOM_MAX, expect_refused(control, bad);
	bad = good, bad.sections_ns = (1ull << 60) + 1, expect_refused(control, bad);
	bad = good, bad.waits_ns = 1, expect_refused(control, bad);
	bad = good, bad.one_in = 1, expect_refused(control, bad);
	bad = good, bad.what = FT_STACKS_ACQUISITIONS, bad.sections_ns = 0;
	expect_refused(control, bad);
	bad = good, bad.reserved[2] = 1, expect_refused(control, bad);
	read.max = FT_STACKS_DEPTH;
	expect_error(ioctl(control, FT_IOC_STACKS_READ, &read), EINVAL);
	read = (struct ft_stacks_read){ .buf = 1, .max = 64, .reserved = { 0, 1 } };
	expect_error(ioctl(control, FT_IOC_STACKS_READ, &read), EINVAL);
	/* No event that they are of is on. */
	close(control);
	control = start(128);
	expect_error(ioctl(control, FT_IOC_STACKS, &stacks), ENOENT);
}

static void test_bad_buffer(void)
{
	int control = start_locks();
	struct ft_stacks_read read = { .buf = (uintptr_t)nowhere(), .max = 4096, .from = 1 };
	struct ft_stacks stacks = good;

	stacks.sections_ns = 0;
	expect_ok(ioctl(control, FT_IOC_STACKS, &stacks));
	fire(NESTED, 1);
	expect_error(ioctl(control, FT_IOC_STACKS_READ, &read), EFAULT);
	/* Its events go on without them. */
	close(control);
	control = open_control();
	stop_locks(control);
}

static const struct api_test tests[] = {
	{ "stacks of long sections", test_sections },
	{ "stacks of acquisitions, and no room", test_sampled },
	{ "stacks of sleeps", test_sleeps },
	{ "stacks that are refused", test_refused },
	{ "stacks: a bad buffer", test_bad_buffer },
};

API_MAIN("api_stacks", tests)
