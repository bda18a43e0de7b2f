// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Conditions: FT_IOC_WHEN; those of two events: api_when_pairs.c. The modules ft_bench and ft_points are loaded.
 */
#include "when.h"

#define BENCH	"/sys/module/ft_bench/parameters/event"
#define POINTS	"/sys/module/ft_points/parameters/fire"
#define NARROW	"/sys/module/ft_points/parameters/narrow"

static struct ft_when marked(__u8 what, __u8 op, __u64 value)
{
	return (struct ft_when){
		.event = FT_ID_MARK,
		.test = { { .what = what, .op = op, .mask = ~0ull, .value = value } },
	};
}

/* How often is it fulfilled by marks 1 to 5, with -1 to -5 as second words? */
static unsigned int of_five(struct ft_when condition, __u16 flags)
{
	int control = start(128);
	struct ft_mark words;
	unsigned int count;
	__u32 number;

	condition.test[0].flags = flags;
	number = when(control, &condition);
	for (words.a = 1; words.a <= 5; words.a++) {
		words.b = -words.a;
		expect_ok(ioctl(control, FT_IOC_MARK, &words));
	}
	count = state(control, number).fulfilled;
	close(control);
	return count;
}

static void test_happens(void)
{
	int control = start(128);
	struct ft_when first = marked(FT_TEST_A, FT_TEST_EQUAL, 99);
	struct ft_when second = { .event = FT_ID_MARK };
	struct ft_when_state s;
	__u64 a = 0, b = 0;

	expect_eq(when(control, &first), 0);
	expect_eq(when(control, &second), 1);
	s = state(control, 1);
	expect_eq(s.fulfilled, 0);
	expect_eq(s.ts, 0);
	mark(control, 7, 3);
	s = state(control, 1);
	expect_eq(s.fulfilled, 3);
	expect(s.ts > 0);
	expect_eq(s.cpu, the_cpu());
	expect_eq(s.tid, getpid());
	expect_eq(s.ctx, 0);
	expect_eq(state(control, 1).ts, 0);
	expect_eq(state(control, 0).fulfilled, 0);
	mark(control, 99, 1);
	expect(state(control, 1).ts > s.ts);
	expect(state(control, 0).ts > s.ts);
	close(control);
	expect_eq(records_of(FT_ID_CONDITION, &a, &b), 5);
	/* Both are fulfilled by one mark; the later one is evaluated first. */
	expect_eq(a, 0);
	expect_eq(b, 0);
}

static void test_operators(void)
{
	expect_eq(of_five(marked(FT_TEST_A, FT_TEST_EQUAL, 2), 0), 1);
	expect_eq(of_five(marked(FT_TEST_A, FT_TEST_UNEQUAL, 2), 0), 4);
	expect_eq(of_five(marked(FT_TEST_A, FT_TEST_LESS, 2), 0), 1);
	expect_eq(of_five(marked(FT_TEST_A, FT_TEST_LESS_EQUAL, 2), 0), 2);
	expect_eq(of_five(marked(FT_TEST_A, FT_TEST_GREATER, 2), 0), 3);
	expect_eq(of_five(marked(FT_TEST_A, FT_TEST_GREATER_EQUAL, 2), 0), 4);
	expect_eq(of_five(marked(FT_TEST_B, FT_TEST_LESS, 0), 0), 0);
	expect_eq(of_five(marked(FT_TEST_B, FT_TEST_LESS, -2), FT_TEST_SIGNED), 3);
	expect_eq(of_five(marked(FT_TEST_B, FT_TEST_GREATER, -2), FT_TEST_SIGNED), 1);
	expect_eq(of_five(marked(FT_TEST_A, FT_TEST_GREATER, -1), FT_TEST_SIGNED), 5);
	expect_eq(of_five(marked(FT_TEST_A, FT_TEST_GREATER, -1), 0), 0);
}

static void test_mask(void)
{
	struct ft_when condition = marked(FT_TEST_A, FT_TEST_EQUAL, 1);

	condition.test[0].mask = 1;
	expect_eq(of_five(condition, 0), 3);
}

static void test_who(void)
{
	struct ft_when condition = { .event = FT_ID_MARK };
	struct ft_test *test = condition.test;

	expect_eq(of_five(marked(FT_TEST_TID, FT_TEST_EQUAL, getpid()), 0), 5);
	expect_eq(of_five(marked(FT_TEST_TID, FT_TEST_EQUAL, 1), 0), 0);
	expect_eq(of_five(marked(FT_TEST_CPU, FT_TEST_EQUAL, the_cpu()), 0), 5);
	expect_eq(of_five(marked(FT_TEST_CPU, FT_TEST_GREATER, the_cpu()), 0), 0);

	prctl(PR_SET_NAME, "whoever");
	test->what = FT_TEST_COMM;
	strncpy(test->comm, "whoever", sizeof(test->comm));
	expect_eq(of_five(condition, 0), 5);
	test->op = FT_TEST_UNEQUAL;
	expect_eq(of_five(condition, 0), 0);
	/* The beginning of a name is another name. */
	test->op = FT_TEST_EQUAL;
	memset(test->comm, 0, sizeof(test->comm));
	strncpy(test->comm, "who", sizeof(test->comm));
	expect_eq(of_five(condition, 0), 0);
}

static void test_several_tests(void)
{
	struct ft_when condition = marked(FT_TEST_A, FT_TEST_GREATER, 1);

	condition.test[1] = (struct ft_test){
		.what = FT_TEST_A, .op = FT_TEST_LESS, .mask = ~0ull, .value = 4,
	};
	expect_eq(of_five(condition, 0), 2);
}

static void test_count_and_times(void)
{
	struct ft_when condition = { .event = FT_ID_MARK, .count = 2 };

	expect_eq(of_five(condition, 0), 2);
	condition.count = 0;
	condition.times = 3;
	expect_eq(of_five(condition, 0), 3);
	condition.count = 2;
	condition.times = 1;
	expect_eq(of_five(condition, 0), 1);
}

/* One that always holds leaves a record for each time that it is asked for. */
static void test_if_told(void)
{
	int control = start(128);
	struct ft_when condition = {
		.event = FT_ID_MARK, .times = 3, .flags = FT_WHEN_IF_TOLD,
	};
	struct ft_when second = { .event = FT_ID_MARK, .flags = FT_WHEN_IF_TOLD };
	__u64 a = 0, b = 0;
	unsigned int i;

	when(control, &condition);
	for (i = 1; i <= 3; i++) {
		mark(control, 1, 10);
		expect_eq(cpu_stats().written, 11 * i);
		expect(state(control, 0).ts > 0);
		expect_eq(state(control, 0).fulfilled, i);
		expect_eq(state(control, 0).ts, 0);
	}
	/* It has been so three times. */
	mark(control, 1, 10);
	expect_eq(state(control, 0).fulfilled, 3);
	expect_eq(state(control, 0).ts, 0);

	when(control, &second);
	mark(control, 1, 5);
	expect_eq(state(control, 1).fulfilled, 1);
	mark(control, 1, 5);
	expect_eq(state(control, 1).fulfilled, 2);
	close(control);
	expect_eq(records_of(FT_ID_CONDITION, &a, &b), 5);
}

static void test_module_event(void)
{
	int control = configure(128, WAKE_US);
	__u32 bench = event_id(control, "bench");
	struct ft_when condition = {
		.event = bench,
		.test = { { .what = FT_TEST_A, .mask = ~0ull, .value = 3 } },
	};

	expect_ok(enable_flags(control, FT_IOC_ENABLE, bench, 0));
	fire(BENCH, 10);
	when(control, &condition);
	fire(BENCH, 10);
	expect_eq(state(control, 0).fulfilled, 1);
	/* Its records are as without a condition. */
	expect_eq(cpu_stats().written, 21);
}

static void test_tracepoint(void)
{
	struct ft_tracepoint point = { .name = "ft_points_fire" };
	int control = configure(128, WAKE_US);
	struct ft_when condition = { .count = 2 };

	if (ioctl(control, FT_IOC_TRACEPOINT, &point))
		skip("this kernel does not show tracepoints of modules");
	expect_ok(enable_flags(control, FT_IOC_ENABLE, point.id, 0));
	condition.event = point.id;
	when(control, &condition);
	fire(POINTS, 6);
	expect_eq(state(control, 0).fulfilled, 3);
	expect_eq(cpu_stats().written, 9);
}

static void test_stop(void)
{
	int control = new_session(""), reader = open_ring(control);
	struct ft_when condition = marked(FT_TEST_A, FT_TEST_EQUAL, 3);
	struct ft_record records[16];
	struct ft_slots slots = { .buf = (uintptr_t)records, .max = 16 };
	struct ft_open how = { .flags = FT_OPEN_STATS };
	int other;

	pin(the_cpu());
	enable(control);
	condition.flags = FT_WHEN_STOP;
	when(control, &condition);
	mark(control, 1, 9);
	expect(get_info(control).flags & FT_INFO_STOPPED);
	expect_eq(state(control, 0).fulfilled, 1);
	expect_eq(session_stats(control).written, 4);	/* and the condition's own */
	expect_eq(session_stats(control).lost, 0);
	expect_ok(ioctl(reader, FT_IOC_READ_SLOTS, &slots));
	expect_eq(slots.count, 4);
	expect_eq(records[3].id, FT_ID_CONDITION);
	/* What was read made room, but not for more. */
	mark(control, 20, 1);
	expect_eq(session_stats(control).written, 4);
	/* Nor is there for other CPUs. */
	pin(0);
	mark(control, 20, 2);
	how.cpu = 0;
	other = expect_ok(ioctl(control, FT_IOC_OPEN, &how));
	expect_eq(get_stats(other).written, the_cpu() ? 0 : 4);
	pin(the_cpu());
	/* A pause ends, and the rings stay closed. */
	expect_ok(ioctl(control, FT_IOC_PAUSE));
	expect_ok(ioctl(control, FT_IOC_RESUME));
	mark(control, 30, 1);
	expect_eq(session_stats(control).written, 4);

	disable(control);
	enable(control);
	expect(!(get_info(control).flags & FT_INFO_STOPPED));
	mark(control, 3, 2);
	/* A condition is of its trace. */
	expect_eq(session_stats(control).written, 2);
	expect_eq(state(control, 0).fulfilled, 1);
}

/* Who records in the default session beside others does not stop them. */
static void test_stop_in_default(void)
{
	int control = start(128);
	struct ft_when condition = { .event = FT_ID_MARK, .flags = FT_WHEN_STOP };

	expect_error(ioctl(control, FT_IOC_WHEN, &condition), EOPNOTSUPP);
	mark(control, 1, 3);
	expect_eq(cpu_stats().written, 3);
	expect(!(get_info(control).flags & FT_INFO_STOPPED));
}

static void test_ends_with_its_descriptor(void)
{
	int control = start(128), other = open_control();
	struct ft_when condition = { .event = FT_ID_MARK };
	struct ft_when_state s = { .number = 0 };

	when(other, &condition);
	expect_error(ioctl(control, FT_IOC_WHEN_STATE, &s), ENOENT);
	mark(control, 1, 1);
	expect_eq(cpu_stats().written, 2);
	close(other);
	mark(control, 2, 1);
	expect_eq(cpu_stats().written, 3);
}

/*
 * Words of 32 bits, of a tracepoint whose callers leave something in the upper halves of the
 * registers: they are extended in the records and in the comparisons.
 */
static void test_narrow_words(void)
{
	struct ft_tracepoint point = {
		.name = "ft_points_narrow", .word = {
			{ .arg = 1, .bits = 32, .kind = FT_FIELD_SIGNED, .field = "a" },
			{ .arg = 2, .bits = 32, .kind = FT_FIELD_UNSIGNED, .field = "b" },
		},
	};
	int control = configure(128, WAKE_US);
	struct ft_when below = {
		.test = { { .what = FT_TEST_A, .op = FT_TEST_LESS, .flags = FT_TEST_SIGNED,
			    .mask = ~0ull, .value = -3 } },
	};
	struct ft_when equal = {
		.test = { { .what = FT_TEST_B, .mask = ~0ull, .value = 5 } },
	};
	__u64 a = 0, b = 0;

	if (ioctl(control, FT_IOC_TRACEPOINT, &point))
		skip("this kernel does not show tracepoints of modules");
	expect_ok(enable_flags(control, FT_IOC_ENABLE, point.id, 0));
	below.event = point.id;
	equal.event = point.id;
	when(control, &below);
	when(control, &equal);
	fire(NARROW, 6);
	expect_eq(state(control, below.number).fulfilled, 3);
	expect_eq(state(control, equal.number).fulfilled, 1);

	close(control);
	expect_eq(records_of(point.id, &a, &b), 6);
	expect_eq(a, -6ull);
	expect_eq(b, 6);
}

/* In a session, a mark of another one fulfils nothing, nor leaves a record. */
static void test_sessions(void)
{
	struct ft_session_info info = { .flags = FT_SESSION_NEW };
	int control = start(128), own = open_control();
	struct ft_when condition = { .event = FT_ID_MARK };

	expect_ok(ioctl(own, FT_IOC_SESSION, &info));
	enable(own);
	when(own, &condition);
	mark(control, 1, 3);
	expect_eq(state(own, 0).fulfilled, 0);
	expect_eq(cpu_stats().written, 3);
	mark(own, 1, 2);
	expect_eq(state(own, 0).fulfilled, 2);
	expect_eq(cpu_stats().written, 3);

	/* Nor may a descriptor leave the session of its conditions. */
	when(control, &condition);
	disable(control);
	info = (struct ft_session_info){ .flags = FT_SESSION_NEW };
	expect_error(ioctl(control, FT_IOC_SESSION, &info), EBUSY);
}

/* Conditions come and go while others write. */
static void test_while_it_fires(void)
{
	int control = start(128);
	unsigned int i;
	pid_t pid;

	pid = fork();
	if (!pid) {
		for (;;)
			mark(control, 1, 1000);
	}
	for (i = 0; i < 100; i++) {
		int own = open_control();
		struct ft_when condition = from_one_to_two(i % 2);

		when(own, &condition);
		condition = (struct ft_when){ .event = FT_ID_MARK };
		when(own, &condition);
		sched_yield();
		close(own);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void expect_invalid(int control, struct ft_when condition)
{
	expect_error(ioctl(control, FT_IOC_WHEN, &condition), EINVAL);
}

static void test_bad(void)
{
	int control = configure(128, WAKE_US), look = expect_ok(open(CONTROL, O_RDONLY));
	struct ft_when good = { .event = FT_ID_MARK }, bad;
	struct ft_when_state s = { .number = FT_CONDITIONS_MAX };
	unsigned int i;

	expect_error(ioctl(control, FT_IOC_WHEN, &good), ENODATA);
	enable(control);
	expect_error(ioctl(look, FT_IOC_WHEN, &good), EBADF);
	expect_error(ioctl(control, FT_IOC_WHEN, nowhere()), EFAULT);
	expect_error(ioctl(control, FT_IOC_WHEN_STATE, nowhere()), EFAULT);
	expect_error(ioctl(control, FT_IOC_WHEN_STATE, &s), ENOENT);
	s.forgotten = 1;
	expect_error(ioctl(control, FT_IOC_WHEN_STATE, &s), EINVAL);

	bad = good;
	bad.event = FT_ID_CONTENTION_BEGIN;
	expect_error(ioctl(control, FT_IOC_WHEN, &bad), ENOENT);
	bad = good;
	bad.begin = FT_ID_CONTENTION_BEGIN;
	expect_error(ioctl(control, FT_IOC_WHEN, &bad), ENOENT);
	bad.begin = FT_ID_MAX;
	expect_error(ioctl(control, FT_IOC_WHEN, &bad), ENOENT);

	bad = good, bad.event = FT_ID_MAX + 1, expect_invalid(control, bad);
	bad = good, bad.begin = FT_ID_MAX + 1, expect_invalid(control, bad);
	bad = good, bad.event = FT_ID_CONDITION, expect_invalid(control, bad);
	bad = good, bad.longer_ns = 1, expect_invalid(control, bad);
	bad = good, bad.flags = 4, expect_invalid(control, bad);
	/* First one whose ticks still fit: beyond that, a kernel that takes it stops. */
	bad.flags = 0, bad.begin = FT_ID_MARK, bad.longer_ns = (1ull << 60) + 1;
	expect_invalid(control, bad);
	bad.longer_ns = ~0ull, expect_invalid(control, bad);
	bad = good, bad.number = 1, expect_invalid(control, bad);
	bad = good, bad.reserved[1] = 1, expect_invalid(control, bad);
	bad = good, bad.count = 1ull << 63, expect_invalid(control, bad);
	bad = good, bad.test[1].what = FT_TEST_A, expect_invalid(control, bad);
	bad = good, bad.test[0].op = FT_TEST_LESS, expect_invalid(control, bad);
	bad = good, bad.test[0].what = FT_TEST_COMM + 1, expect_invalid(control, bad);
	bad = marked(FT_TEST_A, FT_TEST_GREATER_EQUAL + 1, 0), expect_invalid(control, bad);
	bad = marked(FT_TEST_COMM, FT_TEST_EQUAL, 0), expect_invalid(control, bad);
	bad = marked(FT_TEST_A, FT_TEST_EQUAL, 0);
	bad.test[0].flags = FT_TEST_AT_BEGIN, expect_invalid(control, bad);
	bad.test[0].flags = 4, expect_invalid(control, bad);
	bad.test[0].flags = 0, bad.test[0].mask = 0, expect_invalid(control, bad);
	bad = good;
	bad.test[0].what = FT_TEST_COMM;
	memset(bad.test[0].comm, 'x', sizeof(bad.test[0].comm));
	expect_invalid(control, bad);

	for (i = 0; i < FT_CONDITIONS_MAX; i++)
		when(control, &good), good.number = 0;
	expect_error(ioctl(control, FT_IOC_WHEN, &good), ENOSPC);
	close(control);
	control = start(128);
	when(control, &good);
}

static const struct api_test tests[] = {
	{ "an event that happens", test_happens },
	{ "comparisons", test_operators },
	{ "a part of a word", test_mask },
	{ "task, name and CPU", test_who },
	{ "several tests", test_several_tests },
	{ "every so many events, and so often", test_count_and_times },
	{ "not again before it is told", test_if_told },
	{ "an event of a module", test_module_event },
	{ "a tracepoint", test_tracepoint },
	{ "words of 32 bits", test_narrow_words },
	{ "it stops the trace", test_stop },
	{ "it does not stop the default session", test_stop_in_default },
	{ "it ends with its descriptor", test_ends_with_its_descriptor },
	{ "it is of its session", test_sessions },
	{ "it comes and goes while it fires", test_while_it_fires },
	{ "bad ones", test_bad },
};

API_MAIN("api_when", tests)
