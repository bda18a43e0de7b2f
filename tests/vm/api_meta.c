// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* /dev/ft_trace_meta: that its text fits the trace. by-hand.sh parses it. */
#include "api.h"

static char text[1 << 20];

/* Read it all, @step bytes at a time. Return: its length. */
static size_t read_meta(int fd, char *buf, size_t step)
{
	size_t length = 0;
	long bytes;

	while ((bytes = expect_ok(read(fd, buf + length, step)))) {
		length += bytes;
		expect(length + step < sizeof(text));
	}
	buf[length] = 0;
	expect_eq(strlen(buf), length);
	return length;
}

static void read_text(size_t step)
{
	int fd = expect_ok(open(META, O_RDONLY));

	expect(read_meta(fd, text, step) > 1000);
	close(fd);
}

/* The number behind @key. */
static unsigned long long number(const char *key)
{
	unsigned long long value;
	char what[64], *at;

	snprintf(what, sizeof(what), "\t%s = ", key);
	at = strstr(text, what);
	if (!at || sscanf(at + strlen(what), "%llu;", &value) != 1)
		fail("%s is not in the text", key);
	return value;
}

static void test_small_reads(void)
{
	static char again[sizeof(text)];
	size_t length;
	int fd = expect_ok(open(META, O_RDONLY));

	length = read_meta(fd, again, 7);
	read_text(65536);
	expect_eq(strlen(text), length);
	expect(!memcmp(text, again, length));
	expect(!strncmp(text, "/* CTF 1.8 */\n", 14));
}

static void expect_uuid(const struct ft_info *info)
{
	char uuid[64];
	const __u8 *u = info->uuid;

	snprintf(uuid, sizeof(uuid),
		 "uuid = \"%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x\";",
		 u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9],
		 u[10], u[11], u[12], u[13], u[14], u[15]);
	if (!strstr(text, uuid))
		fail("no %s", uuid);
}

static void test_uuid(void)
{
	int control = open_control();
	struct ft_info info;
	int i;

	for (i = 0; i < 3; i++) {
		enable(control);
		info = get_info(control);
		read_text(4096);
		expect_uuid(&info);
		disable(control);
		read_text(4096);
		expect_uuid(&info);
	}
}

static void test_events(void)
{
	struct ft_event_info event = { 0 };
	int control = open_control();
	char expected[512];
	__u32 id;

	read_text(4096);
	while (!ioctl(control, FT_IOC_EVENT, &event)) {
		snprintf(expected, sizeof(expected),
			 "event {\n"
			 "\tid = %u; name = \"%s\"; stream_id = 0;\n"
			 "\tfields := struct { word_t _%s; word_t _%s; };\n"
			 "};\n",
			 event.id, event.name, event.field[0], event.field[1]);
		if (!strstr(text, expected))
			fail("not in the text: %s", expected);
		id = event.id;
		memset(&event, 0, sizeof(event));
		event.id = id + 1;
	}
	expect_eq(errno, ENOENT);
}

/* The wall clock time of a record, computed as a reader of the trace does. */
static void test_clock(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY);
	struct ft_info info = get_info(control);
	unsigned long long hz, ticks;
	struct packet packet;
	time_t before, seconds;

	before = time(NULL);
	mark(control, 1, 1);
	expect_eq(read_packet(reader, &packet), 1);
	read_text(4096);
	hz = number("freq");
	expect_eq(hz, info.clock_hz);
	expect(strstr(text, info.clock == FT_CLOCK_TSC ?
			    "description = \"TSC\"" :
			    "description = \"CLOCK_MONOTONIC\""));
	expect(number("offset") < hz);
	ticks = packet.records[0].ts + number("offset");
	seconds = number("offset_s") + ticks / hz;
	if (seconds + 2 < before || seconds > time(NULL) + 2)
		fail("a record of %lld is said to be of %lld", (long long)before,
		     (long long)seconds);
}

static void test_environment(void)
{
	char release[256], expected[512];
	FILE *file = fopen("/proc/sys/kernel/osrelease", "r");

	expect(file && fscanf(file, "%255s", release) == 1);
	fclose(file);
	read_text(4096);
	snprintf(expected, sizeof(expected), "\tkernel_release = \"%s\";\n", release);
	expect(strstr(text, expected));
	expect(strstr(text, "\ttracer_name = \"feather-trace\";\n"));
	expect(strstr(text, "\tbyte_order = le;\n") ||
	       strstr(text, "\tbyte_order = be;\n"));
}

/* Any number may read it, at any time. */
static void test_many(void)
{
	int one = expect_ok(open(META, O_RDONLY));
	int two = expect_ok(open(META, O_RDONLY));
	int control = start(FT_SLOTS_MIN);
	size_t length = read_meta(one, text, 4096);

	expect_eq(read_meta(two, text, 4096), length);
	expect_eq(read(one, text, 1), 0);
	expect_error(write(expect_ok(open(META, O_WRONLY)), "x", 1), EINVAL);
	expect_eq(get_info(control).active, 1);
}

static const struct api_test tests[] = {
	{ "small reads give the whole text", test_small_reads },
	{ "it has the uuid of the trace", test_uuid },
	{ "it has all events", test_events },
	{ "it has the clock", test_clock },
	{ "it says where it comes from", test_environment },
	{ "many may read it", test_many },
};

API_MAIN("api_meta", tests)
