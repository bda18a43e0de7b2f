// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Conditions of the time between two events. The modules ft_nested and ft_waits are loaded. */
#include "../modules/ft_waits.h"
#include "when.h"

#define NESTED	"/sys/module/ft_nested/parameters/run"

static void mark_two(int control, __u64 a, __u64 b)
{
	const struct ft_mark words = { .a = a, .b = b };

	expect_ok(ioctl(control, FT_IOC_MARK, &words));
}

static void test_time_of_a_key(void)
{
	int control = start(128);
	__u64 hz = get_info(control).clock_hz;
	struct ft_when condition = from_one_to_two(20000000);
	struct ft_when_state s;
	__u64 a = 0, b = 0;

	when(control, &condition);
	mark_two(control, 5, 1);
	mark_two(control, 6, 1);
	mark_two(control, 5, 2);	/* sooner than that */
	sleep_ms(40);
	expect_eq(state(control, 0).fulfilled, 0);
	mark_two(control, 7, 2);	/* which never began */
	expect_eq(state(control, 0).fulfilled, 0);
	expect_eq(state(control, 0).alone, 1);
	mark_two(control, 6, 2);
	s = state(control, 0);
	expect_eq(s.fulfilled, 1);
	expect(s.measured > hz / 1000 * 20);
	expect(s.measured < hz * TEST_SECONDS);
	mark_two(control, 6, 2);	/* it has ended */
	expect_eq(state(control, 0).fulfilled, 1);
	close(control);
	expect_eq(records_of(FT_ID_CONDITION, &a, &b), 1);
	expect_eq(b, s.measured);
}

/* A time ends with its first second event, whatever the key, and does not survive a pause. */
/* One event is the end of the last time and the beginning of the next. */
static void test_from_one_to_the_next(void)
{
	int control = start(128);
	struct ft_when condition = {
		.event = FT_ID_MARK, .begin = FT_ID_MARK, .longer_ns = 20000000,
	};

	when(control, &condition);
	mark_two(control, 5, 0);
	sleep_ms(40);
	mark_two(control, 5, 0);
	expect_eq(state(control, 0).fulfilled, 1);
	expect_eq(state(control, 0).alone, 1);
	sleep_ms(40);
	mark_two(control, 5, 0);
	expect_eq(state(control, 0).fulfilled, 2);
}

static void test_only_what_has_begun(void)
{
	int control = start(128);
	struct ft_when condition = from_one_to_two(0);
	__u64 key;

	when(control, &condition);
	for (key = 0; key < 3; key++)
		mark_two(control, key, 2);
	expect_eq(state(control, 0).fulfilled, 0);
	expect_eq(state(control, 0).alone, 3);
	for (key = 0; key < 3; key++) {
		mark_two(control, key, 1);
		mark_two(control, key, 1);
		mark_two(control, key, 1);	/* in the place of the first one, not of others */
		mark_two(control, key, 2);
		mark_two(control, key, 2);
	}
	expect_eq(state(control, 0).fulfilled, 3);
	expect_eq(state(control, 0).alone, 6);
	expect_eq(state(control, 0).forgotten, 0);

	mark_two(control, 7, 1);
	expect_ok(ioctl(control, FT_IOC_PAUSE));
	expect_ok(ioctl(control, FT_IOC_RESUME));
	mark_two(control, 7, 2);
	expect_eq(state(control, 0).fulfilled, 3);
	expect_eq(state(control, 0).alone, 7);
}

/* More keys than the table has places: some are forgotten, and told. */
static void test_forgotten(void)
{
	int control = start(128);
	struct ft_when condition = from_one_to_two(0);
	struct ft_when_state s;
	__u64 key;

	when(control, &condition);
	for (key = 1; key <= 20000; key++)
		mark_two(control, key, 1);
	for (key = 1; key <= 20000; key++)
		mark_two(control, key, 2);
	s = state(control, 0);
	expect(s.forgotten > 0);
	expect_eq(s.alone, s.forgotten);
	expect_eq(s.fulfilled, 20000 - s.alone);
}

static __u64 address_of(const char *symbol)
{
	unsigned long long address;
	char line[512], name[256];
	FILE *f = fopen("/proc/kallsyms", "r");

	expect(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx %*c %255s", &address, name) == 2 &&
		    !strcmp(name, symbol)) {
			fclose(f);
			return address;
		}
	}
	fail("no symbol %s", symbol);
}

static bool have_locks(int control)
{
	return get_info(control).lock_source != FT_LOCKS_NONE;
}

/* Sections of a lock of ft_nested, five of them, that are longer than so. */
static struct ft_when_state held(const char *lock, enum ft_lock_family family,
				 __u64 longer_ns, __u64 *hz)
{
	int control = configure(1 << 14, WAKE_US);
	__u32 ids[2] = { FT_ID_ACQUIRE(family), FT_ID_RELEASE(family) };
	struct ft_set set = { .ids = (uintptr_t)ids, .count = 2 };
	struct ft_when condition = {
		.event = ids[1], .begin = ids[0], .longer_ns = longer_ns,
		.test = { { .what = FT_TEST_A, .mask = ~0ull, .value = address_of(lock) } },
	};
	struct ft_detach detach = { .timeout_ms = 60000 };
	struct ft_when_state s;

	if (!have_locks(control))
		skip("this kernel has no lock events");
	expect_ok(ioctl(control, FT_IOC_START, &set));
	*hz = get_info(control).clock_hz;
	when(control, &condition);
	fire(NESTED, 5);
	s = state(control, condition.number);
	expect_ok(ioctl(control, FT_IOC_STOP, &set));
	/* The next program expects functions that are not wrapped. */
	expect_ok(ioctl(control, FT_IOC_DETACH, &detach));
	expect_eq(detach.attached, 0);
	close(control);
	return s;
}

static void test_held_spinlock(void)
{
	enum ft_lock_family family = FT_LOCK_SPIN;
	struct ft_when_state s;
	__u64 hz;

	/* These are raw spinlocks. */
	if (is_rt()) {
		family = FT_LOCK_RAW_SPIN;
		if (!has_event(FT_ID_ACQUIRE(family)))
			skip("raw spinlocks have no events on this kernel");
	}
	s = held("nested_outer_lock", family, 60000, &hz);
	expect_eq(s.fulfilled, 5);
	expect(s.measured >= hz / 1000000 * 74);
	expect_eq(held("nested_outer_lock", family, 3600000000000ull, &hz).fulfilled, 0);
}

static void test_held_mutex(void)
{
	struct ft_when_state s;
	__u64 hz;

	s = held("nested_mutex", FT_LOCK_MUTEX, 150000, &hz);
	expect_eq(s.fulfilled, 5);
	expect(s.measured >= hz / 1000000 * 174);
}

/* Waits of ft_waits that are longer than so, and have these flags. */
static struct ft_when waited(__u64 mask, __u64 flags, __u64 longer_ns)
{
	return (struct ft_when){
		.event = FT_ID_CONTENTION_END, .begin = FT_ID_CONTENTION_BEGIN,
		.longer_ns = longer_ns,
		.test = {
			{ .what = FT_TEST_A, .mask = ~0ull,
			  .value = address_of("waits_semaphore") },
			{ .what = FT_TEST_B, .mask = mask, .value = flags,
			  .flags = FT_TEST_AT_BEGIN },
		},
	};
}

/*
 * The spinlock inside of a lock has its address, and contention_end does not say which it is. The
 * wait for it is measured also if only the outer one is asked for.
 */
static void test_waits_inside(void)
{
	__u32 ids[2] = { FT_ID_CONTENTION_BEGIN, FT_ID_CONTENTION_END };
	struct ft_set set = { .ids = (uintptr_t)ids, .count = 2 };
	struct ft_when outer, any_outer, inner, both;
	int control;

	if (!has_event(ids[0]))
		skip("this kernel has no tracepoints of contention");
	control = configure(1 << 14, WAKE_US);
	expect_ok(ioctl(control, FT_IOC_START, &set));
	outer = waited(0x2f, 0, WAITS_LONG_US * 1000);
	any_outer = waited(0x2f, 0, WAITS_SHORT_US * 1000);
	inner = waited(0x21, 1, WAITS_SHORT_US * 1000);
	both = waited(2, 0, WAITS_SHORT_US * 1000);
	when(control, &outer);
	when(control, &any_outer);
	when(control, &inner);
	when(control, &both);
	fire("/sys/module/ft_waits/parameters/run", 5);
	expect_eq(state(control, outer.number).fulfilled, 5);
	expect_eq(state(control, any_outer.number).fulfilled, 5);
	expect_eq(state(control, inner.number).fulfilled, 5);
	expect_eq(state(control, both.number).fulfilled, 10);
	close(control);
}

static const struct api_test tests[] = {
	{ "the time between events of a key", test_time_of_a_key },
	{ "the time from an event to the next", test_from_one_to_the_next },
	{ "only what has begun", test_only_what_has_begun },
	{ "too many keys", test_forgotten },
	{ "how long a spinlock is held", test_held_spinlock },
	{ "how long a mutex is held", test_held_mutex },
	{ "waits inside of waits", test_waits_inside },
};

API_MAIN("api_when_pairs", tests)
