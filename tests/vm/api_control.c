// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* /dev/ft_trace: information, events, and who wants them. */
#include <ctype.h>

#include "api.h"

/* --- information ---------------------------------------------------------- */

/* They are part of the ABI: who changes one breaks programs. */
_Static_assert(sizeof(struct ft_record) == 32, "ft_record");
_Static_assert(sizeof(struct ft_packet_header) == 96, "ft_packet_header");
_Static_assert(sizeof(struct ft_info) == 80, "ft_info");
_Static_assert(sizeof(struct ft_event_info) == 240, "ft_event_info");
_Static_assert(sizeof(struct ft_enable) == 16, "ft_enable");
_Static_assert(sizeof(struct ft_config) == 32, "ft_config");
_Static_assert(sizeof(struct ft_mark) == 16, "ft_mark");
_Static_assert(sizeof(struct ft_stats) == 64, "ft_stats");
_Static_assert(sizeof(struct ft_slots) == 32, "ft_slots");
_Static_assert(sizeof(struct ft_range) == 16, "ft_range");

static void test_info(void)
{
	static const __u8 no_uuid[16];
	int control = open_control();
	struct ft_info before = get_info(control), info;
	unsigned int i;

	expect_eq(before.abi, FT_ABI_VERSION);
	expect(before.clock == FT_CLOCK_TSC || before.clock == FT_CLOCK_MONO);
	expect(before.clock != FT_CLOCK_MONO || before.clock_hz == 1000000000);
	expect(before.clock_hz >= 1000000);
	expect(before.cpus >= sysconf(_SC_NPROCESSORS_CONF));
	expect_eq(before.active, 0);
	expect(memcmp(before.uuid, no_uuid, 16));
	for (i = 0; i < ARRAY_SIZE(before.reserved); i++)
		expect_eq(before.reserved[i], 0);

	enable(control);
	info = get_info(control);
	expect_eq(info.active, 1);
	expect_eq(info.trace, before.trace + 1);
	expect(memcmp(before.uuid, info.uuid, 16));

	/* Its end changes neither number nor name. */
	before = info;
	disable(control);
	info = get_info(control);
	expect_eq(info.active, 0);
	expect_eq(info.trace, before.trace);
	expect(!memcmp(before.uuid, info.uuid, 16));
}

static void expect_identifier(const char *name, size_t size)
{
	size_t i;

	expect(memchr(name, 0, size));
	expect(isalpha(name[0]) || name[0] == '_');
	for (i = 1; name[i]; i++)
		expect(isalnum(name[i]) || name[i] == '_');
}

static void test_events(void)
{
	struct ft_event_info event = { 0 };
	unsigned int count = 0;
	int control = open_control();
	__u32 last = 0;

	while (!ioctl(control, FT_IOC_EVENT, &event)) {
		expect(event.id > last && event.id <= FT_ID_MAX);
		expect_identifier(event.name, sizeof(event.name));
		expect_identifier(event.field[0], sizeof(event.field[0]));
		expect_identifier(event.field[1], sizeof(event.field[1]));
		expect(event.owner[0] && memchr(event.owner, 0, FT_NAME_LEN));
		expect(event.triggers >= 1);
		expect_eq(event.enabled, 0);
		expect_eq(event.persistent, 0);
		expect_eq(event.missed, 0);
		expect_eq(event.unread, 0);
		last = event.id;
		memset(&event, 0, sizeof(event));
		event.id = last + 1;
		count++;
	}
	expect_eq(errno, ENOENT);
	expect(count >= 1);
}

static void test_event_mark(void)
{
	struct ft_event_info event = get_event(open_control(), 0);

	expect_eq(event.id, FT_ID_MARK);
	expect(!strcmp(event.name, "mark"));
	expect(!strcmp(event.field[0], "a"));
	expect(!strcmp(event.field[1], "b"));
	expect(!strcmp(event.owner, "feather_trace"));
	expect_eq(event.triggers, 1);
}

static void test_event_errors(void)
{
	struct ft_event_info event = { .id = FT_ID_MAX + 1 };
	int control = open_control();

	expect_error(ioctl(control, FT_IOC_EVENT, &event), ENOENT);
	event.id = 0xffffffff;
	expect_error(ioctl(control, FT_IOC_EVENT, &event), ENOENT);
	memset(&event, 0, sizeof(event));
	event.unread = 1u << 31;
	expect_error(ioctl(control, FT_IOC_EVENT, &event), EINVAL);
}

/* They fill both words, and each is in one of them. */
static void expect_fields(const struct ft_fields *fields)
{
	unsigned int i, from = 0;

	expect(fields->count >= 2 && fields->count <= FT_FIELDS);
	for (i = 0; i < fields->count; i++) {
		const struct ft_field *field = &fields->field[i];

		expect(field->bits == 8 || field->bits == 16 || field->bits == 32 ||
		       field->bits == 64);
		expect(from % 64 + field->bits <= 64);
		expect(field->kind <= FT_FIELD_SOFTIRQ);
		if (field->name[0])
			expect_identifier(field->name, sizeof(field->name));
		from += field->bits;
	}
	expect_eq(from, 128);
}

static void test_fields(void)
{
	struct ft_event_info event = { 0 };
	int control = open_control();
	bool typed = false;

	while (!ioctl(control, FT_IOC_EVENT, &event)) {
		struct ft_fields fields = { .id = event.id };

		expect_eq(ioctl(control, FT_IOC_FIELDS, &fields), 0);
		expect_eq(fields.id, event.id);
		expect_fields(&fields);
		if (event.id == FT_ID_MARK) {
			expect_eq(fields.count, 2);
			expect(!strcmp(fields.field[1].name, "b"));
		}
		typed |= fields.count > 2;
		event = (struct ft_event_info){ .id = event.id + 1 };
	}
	expect(typed);
	expect_error(ioctl(control, FT_IOC_FIELDS, &(struct ft_fields){ .id = 0 }), ENOENT);
	expect_error(ioctl(control, FT_IOC_FIELDS, &(struct ft_fields){ .id = FT_ID_MAX }), ENOENT);
	expect_error(ioctl(control, FT_IOC_FIELDS, NULL), EFAULT);
}

/* --- enabling ------------------------------------------------------------- */

static void expect_wants(int control, unsigned int enabled,
			 unsigned int persistent)
{
	struct ft_event_info event = get_event(control, FT_ID_MARK);

	expect_eq(event.enabled, enabled);
	expect_eq(event.persistent, persistent);
	expect_eq(get_info(control).active, enabled > 0);
}

static void test_enable_errors(void)
{
	static const __u32 ids[] = { 0, 4, 15, FT_ID_MAX, FT_ID_MAX + 1,
				     FT_ID_MARK + 65536, 0x80000001, 0xffffffff };
	static const unsigned long requests[] = { FT_IOC_ENABLE, FT_IOC_DISABLE };
	struct ft_enable reserved = { .id = FT_ID_MARK, .reserved = 1ull << 63 };
	int control = open_control();
	unsigned int i, j;

	/* So that disabling has no other reason to fail. */
	enable(control);
	for (j = 0; j < ARRAY_SIZE(requests); j++) {
		for (i = 0; i < ARRAY_SIZE(ids); i++) {
			expect_error(enable_flags(control, requests[j], ids[i], 0),
				     EINVAL);
			expect_error(enable_flags(control, requests[j], ids[i],
						  FT_ENABLE_PERSIST), EINVAL);
		}
		for (i = 2; i < 32; i++)
			expect_error(enable_flags(control, requests[j], FT_ID_MARK,
						  1u << i), EINVAL);
		expect_error(ioctl(control, requests[j], &reserved), EINVAL);
	}
	expect_wants(control, 1, 0);
}

static void test_nesting(void)
{
	int control = open_control();
	unsigned int i;

	for (i = 1; i <= 1000; i++)
		enable(control);
	expect_wants(control, 1000, 0);
	for (i = 1; i < 1000; i++)
		disable(control);
	expect_wants(control, 1, 0);
	disable(control);
	expect_wants(control, 0, 0);
	expect_error(enable_flags(control, FT_IOC_DISABLE, FT_ID_MARK, 0), EINVAL);
	enable(control);
	expect_wants(control, 1, 0);
}

static void test_per_descriptor(void)
{
	int one = open_control(), two = open_control();

	enable(one);
	expect_error(enable_flags(two, FT_IOC_DISABLE, FT_ID_MARK, 0), EINVAL);
	enable(two);
	enable(two);
	expect_wants(one, 3, 0);
	disable(one);
	expect_error(enable_flags(one, FT_IOC_DISABLE, FT_ID_MARK, 0), EINVAL);
	expect_wants(one, 2, 0);
	close(two);
	expect_wants(one, 0, 0);
}

/* A descriptor is closed when the last of those that share it is. */
static void test_shared_descriptor(void)
{
	int control = open_control(), shared = open_control(), again;
	int until[2];
	char byte;
	pid_t pid;

	expect_ok(pipe(until));
	enable(shared);
	again = dup(shared);
	close(shared);
	expect_wants(control, 1, 0);

	pid = fork();
	if (!pid) {
		close(until[1]);
		if (read(until[0], &byte, 1) < 0)
			fail("read: %s", strerror(errno));
		_exit(EXIT_SUCCESS);
	}
	close(again);
	expect_wants(control, 1, 0);
	close(until[1]);
	join(pid);
	expect_wants(control, 0, 0);
}

static void test_killed(void)
{
	int control = open_control(), mine, status, ready[2];
	char byte;
	pid_t pid;

	expect_ok(pipe(ready));
	pid = fork();
	if (!pid) {
		mine = open_control();
		enable(mine);
		enable(mine);
		if (write(ready[1], "x", 1) != 1)
			fail("write: %s", strerror(errno));
		for (;;)
			pause();
	}
	expect_eq(read(ready[0], &byte, 1), 1);
	expect_wants(control, 2, 0);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	expect_wants(control, 0, 0);
}

static void test_persistent(void)
{
	int control = open_control(), other = open_control();

	expect_ok(enable_flags(other, FT_IOC_ENABLE, FT_ID_MARK,
			       FT_ENABLE_PERSIST));
	expect_ok(enable_flags(other, FT_IOC_ENABLE, FT_ID_MARK,
			       FT_ENABLE_PERSIST));
	enable(other);
	expect_wants(control, 3, 2);
	/* The flag is part of what is taken back. */
	expect_error(enable_flags(control, FT_IOC_DISABLE, FT_ID_MARK, 0), EINVAL);
	close(other);
	expect_wants(control, 2, 2);

	expect_ok(enable_flags(control, FT_IOC_DISABLE, FT_ID_MARK,
			       FT_ENABLE_PERSIST));
	expect_wants(control, 1, 1);
	other = open_control();
	expect_ok(enable_flags(other, FT_IOC_DISABLE, FT_ID_MARK,
			       FT_ENABLE_PERSIST));
	expect_wants(control, 0, 0);
	expect_error(enable_flags(control, FT_IOC_DISABLE, FT_ID_MARK,
				  FT_ENABLE_PERSIST), EINVAL);

	/* Nor does a plain want make up for a persistent one. */
	enable(control);
	expect_error(enable_flags(control, FT_IOC_DISABLE, FT_ID_MARK,
				  FT_ENABLE_PERSIST), EINVAL);
	expect_wants(control, 1, 0);
}

static void test_disable_all(void)
{
	int control = open_control(), one = open_control(), two = open_control();

	enable(one);
	enable(one);
	expect_ok(enable_flags(two, FT_IOC_ENABLE, FT_ID_MARK,
			       FT_ENABLE_PERSIST));
	expect_ok(ioctl(control, FT_IOC_DISABLE_ALL));
	expect_wants(control, 0, 0);
	expect_error(enable_flags(one, FT_IOC_DISABLE, FT_ID_MARK, 0), EINVAL);
	expect_error(enable_flags(two, FT_IOC_DISABLE, FT_ID_MARK,
				  FT_ENABLE_PERSIST), EINVAL);

	/* What one wanted before is void: it has one now, not three. */
	enable(one);
	expect_wants(control, 1, 0);
	enable(two);
	disable(one);
	expect_wants(control, 1, 0);
	expect_error(enable_flags(one, FT_IOC_DISABLE, FT_ID_MARK, 0), EINVAL);

	/* Closing gives back what is not void, and nothing of the others'. */
	enable(one);
	expect_ok(ioctl(control, FT_IOC_DISABLE_ALL));
	close(one);
	close(two);
	expect_wants(control, 0, 0);
	enable(control);
	expect_wants(control, 1, 0);
	expect_ok(ioctl(control, FT_IOC_DISABLE_ALL));
	expect_ok(ioctl(control, FT_IOC_DISABLE_ALL));
	expect_wants(control, 0, 0);
}

/* Needs a second event: tests/modules/ft_bench. */
static void test_two_events(void)
{
	struct ft_event_info event = { .id = FT_ID_DYNAMIC };
	int control = open_control();
	struct packet packet;
	struct ft_info info;

	while (strcmp(event.name, "bench")) {
		event.id += !!event.name[0];
		if (ioctl(control, FT_IOC_EVENT, &event))
			skip("ft_bench is not loaded");
	}
	pin(the_cpu());
	enable(control);
	info = get_info(control);
	expect_ok(enable_flags(control, FT_IOC_ENABLE, event.id, 0));
	mark(control, 1, 1);
	disable(control);
	/* Now off, but the trace goes on, and so when it is on again. */
	mark(control, 2, 1);
	expect_eq(get_event(control, FT_ID_MARK).enabled, 0);
	expect_eq(get_info(control).active, 1);
	enable(control);
	mark(control, 3, 1);
	expect_ok(enable_flags(control, FT_IOC_DISABLE, event.id, 0));
	expect_eq(get_info(control).active, 1);
	expect_eq(get_info(control).trace, info.trace);
	disable(control);
	expect_eq(get_info(control).active, 0);

	expect_eq(read_packet(open_cpu(O_RDONLY), &packet), 2);
	expect_eq(packet.records[0].a, 1);
	expect_eq(packet.records[1].a, 3);
}

/* What changes something needs a descriptor that is open for writing. */
static void test_read_only(void)
{
	static const unsigned long changes[] = {
		FT_IOC_ENABLE, FT_IOC_DISABLE, FT_IOC_DISABLE_ALL, FT_IOC_SET_CONFIG,
		FT_IOC_MARK, FT_IOC_PAUSE, FT_IOC_RESUME, FT_IOC_TRACEPOINT, FT_IOC_FUNCTION,
		FT_IOC_KPROBE,
		FT_IOC_SESSION, FT_IOC_SESSION_END, FT_IOC_START, FT_IOC_STOP,
		FT_IOC_SNAPSHOT, FT_IOC_OPEN, FT_IOC_WHEN, FT_IOC_WHEN_STATE,
		FT_IOC_STACKS,
	};
	static const int modes[] = { O_RDONLY, O_ACCMODE };
	int control = open_control();
	struct ft_info info;
	unsigned int i, j;
	int fd;

	enable(control);
	mark(control, 1, 1);
	info = get_info(control);
	for (j = 0; j < ARRAY_SIZE(modes); j++) {
		struct ft_hook hook = { 0 };
		struct ft_config config;
		struct ft_detach detach = { 0 };
		union {
			struct ft_enable enable;
			struct ft_config config;
			struct ft_mark mark;
			struct ft_tracepoint tracepoint;
			struct ft_when when;
		} arg;

		fd = expect_ok(open(CONTROL, modes[j]));
		for (i = 0; i < ARRAY_SIZE(changes); i++) {
			memset(&arg, 0, sizeof(arg));
			expect_error(ioctl(fd, changes[i], &arg), EBADF);
		}
		/* To look is not to change. */
		expect_eq(get_info(fd).trace, info.trace);
		expect_eq(get_event(fd, FT_ID_MARK).id, FT_ID_MARK);
		expect_ok(ioctl(fd, FT_IOC_GET_CONFIG, &config));
		expect(!ioctl(fd, FT_IOC_HOOK, &hook) || errno == ENOENT);
		expect_ok(ioctl(fd, FT_IOC_DETACH, &detach));
		detach = (struct ft_detach){ .timeout_ms = 1 };
		expect_error(ioctl(fd, FT_IOC_DETACH, &detach), EBADF);
		close(fd);
	}
	expect_eq(get_info(control).active, 1);
	expect_eq(get_event(control, FT_ID_MARK).enabled, 1);
	disable(control);
}

static const struct api_test tests[] = {
	{ "FT_IOC_INFO", test_info },
	{ "FT_IOC_EVENT lists all events and ends", test_events },
	{ "FT_IOC_EVENT describes mark", test_event_mark },
	{ "FT_IOC_EVENT errors", test_event_errors },
	{ "FT_IOC_FIELDS: fields fill both words", test_fields },
	{ "FT_IOC_ENABLE and DISABLE refuse bad input", test_enable_errors },
	{ "enabling nests", test_nesting },
	{ "enabling is a descriptor's own", test_per_descriptor },
	{ "shared descriptors", test_shared_descriptor },
	{ "SIGKILL disables", test_killed },
	{ "persistent enabling", test_persistent },
	{ "FT_IOC_DISABLE_ALL", test_disable_all },
	{ "a trace lasts while any event is on", test_two_events },
	{ "a descriptor that is not open for writing changes nothing", test_read_only },
};

API_MAIN("api_control", tests)
