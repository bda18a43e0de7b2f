// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Sensors of locks: a module takes known locks for known times, in known places. The modules
 * ft_nested and ft_waits are loaded.
 */
#include "../modules/ft_waits.h"
#include "sensors.h"

#define NESTED		"/sys/module/ft_nested/parameters/"
#define ROUNDS		20

/* Of the spinlocks of ft_nested, which are raw ones. */
static enum ft_lock_family raw_family(void)
{
	return is_rt() ? FT_LOCK_RAW_SPIN : FT_LOCK_SPIN;
}

static void need_spinlocks(void)
{
	need_locks();
	if (!has_event(FT_ID_ACQUIRE(raw_family())))
		skip("raw spinlocks have no events on this kernel");
}

static void nest(const char *how, unsigned int times)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), NESTED "%s", how);
	f = fopen(path, "w");
	expect(f && fprintf(f, "%u", times) > 0 && !fclose(f));
}

/* Where a symbol is, and where the next one begins. */
static struct ft_sensor_range place_of(const char *symbol)
{
	struct ft_sensor_range place = { 0 };
	unsigned long long address;
	char line[512], name[256];
	FILE *f = fopen("/proc/kallsyms", "r");

	expect(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx %*c %255s", &address, name) == 2 && !strcmp(name, symbol))
			place.first = address;
	rewind(f);
	place.last = ~0ull;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx", &address) == 1 && address > place.first &&
		    address <= place.last)
			place.last = address - 1;
	fclose(f);
	if (!place.first)
		fail("no symbol %s", symbol);
	return place;
}

/* Of one lock. */
static struct ft_sensor hold_of_lock(enum ft_lock_family family, const char *lock)
{
	struct ft_sensor def = hold_of("test/hold", family);

	def.test[0] = (struct ft_test){
		.what = FT_TEST_A, .mask = ~0ull, .value = place_of(lock).first,
	};
	return def;
}

static __u64 us(const struct monitor *m, __u64 ticks)
{
	return ticks * 1000000 / m->header->clock_hz;
}

/* All values are at least so long, the greatest one is that of this lock and place. */
static void expect_held(const struct monitor *m, __u64 count, __u64 at_least, const char *lock,
			const char *function)
{
	struct ft_sensor_mark most = { 0 };

	expect_eq(count_at(m, -1), count);
	expect(most_of(m, -1, &most));
	expect(us(m, least_of(m, 0)) >= at_least - 1);
	expect(us(m, sum_at(m, -1, m->header->sum)) >= count * (at_least - 1));
	expect_eq(most.a, place_of(lock).first);
	expect(most.b >= place_of(function).first && most.b <= place_of(function).last);
}

static void test_spinlocks(void)
{
	int sensors = open_sensors();
	struct monitor outer, inner;

	need_spinlocks();
	outer = make(sensors, hold_of_lock(raw_family(), "nested_outer_lock"));
	inner = make(sensors, hold_of_lock(raw_family(), "nested_inner_lock"));
	nest("run", ROUNDS);
	expect_held(&outer, ROUNDS, 75, "nested_outer_lock", "nested_outer");
	expect_held(&inner, ROUNDS, 25, "nested_inner_lock", "nested_inner");
	/* Released in the other order. */
	nest("crossed", ROUNDS);
	expect_eq(count_at(&outer, -1), 2 * ROUNDS);
	expect_eq(count_at(&inner, -1), 2 * ROUNDS);
	expect(us(&outer, least_of(&outer, 0)) >= 49);
	expect(us(&inner, sum_at(&inner, -1, inner.header->sum)) >= ROUNDS * (24 + 49));
}

/* The bin of a time, or one that also has times a bit shorter. */
static __u32 bin_of_us(const struct monitor *m, __u64 n)
{
	return bin_of(&m->header->sensor.axis[0], m->header->clock_hz / 1000000 * n);
}

/* The shortest way: nothing but one histogram of all spinlocks. */
static void test_shortest(void)
{
	struct ft_sensor_mark most = { 0 };
	struct monitor m;
	__u64 count = 0;
	__u32 bin;

	need_spinlocks();
	m = make(open_sensors(), hold_of("lock/spin/hold", raw_family()));
	nest("run", ROUNDS);
	/* The two locks of ft_nested are among those that are held for so long. */
	for (bin = bin_of_us(&m, 24); bin < m.header->n_bins; bin++)
		count += bin_at(&m, 0, bin);
	expect(count >= 2 * ROUNDS);
	expect(count_at(&m, 0) > count);
	expect(most_of(&m, 0, &most));
	expect(us(&m, most.most) >= 74);
	expect(us(&m, sum_at(&m, 0, m.header->sum)) >= ROUNDS * (74 + 24));
}

static struct ft_sensor hold_by_site(enum ft_lock_family family, unsigned int bits)
{
	struct ft_sensor def = hold_of("test/hold", family);

	def.split = FT_SPLIT_SITE;
	def.rows = 512;		/* room for all sites: nobody's is crowded out */
	def.axis[0].bits = bits;
	/* Few locks are held for longer than 20 ms; more bins would not fit. */
	def.axis[0].bins = bits == 2 ? 39 << bits : 24 << bits;
	return def;
}

/* What is in rows of a function's places; @others: what is in those of others. */
static __u64 count_at_place(const struct monitor *m, const char *function, __u64 at_least,
			    __u64 *others)
{
	struct ft_sensor_range place = place_of(function);
	__u32 copy, row, bin;
	__u64 key, n, count = 0;

	*others = 0;
	for (copy = 0; copy < m->header->copies; copy++)
		for (row = 1; row < m->header->rows; row++) {
			key = word_at(row_of(m, copy, row), m->header->key);
			/* Longer than all bins, where the VM's host has much else to do. */
			if (key >= place.first && key <= place.last)
				count += word_at(row_of(m, copy, row), m->header->over);
			for (bin = 0; bin < m->header->n_bins; bin++) {
				n = word_at(row_of(m, copy, row), m->header->bins + bin * 8);
				if (key < place.first || key > place.last)
					*others += n;
				else if (n && bin < bin_of_us(m, at_least))
					fail("%llu sections were too short", n);
				else
					count += n;
			}
		}
	return count;
}

/*
 * A histogram for each place: @function takes a lock of this family for so long. With the bins
 * that the default sensors have, and with others; with the key of such locks, and with others.
 */
static void expect_at_place(enum ft_lock_family family, const char *function, __u64 at_least)
{
	static const struct {
		unsigned int	bits;
		__u32		key;
	} ways[] = { { 2, FT_KEY_AUTO }, { 3, FT_KEY_AUTO }, { 2, FT_KEY_WORD }, { 2, FT_KEY_TASK } };
	struct ft_sensor def;
	struct monitor m;
	unsigned int i;
	__u64 others;
	int sensors;

	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		sensors = open_sensors();
		def = hold_by_site(family, ways[i].bits);
		def.key = ways[i].key;
		m = make(sensors, def);
		nest("run", ROUNDS);
		expect_eq(count_at_place(&m, function, at_least, &others), ROUNDS);
		expect(others > 0);
		expect_eq(end_sensor(sensors, &m), 0);
	}
}

static void test_sites(void)
{
	need_spinlocks();
	expect_at_place(raw_family(), "nested_inner", 24);
}

static void test_sites_of_mutexes(void)
{
	need_locks();
	expect_at_place(FT_LOCK_MUTEX, "nested_sleeping", is_rt() ? 100 : 175);
}

/*
 * A task reads a lock twice at a time: the latest acquisition ends first, as in ft report. With
 * the bins of the default sensors, with others, and where there are two sensors.
 */
static void expect_read_twice(enum ft_lock_family family, const char *lock, const char *outer,
			      const char *inner)
{
	static const unsigned int bits[] = { 2, 3 };
	int sensors = open_sensors();
	struct monitor by_site, of_lock;
	unsigned int i;
	__u64 others;

	need_locks();
	if (!has_event(FT_ID_ACQUIRE(family)))
		skip("this kernel has no events of locks for reading");
	for (i = 0; i < ARRAY_SIZE(bits); i++) {
		by_site = make(sensors, hold_by_site(family, bits[i]));
		nest("reads", ROUNDS);
		expect_eq(count_at_place(&by_site, inner, 24, &others), ROUNDS);
		expect_eq(count_at_place(&by_site, outer, 74, &others), ROUNDS);
		expect_eq(end_sensor(sensors, &by_site), 0);
	}
	by_site = make(sensors, hold_by_site(family, 2));
	of_lock = make(sensors, hold_of_lock(family, lock));
	nest("reads", ROUNDS);
	expect_eq(count_at_place(&by_site, inner, 24, &others), ROUNDS);
	expect_eq(count_at_place(&by_site, outer, 74, &others), ROUNDS);
	expect_eq(count_at(&of_lock, -1), 2 * ROUNDS);
	expect(us(&of_lock, least_of(&of_lock, 0)) >= 24);
	expect(us(&of_lock, sum_at(&of_lock, -1, of_lock.header->sum)) >= ROUNDS * (24 + 74));
}

static void test_reads_twice(void)
{
	expect_read_twice(FT_LOCK_RWSEM_READ, "nested_rwsem", "nested_rwsem_outer",
			  "nested_rwsem_inner");
}

static void test_reads_twice_spinning(void)
{
	expect_read_twice(FT_LOCK_RWLOCK_READ, "nested_rwlock", "nested_rwlock_outer",
			  "nested_rwlock_inner");
}

/* A table has room for two of a task: the first of three makes room, and its end is alone. */
static void test_reads_thrice(void)
{
	struct monitor m;
	__u64 others;

	need_locks();
	m = make(open_sensors(), hold_by_site(FT_LOCK_RWSEM_READ, 2));
	nest("thrice", ROUNDS);
	expect_eq(count_at_place(&m, "nested_rwsem_inner", 24, &others), ROUNDS);
	expect_eq(count_at_place(&m, "nested_rwsem_outer", 74, &others), ROUNDS);
	expect_eq(count_at_place(&m, "nested_thrice", 0, &others), 0);
	expect(copies_of(&m, forgotten) >= ROUNDS);
	expect(copies_of(&m, alone) >= ROUNDS);
}

/* Many are in the table at a time; one that has to make room is told. */
static void test_many(void)
{
	__u64 count, others;
	struct monitor m;

	need_locks();
	m = make(open_sensors(), hold_by_site(FT_LOCK_MUTEX, 2));
	nest("many", 5);
	count = count_at_place(&m, "nested_many", 0, &others);
	expect(count <= 5 * 800 && count + copies_of(&m, forgotten) >= 5 * 800);
	expect(copies_of(&m, forgotten) <= 5 * 10);
}

static void test_ranges(void)
{
	struct ft_sensor_range places[2] = { place_of("nested_outer"), place_of("nested_inner") };
	struct ft_sensor def = hold_of("test/hold", raw_family());
	struct monitor in, out;
	int sensors = open_sensors();

	need_spinlocks();
	if (places[0].first > places[1].first) {
		places[0] = places[1];
		places[1] = place_of("nested_outer");
	}
	def.n_ranges = 2;
	def.ranges = (uintptr_t)places;
	in = make(sensors, def);
	def.flags = FT_SENSOR_OUTSIDE;
	def.test[0] = (struct ft_test){ .what = FT_TEST_A, .mask = ~0ull,
					.value = place_of("nested_outer_lock").first };
	out = make(sensors, def);
	nest("run", ROUNDS);
	expect_eq(count_at(&in, -1), 2 * ROUNDS);
	expect_eq(count_at(&out, -1), 0);
	nest("crossed", ROUNDS);
	expect_eq(count_at(&in, -1), 2 * ROUNDS);
	expect_eq(count_at(&out, -1), ROUNDS);
}

static void test_depth(void)
{
	int sensors = open_sensors();
	static const char *const locks[] = { "nested_outer_lock", "nested_inner_lock" };
	struct monitor m[2];
	__u32 i, j, k;

	need_spinlocks();
	for (i = 0; i < 2; i++) {
		struct ft_sensor def = hold_of_lock(raw_family(), locks[i]);

		def.kind = FT_SENSOR_HISTOGRAM2;
		def.axis[1] = (struct ft_sensor_axis){ .value = FT_VALUE_DEPTH, .bins = 8,
						       .flags = FT_AXIS_LINEAR };
		m[i] = make(sensors, def);
	}
	nest("run", ROUNDS);
	for (i = 0; i < 2; i++)
		for (j = 0; j < 8; j++) {
			__u64 count = 0;

			for (k = 0; k < 16 * 37; k++)
				count += bin_at(&m[i], 0, j * 16 * 37 + k);
			expect_eq(count, j == i ? ROUNDS : 0);
		}
}

/*
 * What a CPU holds when the last sensor of its family ends is not seen to be released, and is no
 * lock in which others are nested.
 */
static void test_depth_after_others(void)
{
	struct ft_sensor def = hold_of_lock(raw_family(), "nested_outer_lock");
	int sensors = open_sensors(), others = open_sensors(), i, j;
	struct monitor depth, reads;
	__u64 outermost = 0;
	pid_t pid;

	if (is_rt())
		skip("no other family of locks spins");
	if (!the_cpu())
		skip("it takes two CPUs");
	need_spinlocks();
	def.kind = FT_SENSOR_HISTOGRAM2;
	def.axis[1] = (struct ft_sensor_axis){ .value = FT_VALUE_DEPTH, .bins = 8,
					       .flags = FT_AXIS_LINEAR };
	depth = make(sensors, def);
	/*
	 * Half of the time the worker, which is where the child is, has the rwlock. It is on another
	 * CPU than what ends the sensor: nobody is preempted who has one.
	 */
	pin(the_cpu());
	for (i = 0; i < 10; i++) {
		reads = make(others, hold_of_lock(FT_LOCK_RWLOCK_READ, "nested_rwlock"));
		pid = fork();
		if (!pid) {
			pin(0);
			nest("reads", 200);
			_exit(0);
		}
		while (!count_at(&reads, -1))
			usleep(100 * i);
		expect_ok(end_sensor(others, &reads));
		join(pid);
	}
	pin(0);
	nest("run", ROUNDS);
	for (j = 0; j < 16 * 37; j++)
		outermost += bin_at(&depth, 0, j);
	expect_eq(outermost, ROUNDS);
}

/* More locks at a time than there is room for: all is accounted for. */
static void test_deep(void)
{
	struct ft_sensor def = hold_of("lock/spin/hold", raw_family());
	int sensors = open_sensors();
	struct monitor all, deep, word;

	need_spinlocks();
	all = make(sensors, def);
	def.split = FT_SPLIT_WORD;
	def.rows = 4;
	deep = make(sensors, def);
	def.key = FT_KEY_WORD;
	word = make(sensors, def);
	nest("deep", ROUNDS);
	expect(copies_of(&all, forgotten) >= 15 * ROUNDS);
	expect(copies_of(&all, alone) >= 15 * ROUNDS);
	expect_eq(copies_of(&all, forgotten), copies_of(&deep, forgotten));
	/* These are in a table, which has room. */
	expect(copies_of(&word, forgotten) < 15 * ROUNDS);
}

/* An interrupt that finds no room leaves what the task has there, which it came into. */
static void test_deep_interrupt(void)
{
	int sensors = open_sensors();
	struct monitor outer, all;

	need_spinlocks();
	outer = make(sensors, hold_of_lock(raw_family(), "nested_outer_lock"));
	all = make(sensors, hold_of("lock/spin/hold", raw_family()));
	nest("interrupted", ROUNDS);
	expect_eq(count_at(&outer, -1), ROUNDS);
	/* There are 20, beside the task's one. */
	expect(copies_of(&all, forgotten) >= 6 * ROUNDS);
	expect(copies_of(&all, alone) >= 6 * ROUNDS);
}

/* Takes a spinlock and releases it, again and again. */
static void lock_for_ever(void)
{
	for (;;)
		close(dup(0));
}

/*
 * Its two events go off one after the other. Until then, what one sees, the other one sees,
 * whatever other CPUs do meanwhile.
 */
static void test_end(void)
{
	int sensors = open_sensors(), i;
	struct monitor m;

	need_spinlocks();
	if (!fork()) {
		pin(0);
		lock_for_ever();
	}
	for (i = 0; i < 10; i++) {
		m = make(sensors, hold_of("test/hold", raw_family()));
		nest("run", ROUNDS);
		expect_ok(end_sensor(sensors, &m));
		expect(count_at(&m, 0) >= 2 * ROUNDS);
		expect_eq(copies_of(&m, forgotten), 0);
	}
}

static void test_mutex(void)
{
	struct monitor m;

	need_locks();
	m = make(open_sensors(), hold_of_lock(FT_LOCK_MUTEX, "nested_mutex"));
	nest("run", ROUNDS);
	expect_held(&m, ROUNDS, is_rt() ? 100 : 175, "nested_mutex", "nested_sleeping");
}

/* Any task may release it. */
static void test_semaphore(void)
{
	struct monitor m;

	need_locks();
	m = make(open_sensors(), hold_of_lock(FT_LOCK_SEMAPHORE, "nested_semaphore"));
	expect_eq(m.header->sensor.key, FT_KEY_WORD);
	nest("handed", ROUNDS);
	expect_held(&m, ROUNDS, 25, "nested_semaphore", "nested_handed");
	expect_eq(copies_of(&m, forgotten), 0);
}

/* Two tasks want the mutex that a parameter of a module has. */
static void test_waits(void)
{
	struct ft_sensor def = histogram_of("lock/mutex/wait", FT_ID_CONTENTION_END);
	struct ft_sensor counter = counter_of("test/contention", FT_ID_CONTENTION_END);
	struct ft_sensor_mark most = { 0 };
	struct monitor m;
	pid_t pid;

	def.begin = FT_ID_CONTENTION_BEGIN;
	def.axis[0].value = FT_VALUE_TIME;
	/* LCB_F_MUTEX, or LCB_F_RT and not one of those with readers */
	def.test[0] = (struct ft_test){ .what = FT_TEST_B, .mask = is_rt() ? 15 : 32,
					.value = is_rt() ? 8 : 32, .flags = FT_TEST_AT_BEGIN };
	if (try_make(open_sensors(), &counter))
		skip("this kernel has no tracepoints of contention");
	m = make(open_sensors(), def);
	expect_eq(m.header->sensor.key, FT_KEY_WAIT);
	pid = fork();
	nest("run", 300);
	if (!pid)
		_exit(0);
	join(pid);
	expect(count_at(&m, -1) >= 1);
	expect(most_of(&m, -1, &most));
	expect(most.b & (is_rt() ? 8 : 32));
}

/* Waits of ft_waits whose flags, of those in @mask, are @flags. */
static struct ft_sensor wait_of(__u64 mask, __u64 flags)
{
	struct ft_sensor def = histogram_of("test/wait", FT_ID_CONTENTION_END);

	def.begin = FT_ID_CONTENTION_BEGIN;
	def.axis[0].value = FT_VALUE_TIME;
	def.test[0] = (struct ft_test){
		.what = FT_TEST_A, .mask = ~0ull, .value = place_of("waits_semaphore").first,
	};
	def.test[1] = (struct ft_test){
		.what = FT_TEST_B, .mask = mask, .value = flags, .flags = FT_TEST_AT_BEGIN,
	};
	return def;
}

/* The spinlock inside of a lock has its address, and contention_end does not say which it is. */
static void test_waits_inside(void)
{
	__u64 us = get_info(open_control()).clock_hz / 1000000;
	int sensors = open_sensors();
	struct monitor outer, inner;

	if (!has_event(FT_ID_CONTENTION_BEGIN))
		skip("this kernel has no tracepoints of contention");
	outer = make(sensors, wait_of(0x2f, 0));	/* LCB_F_*: a semaphore */
	inner = make(sensors, wait_of(0x21, 1));	/* LCB_F_SPIN, and not LCB_F_MUTEX */
	fire("/sys/module/ft_waits/parameters/run", ROUNDS);
	expect_eq(count_at(&outer, -1), ROUNDS);
	expect_eq(count_at(&inner, -1), ROUNDS);
	expect(least_of(&outer, 0) >= us * WAITS_LONG_US);
	expect(least_of(&inner, 0) >= us * WAITS_SHORT_US);
}

static const struct api_test tests[] = {
	{ "spinlocks of known length", test_spinlocks },
	{ "all spinlocks", test_shortest },
	{ "by call site", test_sites },
	{ "mutexes by call site", test_sites_of_mutexes },
	{ "a rwsem that is read twice", test_reads_twice },
	{ "a rwlock that is read twice", test_reads_twice_spinning },
	{ "a rwsem that is read three times", test_reads_thrice },
	{ "many mutexes at a time", test_many },
	{ "sites that count", test_ranges },
	{ "how deep they are nested", test_depth },
	{ "deeper than there is room", test_deep },
	{ "an interrupt goes too deep", test_deep_interrupt },
	{ "the end of a sensor", test_end },
	{ "a mutex of known length", test_mutex },
	{ "a semaphore that another task releases", test_semaphore },
	{ "how deep they are nested, when others have ended", test_depth_after_others },
	{ "waits", test_waits },
	{ "waits inside of waits", test_waits_inside },
};

API_MAIN("api_sensors_locks", tests)
