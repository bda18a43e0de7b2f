// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A module that has just been loaded: there was no trace yet, and rings have no
 * memory. Run it once after each load; its tests build on each other.
 */
#include <sys/mman.h>

#include "api.h"

static void test_info(void)
{
	struct ft_info info = get_info(open_control());

	expect_eq(info.trace, 0);
	expect_eq(info.active, 0);
	expect(info.clock_hz > 0);
}

static void test_stats(void)
{
	struct ft_stats stats = cpu_stats();

	expect_eq(stats.slots, 0);
	expect_eq(stats.written, 0);
	expect_eq(stats.read, 0);
	expect_eq(stats.lost, 0);
	expect_eq(stats.backsteps, 0);
	expect_eq(stats.online, 1);
}

static void test_read(void)
{
	struct ft_record record;
	struct ft_slots slots = { .buf = (uintptr_t)&record, .max = 1, .count = 9 };
	int reader = open_cpu(O_RDONLY);

	expect_end(reader);
	expect_ok(ioctl(reader, FT_IOC_READ_SLOTS, &slots));
	expect_eq(slots.count, 0);
	expect_end(reader);
}

static void test_take(void)
{
	struct ft_range range = { .count = 1 };
	int reader = open_cpu(O_RDONLY);

	expect_ok(ioctl(reader, FT_IOC_TAKE, &range));
	expect_eq(range.count, 0);
	range.count = 1;
	expect_error(ioctl(reader, FT_IOC_GIVE_BACK, &range), EINVAL);
}

static void test_map(void)
{
	int reader = open_cpu(O_RDONLY);

	expect_error(mmap(NULL, 4096, PROT_READ, MAP_SHARED, reader, 0), ENODATA);
}

/* Without rings there is nothing to resize, so it costs nothing. */
static void test_config(void)
{
	int control = open_control();

	expect_ok(set_config(control, FT_SLOTS_MAX, WAKE_US));
	expect_ok(set_config(control, FT_SLOTS_MIN, WAKE_US));
	expect_eq(cpu_stats().slots, 0);
}

/* Descriptors that were there first see the first trace. */
static void test_first_trace(void)
{
	int reader = open_cpu(O_RDONLY), control = open_control();
	struct packet packet;
	struct ft_info info;

	pin(the_cpu());
	enable(control);
	info = get_info(control);
	expect_eq(info.trace, 1);
	expect_eq(info.active, 1);
	expect_eq(cpu_stats().slots, FT_SLOTS_MIN);
	mark(control, 1, 3);
	expect_eq(read_packet(reader, &packet), 3);
	expect_marks(packet.records, 1, 3);
}

static const struct api_test tests[] = {
	{ "FT_IOC_INFO before the first trace", test_info },
	{ "FT_IOC_STATS before the first trace", test_stats },
	{ "reading before the first trace: the end", test_read },
	{ "TAKE before the first trace: none", test_take },
	{ "mmap of a ring without memory: ENODATA", test_map },
	{ "FT_IOC_SET_CONFIG before the first trace", test_config },
	{ "the first trace is for who was there before", test_first_trace },
};

API_MAIN("api_fresh", tests)
