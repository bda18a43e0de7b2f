// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* FT_ENABLE_ORDERED: traces whose acquisitions read the clock in order. */
#include "api.h"

static int order(int control, __u32 id, __u32 flags)
{
	struct ft_enable arg = { .id = id, .flags = flags };

	return ioctl(control, FT_IOC_ENABLE, &arg);
}

static bool is_ordered(int control)
{
	return get_info(control).flags & FT_INFO_ORDERED;
}

/* The monotonic clock is always read in order. */
static void need_tsc(int control)
{
	if (get_info(control).clock != FT_CLOCK_TSC)
		skip("the clock is not the TSC");
}

static void expect_meta(const char *how)
{
	static char text[1 << 20];
	int fd = expect_ok(open(META, O_RDONLY));
	size_t length = 0;
	char expected[64];
	long bytes;

	while ((bytes = expect_ok(read(fd, text + length, sizeof(text) - 1 - length))))
		length += bytes;
	text[length] = 0;
	close(fd);
	snprintf(expected, sizeof(expected), "\tacquire_clock = \"%s\";\n", how);
	if (!strstr(text, expected))
		fail("not in the metadata: %s", expected);
}

/* Who starts a trace decides, and the trace's end is the end of it. */
static void test_start(void)
{
	int control = open_control();

	need_tsc(control);
	expect_ok(order(control, FT_ID_MARK, FT_ENABLE_ORDERED));
	expect(is_ordered(control));
	expect_meta("ordered");
	mark(control, 1, 1);
	disable(control);
	expect(is_ordered(control));
	expect_meta("ordered");

	enable(control);
	expect(!is_ordered(control));
	expect_meta("plain");
	disable(control);
}

static void test_join(void)
{
	int control = open_control(), other = open_control();

	need_tsc(control);
	expect_ok(order(control, FT_ID_MARK, FT_ENABLE_ORDERED));
	enable(other);
	expect_ok(order(other, FT_ID_MARK, FT_ENABLE_ORDERED));
	disable(control);
	expect(is_ordered(control));
	disable(other);
	disable(other);
	expect_eq(get_info(control).active, 0);
}

/* It would be ordered from here on only: a trace is so as a whole. */
static void test_late(void)
{
	int control = open_control(), other = open_control();

	need_tsc(control);
	enable(control);
	expect_error(order(other, FT_ID_MARK, FT_ENABLE_ORDERED), EALREADY);
	expect_error(order(control, FT_ID_MARK, FT_ENABLE_ORDERED), EALREADY);
	expect(!is_ordered(control));
	expect_eq(get_event(control, FT_ID_MARK).enabled, 1);
	disable(control);
	expect_ok(order(other, FT_ID_MARK, FT_ENABLE_ORDERED));
	expect(is_ordered(control));
}

/* How a trace began is nothing that disabling could take back. */
static void test_disable(void)
{
	struct ft_enable arg = { .id = FT_ID_MARK, .flags = FT_ENABLE_ORDERED };
	int control = open_control();

	expect_ok(order(control, FT_ID_MARK, FT_ENABLE_ORDERED));
	expect_error(ioctl(control, FT_IOC_DISABLE, &arg), EINVAL);
	disable(control);
	expect_eq(get_info(control).active, 0);
}

/* Its records are records. */
static void test_records(void)
{
	int control = open_control(), reader;
	struct packet packet;

	pin(the_cpu());
	expect_ok(order(control, FT_ID_MARK, FT_ENABLE_ORDERED));
	reader = open_cpu(O_RDONLY);
	mark(control, 7, 3);
	disable(control);
	expect_eq(read_packet(reader, &packet), 3);
	expect_marks(packet.records, 7, 3);
	expect(packet.records[0].ts);
}

static const struct api_test tests[] = {
	{ "who starts a trace decides for all of it", test_start },
	{ "others may join", test_join },
	{ "not in a trace that is plain", test_late },
	{ "FT_IOC_DISABLE does not know the flag", test_disable },
	{ "records as ever", test_records },
};

API_MAIN("api_ordered", tests)
