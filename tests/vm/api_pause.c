// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* FT_IOC_PAUSE and FT_IOC_RESUME. */
#include "api.h"

#define ROOM		(FT_SLOTS_MIN - 8)

static void pause_trace(int control)
{
	expect_ok(ioctl(control, FT_IOC_PAUSE));
}

static void resume_trace(int control)
{
	expect_ok(ioctl(control, FT_IOC_RESUME));
}

static void test_errors(void)
{
	int control = start(FT_SLOTS_MIN), other = open_control();

	expect_error(ioctl(control, FT_IOC_RESUME), EINVAL);
	pause_trace(control);
	expect_error(ioctl(control, FT_IOC_PAUSE), EBUSY);
	expect_error(ioctl(other, FT_IOC_RESUME), EINVAL);
	resume_trace(control);
	expect_error(ioctl(control, FT_IOC_RESUME), EINVAL);

	/* Errors changed nothing. */
	mark(control, 1, 1);
	expect_eq(cpu_stats().written, 1);
}

/* What it is made for: nothing is recorded before all is enabled. */
static void test_begin(void)
{
	int control = configure(FT_SLOTS_MIN, WAKE_US), reader;
	struct packet packet;

	pause_trace(control);
	enable(control);
	expect_eq(get_info(control).active, 1);
	mark(control, 1, 5);
	expect_eq(cpu_stats().written, 0);
	resume_trace(control);
	mark(control, 6, 3);
	disable(control);

	expect_eq(cpu_stats().lost, 0);
	reader = open_cpu(O_RDONLY);
	expect_eq(read_packet(reader, &packet), 3);
	expect_marks(packet.records, 6, 3);
	expect_end(reader);
}

static void test_within(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY | O_NONBLOCK);
	struct packet packet;
	__u8 gap;

	mark(control, 1, 2);
	pause_trace(control);
	mark(control, 3, 3);
	expect_eq(read(reader, &packet, 128), 128);
	expect_marks(packet.records, 1, 1);
	gap = packet.records[0].gap;
	expect_eq(read(reader, &packet, 128), 128);
	expect_marks(packet.records, 2, 1);
	/* It is not the end. */
	expect_error(read(reader, &packet, 128), EAGAIN);
	resume_trace(control);
	mark(control, 6, 2);
	disable(control);

	expect_eq(read_packet(reader, &packet), 2);
	expect_marks(packet.records, 6, 2);
	expect_eq(packet.header.discarded, 0);
	/* Nothing was lost, but something is missing there. */
	expect(packet.records[0].gap != gap);
	expect_eq(packet.records[1].gap, packet.records[0].gap);
	expect_end(reader);
	expect_eq(cpu_stats().written, 4);
	expect_eq(cpu_stats().lost, 0);
}

/* Losses before and after a pause are counted, those in it are none. */
static void test_losses(void)
{
	int control = start(FT_SLOTS_MIN);

	mark(control, 1, ROOM + 5);
	pause_trace(control);
	expect_eq(cpu_stats().lost, 5);
	mark(control, 1, 7);
	expect_eq(cpu_stats().lost, 5);
	resume_trace(control);
	expect_eq(cpu_stats().lost, 5);
	mark(control, 1, 2);
	expect_eq(cpu_stats().lost, 7);
	disable(control);
	expect_eq(cpu_stats().lost, 7);
	expect_eq(cpu_stats().written, ROOM);
}

static void test_several(void)
{
	int control = start(FT_SLOTS_MIN), one = open_control(), two = open_control();

	pause_trace(one);
	pause_trace(two);
	resume_trace(one);
	mark(control, 1, 1);
	expect_eq(cpu_stats().written, 0);
	/* It ends with its descriptor. */
	close(two);
	mark(control, 1, 1);
	expect_eq(cpu_stats().written, 1);
}

/* A pause is there without a trace, and outlives one. */
static void test_between(void)
{
	int control = start(FT_SLOTS_MIN), other = open_control();

	mark(control, 1, 1);
	pause_trace(other);
	expect_ok(ioctl(control, FT_IOC_DISABLE_ALL));
	expect_eq(get_info(control).active, 0);
	expect_eq(cpu_stats().written, 1);
	expect_eq(cpu_stats().lost, 0);
	enable(control);
	mark(control, 1, 4);
	expect_eq(cpu_stats().written, 0);
	resume_trace(other);
	mark(control, 1, 4);
	expect_eq(cpu_stats().written, 4);
	disable(control);

	/* One without a trace comes to nothing. */
	pause_trace(other);
	resume_trace(other);
	mark(control, 1, 4);
	enable(control);
	mark(control, 1, 2);
	expect_eq(cpu_stats().written, 2);
	expect_eq(cpu_stats().lost, 0);
}

static const struct api_test tests[] = {
	{ "errors", test_errors },
	{ "a trace that begins in a pause", test_begin },
	{ "a pause within a trace", test_within },
	{ "losses before, in and after a pause", test_losses },
	{ "pauses of several descriptors", test_several },
	{ "pauses and the end of traces", test_between },
};

API_MAIN("api_pause", tests)
