// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * No memory: each allocation that a call makes fails once, one after the other. The
 * call fails with it or does without, and nothing is left behind; at last it succeeds.
 * Needs a kernel with fault injection (scripts/kernel/debug.config).
 */
#include "api.h"

#define WAITING		"/sys/kernel/debug/failslab/ignore-gfp-wait"
#define VERBOSE		"/sys/kernel/debug/failslab/verbose"
#define MAX_PLACES	5000

static int nth_fd;

static void write_setting(const char *path, const char *text)
{
	int fd = expect_ok(open(path, O_WRONLY));

	expect_ok(write(fd, text, strlen(text)));
	close(fd);
}

/* Also those that may wait for memory; and without a stack in the log for each. */
static void set_up(void)
{
	if (access("/proc/self/fail-nth", W_OK) || access(WAITING, W_OK))
		skip("this kernel injects no faults");
	alarm(4 * TEST_SECONDS);	/* many rounds, on a slow kernel */
	write_setting(WAITING, "N");
	write_setting(VERBOSE, "0");
	nth_fd = expect_ok(open("/proc/self/fail-nth", O_RDWR | O_CLOEXEC));
}

static void set_nth(unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	expect_eq(pwrite(nth_fd, text, len, 0), len);
}

/* Did it fail? Then its number is gone. */
static bool was_injected(void)
{
	char text[16] = "";

	expect_ok(pread(nth_fd, text, sizeof(text) - 1, 0));
	return !atoi(text);
}

/*
 * Call @op with the first, second, ... allocation failing, until there are no more.
 * @op returns 0 or -errno. Return: how many there were.
 */
static unsigned int each_place(int (*op)(void), void (*check)(int err))
{
	unsigned int n;
	bool injected;
	int err;

	for (n = 1; n < MAX_PLACES; n++) {
		set_nth(n);
		err = op();
		injected = was_injected();
		set_nth(0);
		if (err && err != -ENOMEM)
			fail("allocation %u failed: %s", n, strerror(-err));
		if (err && !injected)
			fail("-ENOMEM, but none of %u allocations failed", n);
		check(err);
		if (!injected)
			return n - 1;
	}
	fail("more than %u allocations", MAX_PLACES);
}

static int result(long ret)
{
	return ret < 0 ? -errno : 0;
}

static void nothing_is_on(int err)
{
	int control = open_control();

	(void)err;
	expect_eq(get_info(control).active, 0);
	expect_eq(get_event(control, FT_ID_MARK).enabled, 0);
	close(control);
}

/* --- a trace, from beginning to end ----------------------------------------- */

static int read_one(int control)
{
	struct ft_mark words = { 1, 2 };
	struct packet packet;
	int reader = open("/dev/ft_trace0", O_RDONLY), err;
	ssize_t bytes;

	if (reader < 0)
		return -errno;
	err = result(ioctl(control, FT_IOC_MARK, &words));
	if (!err) {
		bytes = read(reader, &packet, sizeof(packet));
		err = result(bytes);
		if (!err && bytes <= (ssize_t)sizeof(packet.header))
			fail("a trace that has begun has no record");
	}
	close(reader);
	return err;
}

static int trace_with(int control)
{
	int err = result(enable_flags(control, FT_IOC_ENABLE, FT_ID_MARK, 0));

	return err ? err : read_one(control);
}

static int trace(void)
{
	int control = open(CONTROL, O_RDWR), err;

	if (control < 0)
		return -errno;
	err = trace_with(control);
	close(control);
	return err;
}

static void test_trace(void)
{
	set_up();
	pin(0);
	expect(each_place(trace, nothing_is_on) >= 3);
}

/*
 * The first trace of a module makes the rings, and they stay: one place for each
 * time that the module is loaded. FT_PLACE says which.
 */
static void test_first(void)
{
	const char *place = getenv("FT_PLACE");
	int control, err;

	if (!place)
		skip("FT_PLACE is not set: see api.sh");
	set_up();
	pin(0);
	control = open_control();
	set_nth(atoi(place));
	err = trace_with(control);
	set_nth(0);
	expect(!err || err == -ENOMEM);
	close(control);
	nothing_is_on(err);
	expect_eq(trace(), 0);
}

/* --- rings of another size --------------------------------------------------- */

static __u32 slots_now(void)
{
	struct ft_config config;
	int control = open_control();

	expect_ok(ioctl(control, FT_IOC_GET_CONFIG, &config));
	close(control);
	return config.slots;
}

static int resize_to(__u32 slots)
{
	int control = open(CONTROL, O_RDWR), err;

	if (control < 0)
		return -errno;
	err = result(set_config(control, slots, WAKE_US));
	close(control);
	return err;
}

static int resize(void)
{
	return resize_to(4 * FT_SLOTS_MIN);
}

/* The old ones stay, and can be traced with. */
static void check_size(int err)
{
	expect_eq(slots_now(), err ? FT_SLOTS_MIN : 4 * FT_SLOTS_MIN);
	expect_eq(trace(), 0);
	expect_eq(resize_to(FT_SLOTS_MIN), 0);
}

static void test_resize(void)
{
	set_up();
	pin(0);
	expect_eq(resize_to(FT_SLOTS_MIN), 0);
	expect_eq(trace(), 0);
	expect(each_place(resize, check_size) >= 2);
}

/* --- a tracepoint ------------------------------------------------------------- */

/* One that the module does not make itself (typed.c). */
#define ITS_TRACEPOINT	"sched_process_wait"

static int make_tracepoint(void)
{
	struct ft_tracepoint point = { .name = ITS_TRACEPOINT };
	int control = open(CONTROL, O_RDWR), err;

	if (control < 0)
		return -errno;
	err = result(ioctl(control, FT_IOC_TRACEPOINT, &point));
	close(control);
	return err;
}

/* An allocation may fail that the kernel can do without: then it is made early. */
static bool made;

static void check_tracepoint(int err)
{
	struct ft_event_info event = { .id = 0 };
	int control = open_control();
	bool found = false;

	while (!ioctl(control, FT_IOC_EVENT, &event)) {
		found |= !strcmp(event.name, ITS_TRACEPOINT);
		event.id++;
	}
	close(control);
	made |= !err;
	expect_eq(found, made);
}

static void test_tracepoint(void)
{
	set_up();
	expect(each_place(make_tracepoint, check_tracepoint) >= 2);
}

/* --- what describes a trace ---------------------------------------------------- */

static int read_meta(void)
{
	int fd = open(META, O_RDONLY), err;
	char buf[4096];
	ssize_t n;

	if (fd < 0)
		return -errno;
	do {
		n = read(fd, buf, sizeof(buf));
	} while (n > 0);
	err = result(n);
	close(fd);
	return err;
}

static void test_meta(void)
{
	set_up();
	expect(each_place(read_meta, nothing_is_on) >= 2);
}

static const struct api_test tests[] = {
	{ "the first trace",	test_first },
	{ "a trace",		test_trace },
	{ "resizing",		test_resize },
	{ "a tracepoint",	test_tracepoint },
	{ "metadata",		test_meta },
};

API_MAIN("fail", tests)
