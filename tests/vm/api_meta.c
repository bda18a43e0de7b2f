// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* /dev/ft_trace_meta: that its text fits the trace. by-hand.sh parses it. */
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>

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

/* Each field by its name, in order; the types of CTF are those of the same sizes. */
static void expect_event(const struct ft_event_info *event, const struct ft_fields *fields)
{
	char head[256], name[64];
	const char *at, *end;
	unsigned int i;

	snprintf(head, sizeof(head),
		 "event {\n"
		 "\tid = %u; name = \"%s\"; stream_id = 0;\n"
		 "\tfields := struct {", event->id, event->name);
	at = strstr(text, head);
	if (!at)
		fail("not in the text: %s", head);
	at += strlen(head);
	end = strstr(at, "};\n};\n");
	for (i = 0; end && i < fields->count; i++) {
		const struct ft_field *field = &fields->field[i];

		if (field->name[0])
			snprintf(name, sizeof(name), "_t _%s;", field->name);
		else
			snprintf(name, sizeof(name), "uint%u_t _ft_unused_%u;", field->bits, i);
		at = strstr(at, name);
		if (!at || at >= end)
			fail("%s: not in the text: %s", event->name, name);
		at += strlen(name);
	}
	expect(end && end - at == 1);
}

static void test_events(void)
{
	struct ft_event_info event = { 0 };
	int control = open_control();

	read_text(4096);
	while (!ioctl(control, FT_IOC_EVENT, &event)) {
		struct ft_fields fields = { .id = event.id };

		expect_ok(ioctl(control, FT_IOC_FIELDS, &fields));
		expect_event(&event, &fields);
		event = (struct ft_event_info){ .id = event.id + 1 };
	}
	expect_eq(errno, ENOENT);
}

static int64_t wall_ns(void)
{
	struct timespec t;

	expect_ok(clock_gettime(CLOCK_REALTIME, &t));
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* The wall clock time of @ticks, computed as a reader of the trace does. */
static int64_t wall_of(unsigned long long ticks)
{
	unsigned long long hz = number("freq");

	expect(number("offset") < hz);
	ticks += number("offset");
	return (int64_t)(number("offset_s") + ticks / hz) * 1000000000 +
	       (int64_t)((unsigned __int128)(ticks % hz) * 1000000000 / hz);
}

/*
 * A mark lies between two looks at the wall clock. A millisecond is for how well the
 * module can compare its clock with that; what keeps us from running in between makes
 * the distance of the looks wider by itself.
 */
static void test_clock(void)
{
	int i, control = open_control(), reader;
	int64_t before, at, after, ms = 1000000;
	struct packet packet;

	for (i = 0; i < 3; i++) {
		pin(the_cpu());
		enable(control);
		reader = open_cpu(O_RDONLY);
		before = wall_ns();
		mark(control, 1, 1);
		after = wall_ns();
		expect_eq(read_packet(reader, &packet), 1);
		read_text(4096);
		at = wall_of(packet.records[0].ts);
		if (at < before - ms || at > after + ms)
			fail("a record of between %lld and %lld ns is said to be of %lld",
			     (long long)before, (long long)after, (long long)at);
		disable(control);
		close(reader);
	}
}

/* The kernel tells how fast the TSC runs, in kHz, to who maps a perf event. */
static unsigned long long kernel_tsc_hz(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
	};
	const struct perf_event_mmap_page *page;
	long double khz;
	int fd;

	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	if (fd < 0)
		skip("no perf events");
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	expect(page != MAP_FAILED);
	if (!page->cap_user_time)
		skip("the kernel does not tell how fast the TSC runs");
	khz = (long double)(1ull << page->time_shift) * 1000000 / page->time_mult;
	return (unsigned long long)(khz + 0.5L) * 1000;
}

static void test_frequency(void)
{
	int control = start(FT_SLOTS_MIN);
	struct ft_info info = get_info(control);
	bool tsc = info.clock == FT_CLOCK_TSC;

	read_text(4096);
	expect(strstr(text, tsc ? "description = \"TSC\"" :
				  "description = \"CLOCK_MONOTONIC\""));
	expect_eq(number("freq"), info.clock_hz);
	expect_eq(info.clock_hz, tsc ? kernel_tsc_hz() : 1000000000ull);
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

static void test_strings(void)
{
	static const char odd[] = "a\"b\\c\nd";
	char name[65] = "";

	expect_ok(gethostname(name, sizeof(name) - 1));
	expect_ok(sethostname(odd, sizeof(odd) - 1));
	read_text(4096);
	expect_ok(sethostname(name, strlen(name)));
	expect(strstr(text, "\thostname = \"a\\\"b\\\\c\\nd\";\n"));
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
	{ "its clock gives a record's wall clock time", test_clock },
	{ "its clock runs as fast as the kernel says", test_frequency },
	{ "it says where it comes from", test_environment },
	{ "what the host's name has in it does not end the string", test_strings },
	{ "many may read it", test_many },
};

API_MAIN("api_meta", tests)
