// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Sensors: /dev/ft_trace_sensors. The modules ft_bench, ft_nested and ft_points are loaded.
 * Pairs of events are in api_sensors_pairs.c, what locks give in api_sensors_locks.c, and beside
 * a trace in api_sensors_trace.c, what monitors may do in api_sensors_monitors.c.
 */
#include "sensors.h"

/* --- kinds ---------------------------------------------------------------- */

static void test_counter(void)
{
	int sensors = open_sensors(), i;
	struct monitor m = make(sensors, counter_of("test/marks", FT_ID_MARK));

	expect_eq(m.header->copies, get_info(open_control()).cpus);
	expect_eq(m.header->state, FT_SENSOR_LIVE);
	for (i = 0; i < 1000; i++)
		mark_it(i, i);
	expect_eq(count_at(&m, -1), 1000);
	expect_ok(end_sensor(sensors, &m));
	mark_it(1, 1);
	/* What was mapped stays. */
	expect_eq(count_at(&m, -1), 1000);
	expect_eq(m.header->state, FT_SENSOR_GONE);
	expect_error(end_sensor(sensors, &m), ENOENT);
}

/* @expected: of each bin, and of what is above them. */
static void expect_bins(const struct monitor *m, int row, const __u64 *expected)
{
	__u32 i, n = m->header->n_bins;

	for (i = 0; i < n; i++)
		if (bin_at(m, row, i) != expected[i])
			fail("bin %u has %llu, not %llu", i, bin_at(m, row, i), expected[i]);
	expect_eq(sum_at(m, row, m->header->over), expected[n]);
}

static void test_histogram(void)
{
	struct monitor m = make(open_sensors(), histogram_of("test/words", FT_ID_MARK));
	const struct ft_sensor_axis *axis = &m.header->sensor.axis[0];
	static const __u64 values[] = {
		17, 0, 1, 15, 16, 17, 31, 32, 33, 34, 35, 1000, 123456, 1ull << 40, ~0ull,
		(1ull << 40) - 1, 0, 16, 1000, 1001, 1023, 1024,
	};
	__u64 expected[16 * 37 + 1] = { 0 }, sum = 0;
	struct ft_sensor_mark most = { 0 };
	size_t i, round;

	for (round = 0; round < 3; round++)
		for (i = 0; i < ARRAY_SIZE(values); i++) {
			mark_it(values[i], i);
			expected[bin_of(axis, values[i])]++;
			sum += values[i];
		}
	expect_bins(&m, 0, expected);
	expect_eq(sum_at(&m, 0, m.header->under), 0);
	expect_eq(sum_at(&m, 0, m.header->sum), sum);
	expect(most_of(&m, 0, &most));
	expect_eq(most.most, ~0ull);
	expect_eq(most.a, ~0ull);
	expect_eq(most.b, 14);
	expect_eq(most.tid, getpid());
	expect_eq(least_of(&m, 0), 0);
}

/* The quick way must not take what is above all bins, however often it comes. */
static void test_few_bins(void)
{
	struct ft_sensor def = histogram_of("test/bench", id_of("bench"));
	__u64 expected[32 + 1];
	struct monitor m;
	int i;

	def.axis[0].bins = 32;		/* of 0 to 31 */
	m = make(open_sensors(), def);
	for (i = 0; i < 3; i++)
		bench(100);
	for (i = 0; i < 32; i++)
		expected[i] = 3;
	expected[32] = 3 * 68;
	expect_bins(&m, 0, expected);
	expect_eq(sum_at(&m, 0, m.header->sum), 3 * 4950);
}

/* Bins of one width, from a value below 0 on. */
static void test_linear(void)
{
	struct ft_sensor def = histogram_of("test/linear", FT_ID_MARK);
	__u64 expected[6] = { 3, 2, 0, 0, 1, 2 };
	struct monitor m;

	def.axis[0] = (struct ft_sensor_axis){
		.value = FT_VALUE_B, .flags = FT_AXIS_LINEAR | FT_AXIS_SIGNED, .shift = 3,
		.bins = 5, .low = -8ll,
	};
	snprintf(def.unit, sizeof(def.unit), "bytes");
	m = make(open_sensors(), def);
	mark_it(0, -9ll);
	mark_it(0, -1000ll);
	mark_it(0, -8ll);
	mark_it(0, -1ll);
	mark_it(0, -2ll);
	mark_it(0, 0);
	mark_it(0, 7);
	mark_it(0, 31);
	mark_it(0, 32);
	mark_it(0, 1ull << 62);
	expect_bins(&m, 0, expected);
	expect_eq(sum_at(&m, 0, m.header->under), 2);
	expect_eq(sum_at(&m, 0, m.header->sum), -950ll + (1ll << 62));
	expect_eq((long long)least_of(&m, 0), -1000);
	expect(!strcmp(m.header->sensor.unit, "bytes"));
}

static void test_scalar(void)
{
	struct ft_sensor def = counter_of("test/scalar", FT_ID_MARK);
	struct ft_sensor_mark mark = { 0 };
	struct monitor m;

	def.kind = FT_SENSOR_SCALAR;
	def.axis[0].value = FT_VALUE_A;
	pin(the_cpu());
	m = make(open_sensors(), def);
	expect(!most_of(&m, 0, &mark));
	mark_it(5, 50);
	mark_it(9, 90);
	mark_it(3, 30);
	mark_it(7, 70);
	expect(most_of(&m, 0, &mark));
	expect_eq(mark.most, 9);
	expect_eq(mark.a, 9);
	expect_eq(mark.b, 90);
	expect_eq(mark.tid, getpid());
	expect_eq(mark.cpu, the_cpu());
	expect_eq(mark.least, 3);
	expect_eq(mark.last, 7);
	expect(mark.last_ts > mark.ts && mark.ts > m.header->since_ticks);
	expect_eq(count_at(&m, 0), 4);
	expect_eq(sum_at(&m, 0, m.header->sum), 24);
}

static void test_two_values(void)
{
	struct ft_sensor def = histogram_of("test/two", FT_ID_MARK);
	__u64 expected[4 * 3 + 1] = { 0 };
	struct monitor m;
	__u64 a, b, i, n;

	def.kind = FT_SENSOR_HISTOGRAM2;
	def.axis[0] = (struct ft_sensor_axis){ .value = FT_VALUE_A, .bins = 4,
					       .flags = FT_AXIS_LINEAR };
	def.axis[1] = (struct ft_sensor_axis){ .value = FT_VALUE_B, .bins = 3, .low = 1,
					       .flags = FT_AXIS_LINEAR };
	m = make(open_sensors(), def);
	for (a = 0; a < 6; a++)
		for (b = 0; b < 6; b++)
			mark_it(a, b);
	for (i = 0; i < 12; i++) {		/* each has another number */
		for (n = 0; n < i; n++)
			mark_it(i % 4, 1 + i / 4);
		expected[i] = 1 + i;
	}
	expected[12] = 6 + 6 + 4 * 2;		/* of the first, or of the second */
	expect_bins(&m, 0, expected);
	expect_eq(sum_at(&m, 0, m.header->under), 4);
}

/* --- splits --------------------------------------------------------------- */

static int row_with(const struct monitor *m, __u32 copy, __u64 key)
{
	__u32 i;

	for (i = 1; i < m->header->rows; i++)
		if (word_at(row_of(m, copy, i), m->header->key) == key)
			return i;
	return -1;
}

static void test_split(void)
{
	struct ft_sensor def = histogram_of("test/split", FT_ID_MARK);
	struct monitor words, sites, tasks, contexts;
	int sensors = open_sensors();
	__u64 i, sum = 0;
	__u32 row;

	pin(the_cpu());
	def.rows = 64;
	def.split = FT_SPLIT_WORD;
	words = make(sensors, def);
	def.split = FT_SPLIT_SITE;
	sites = make(sensors, def);
	def.split = FT_SPLIT_TASK;
	tasks = make(sensors, def);
	def.split = FT_SPLIT_CONTEXT;
	def.rows = FT_SENSOR_CONTEXTS;
	contexts = make(sensors, def);
	for (i = 1; i <= 300; i++)
		mark_it(1 + i % 7, 1000 + i % 3);
	for (i = 1; i <= 7; i++)
		expect_eq(count_at(&words, row_with(&words, the_cpu(), i)), i == 1 ? 42 : 43);
	expect_eq(count_at(&words, 0), 0);
	for (i = 1000; i < 1003; i++)
		expect_eq(count_at(&sites, row_with(&sites, the_cpu(), i)), 100);
	expect_eq(count_at(&tasks, row_with(&tasks, the_cpu(), getpid())), 300);
	expect_eq(count_at(&contexts, row_with(&contexts, the_cpu(), 1)), 300);

	/* More keys than rows: what finds none is in the first, and is counted. */
	for (i = 100; i < 1100; i++)
		mark_it(i, 2000);
	for (row = 1; row < words.header->rows; row++)
		sum += count_at(&words, row);
	expect(count_at(&words, 0) > 900);
	expect_eq(count_at(&words, 0), copies_of(&words, crowded));
	expect_eq(count_at(&words, 0) + sum, 1300);
	/* A key of 0 has no row. */
	mark_it(0, 2000);
	expect_eq(count_at(&words, 0), copies_of(&words, crowded) + 1);
}

/* --- with others --------------------------------------------------------- */

/* Also of an event that a trace is on for, and with it. */
static void test_with_a_trace(void)
{
	int sensors = open_sensors(), control = start(1024), i;
	struct monitor m = make(sensors, counter_of("test/marks", FT_ID_MARK));
	struct monitor b = make(sensors, counter_of("test/bench", id_of("bench")));

	for (i = 0; i < 10; i++)
		mark_it(i, i);
	bench(10);
	expect_eq(count_at(&m, -1), 10);
	expect_eq(count_at(&b, -1), 10);
	expect_eq(cpu_stats().written, 10);
	expect_ok(enable_flags(control, FT_IOC_ENABLE, id_of("bench"), 0));
	bench(10);
	expect_eq(count_at(&b, -1), 20);
	expect_eq(cpu_stats().written + cpu_stats().lost, 20);
	disable(control);
	expect_ok(enable_flags(control, FT_IOC_DISABLE, id_of("bench"), 0));
	bench(10);
	mark_it(1, 1);
	expect_eq(count_at(&b, -1), 30);
	expect_eq(count_at(&m, -1), 11);
	expect_eq(get_info(control).active, 0);
}

/* What the module's event counts goes on when the module is back. */
static void test_module_comes_back(void)
{
	struct monitor m = make(open_sensors(), counter_of("test/bench", id_of("bench")));
	char command[512];

	bench(7);
	expect_eq(count_at(&m, -1), 7);
	snprintf(command, sizeof(command), "rmmod ft_bench && insmod %s/tests/modules/ft_bench.ko",
		 getenv("FT_MODULES"));
	expect_eq(system(command), 0);
	bench(5);
	expect_eq(count_at(&m, -1), 12);
}

static void test_tracepoint(void)
{
	struct ft_tracepoint point = { .name = "ft_points_fire" };
	int control = open_control();
	struct monitor m;
	FILE *f;

	if (ioctl(control, FT_IOC_TRACEPOINT, &point))
		skip("this kernel does not show tracepoints of modules");
	m = make(open_sensors(), histogram_of("test/point", point.id));
	f = fopen("/sys/module/ft_points/parameters/fire", "w");
	expect(f && fprintf(f, "100") > 0 && !fclose(f));
	expect_eq(count_at(&m, -1), 100);
	expect_eq(sum_at(&m, -1, m.header->sum), 5050);
}

/* Enter and exit in a task, and both in an interrupt between them: two pairs. */
static void test_interrupted_pair(void)
{
	struct ft_tracepoint enter = { .name = "ft_points_fire" };
	struct ft_tracepoint leave = { .name = "ft_points_narrow" };
	int control = open_control();
	struct ft_sensor def;
	struct monitor m;
	FILE *f;

	if (ioctl(control, FT_IOC_TRACEPOINT, &enter) || ioctl(control, FT_IOC_TRACEPOINT, &leave))
		skip("this kernel does not show tracepoints of modules");
	def = histogram_of("test/inside", leave.id);
	def.begin = enter.id;
	def.key = FT_KEY_TASK;
	def.axis[0].value = FT_VALUE_TIME;
	m = make(open_sensors(), def);
	f = fopen("/sys/module/ft_points/parameters/inside", "w");
	expect(f && fprintf(f, "1") > 0 && !fclose(f));
	expect_eq(count_at(&m, -1), 2);
}

/* --- conditions ----------------------------------------------------------- */

static struct ft_when above(const struct monitor *m, __u64 value)
{
	return (struct ft_when){
		.flags = FT_WHEN_SENSOR, .sensor = m->number, .longer_ns = value,
	};
}

static struct ft_when_state state_of(int control, __u32 number)
{
	struct ft_when_state state = { .number = number };

	expect_ok(ioctl(control, FT_IOC_WHEN_STATE, &state));
	return state;
}

/* The quick way is open to values up to 4999: it closes, as a condition wants to see some. */
static void test_condition_closes_gates(void)
{
	int control = start(1024);
	struct monitor m = make(open_sensors(), histogram_of("test/bench", id_of("bench")));
	struct ft_when_state state;
	struct ft_when when;

	bench(5000);
	when = above(&m, 1000);
	expect_ok(ioctl(control, FT_IOC_WHEN, &when));
	bench(1003);
	state = state_of(control, when.number);
	expect_eq(state.fulfilled, 2);
	expect_eq(state.measured, 1001);
}

/* What a sensor measures may be worth a snapshot; it need not be the greatest so far. */
static void test_condition(void)
{
	int control = start(1024), sensors = open_sensors();
	struct monitor words = make(sensors, histogram_of("test/words", FT_ID_MARK));
	struct monitor times = make(sensors, from_bench(FT_KEY_WORD));
	struct monitor counter = make(sensors, counter_of("test/marks", FT_ID_MARK));
	struct ft_when when, longer;
	struct ft_when_state state;

	mark_it(5000, 1);
	when = above(&words, 1000);
	expect_ok(ioctl(control, FT_IOC_WHEN, &when));
	mark_it(1000, 1);
	expect_eq(state_of(control, when.number).fulfilled, 0);
	mark_it(1001, 1);
	mark_it(4000, 1);
	state = state_of(control, when.number);
	expect_eq(state.fulfilled, 2);
	expect_eq(state.measured, 1001);
	expect_eq(state.tid, getpid());
	expect_eq(cpu_stats().written, 4 + 2);	/* with those of the condition */

	longer = above(&times, 1000000);
	expect_ok(ioctl(control, FT_IOC_WHEN, &longer));
	bench(3);
	sleep_ms(2);
	mark_it(2, 1);
	state = state_of(control, longer.number);
	expect_eq(state.fulfilled, 1);
	expect(state.measured > times.header->clock_hz / 1000);
	longer = above(&times, 3600000000000ull);
	expect_ok(ioctl(control, FT_IOC_WHEN, &longer));
	mark_it(1, 1);
	expect_eq(state_of(control, longer.number).fulfilled, 0);

	/* Of what there is not, or has no values. */
	when = above(&counter, 1);
	expect_error(ioctl(control, FT_IOC_WHEN, &when), EINVAL);
	when = above(&words, 1);
	when.event = FT_ID_MARK;
	expect_error(ioctl(control, FT_IOC_WHEN, &when), EINVAL);
	when = above(&words, 1);
	when.flags = 0;
	expect_error(ioctl(control, FT_IOC_WHEN, &when), EINVAL);
	when = above(&words, 1);
	when.sensor = FT_SENSORS_MAX;
	expect_error(ioctl(control, FT_IOC_WHEN, &when), ENOENT);

	/* The sensor goes first. */
	expect_ok(end_sensor(sensors, &words));
	mark_it(100000, 1);
	expect_eq(state_of(control, 0).fulfilled, 2);
	close(control);
	mark_it(1, 1);
}

/* --- which there are ------------------------------------------------------ */

static const struct ft_sensor_directory *map_directory(int sensors)
{
	const struct ft_sensor_directory *d;

	d = mmap(NULL, 4096, PROT_READ, MAP_SHARED, sensors, 0);
	expect(d != MAP_FAILED);
	expect_eq(d->magic, FT_SENSOR_DIRECTORY_MAGIC);
	expect_eq(d->version, FT_SENSOR_VERSION);
	expect_eq(d->entries, FT_SENSORS_MAX);
	expect_eq(d->generation & 1, 0);
	return d;
}

static const struct ft_sensor_entry *entry_of(const struct ft_sensor_directory *d, __u32 number)
{
	return (const void *)((const char *)d + d->header_bytes + (number - 1) * d->entry_bytes);
}

static void test_directory(void)
{
	int sensors = open_sensors(), others = open_sensors();
	const struct ft_sensor_directory *d = map_directory(others);
	struct ft_sensor def = counter_of("test/name", FT_ID_MARK);
	struct ft_sensor persistent = counter_of("test/persistent", FT_ID_MARK);
	struct ft_sensor_info info = { 0 };
	struct monitor one, two, kept;
	__u64 generation;

	/* A mapping keeps its descriptor, so those of the first are made through the other. */
	expect_ok(try_make(sensors, &def));
	one = map_sensor(others, def.number);
	two = make(others, counter_of("test/name", FT_ID_MARK));
	persistent.flags = FT_SENSOR_PERSIST;
	expect_ok(try_make(sensors, &persistent));
	kept = map_sensor(others, persistent.number);
	expect_eq(one.header->sensor.instance, 1);
	expect_eq(two.header->sensor.instance, 2);
	expect_eq(entry_of(d, two.number)->instance, 2);
	expect_eq(entry_of(d, two.number)->serial, two.serial);
	expect_eq(entry_of(d, one.number)->kind, FT_SENSOR_COUNTER);
	expect(!strcmp(entry_of(d, one.number)->name, "test/name"));
	expect_error(end_sensor(sensors, &two), EPERM);

	generation = d->generation;
	close(sensors);
	expect(d->generation > generation);
	expect_eq(entry_of(d, one.number)->serial, 0);
	expect_eq(one.header->state, FT_SENSOR_GONE);
	expect_eq(kept.header->state, FT_SENSOR_LIVE);
	info.sensor.number = one.number;
	expect_ok(ioctl(others, FT_IOC_SENSOR_NEXT, &info));
	expect_eq(info.sensor.number, two.number);
	mark_it(1, 1);
	expect_eq(count_at(&one, -1), 0);
	expect_eq(count_at(&two, -1), 1);
	expect_eq(count_at(&kept, -1), 1);
	/* Whoever may change things may remove it. */
	expect_ok(end_sensor(others, &kept));
	/* A number is free again, a serial is not. */
	persistent = counter_of("test/other", FT_ID_MARK);
	expect_ok(try_make(others, &persistent));
	expect_eq(persistent.number, one.number);
	expect_error(end_sensor(others, &one), ENOENT);
	info = (struct ft_sensor_info){ .sensor.number = two.number + 1 };
	expect_error(ioctl(others, FT_IOC_SENSOR_NEXT, &info), ENOENT);
}

static void test_too_many(void)
{
	int sensors = open_sensors();
	struct ft_sensor def = counter_of("test/many", FT_ID_MARK);
	struct monitor first = make(sensors, def);
	unsigned int n = 1;

	while (!try_make(sensors, &def)) {
		n++;
		def = counter_of("test/many", FT_ID_MARK);
	}
	expect_eq(errno, ENOSPC);
	expect_eq(n, 32);
	mark_it(1, 1);
	expect_eq(count_at(&first, -1), 1);
}

static void refuse(int sensors, struct ft_sensor def, int error, int line)
{
	if (try_make(sensors, &def) != -1 || errno != error)
		fail("line %d: %s, expected %s", line, strerror(errno), strerror(error));
}

#define refused(change, error)						\
do {									\
	struct ft_sensor def = hold;					\
									\
	change;								\
	refuse(sensors, def, error, __LINE__);				\
} while (0)

static void test_bad_ones(void)
{
	const struct ft_sensor hold = from_bench(FT_KEY_AUTO);
	struct ft_sensor_range ranges[2] = { { 5, 9 }, { 9, 12 } };
	struct ft_sensor_end end = { 0 };
	struct ft_sensor_info info = { 0 };
	int sensors = open_sensors();

	refused(def.number = 1, EINVAL);
	refused(def.instance = 1, EINVAL);
	refused(def.kind = FT_SENSOR_HISTOGRAM2 + 1, EINVAL);
	refused(def.flags = 4, EINVAL);
	refused(def.flags = FT_SENSOR_OUTSIDE, EINVAL);
	refused(def.event = 0, EINVAL);
	refused(def.event = FT_ID_MAX + 1, EINVAL);
	refused(def.event = FT_ID_MAX, ENOENT);
	refused(def.begin = FT_ID_CONDITION, ENOENT);
	refused(def.begin = 0, EINVAL);
	refused(def.key = FT_KEY_TASK + 1, EINVAL);
	refused(def.split = FT_SPLIT_CONTEXT + 1, EINVAL);
	refused(def.rows = 4, EINVAL);
	refused((def.split = FT_SPLIT_SITE, def.rows = 3), EINVAL);
	refused((def.split = FT_SPLIT_SITE, def.rows = 2 * FT_SENSOR_ROWS_MAX), EINVAL);
	refused((def.split = FT_SPLIT_CONTEXT, def.rows = 8), EINVAL);
	refused((def.split = FT_SPLIT_SITE, def.rows = FT_SENSOR_ROWS_MAX), E2BIG);
	refused(def.axis[0].value = FT_VALUE_NONE, EINVAL);
	refused(def.axis[0].value = FT_VALUE_DEPTH + 1, EINVAL);
	refused(def.axis[0].value = FT_VALUE_DEPTH, EINVAL);
	refused(def.axis[0].flags = 4, EINVAL);
	refused(def.axis[0].flags = FT_AXIS_SIGNED, EINVAL);
	refused(def.axis[0].flags = FT_AXIS_LINEAR, EINVAL);
	refused(def.axis[0].shift = 64, EINVAL);
	refused(def.axis[0].bits = 7, EINVAL);
	refused(def.axis[0].bins = 0, EINVAL);
	refused(def.axis[0].bins = FT_SENSOR_BINS_MAX + 1, EINVAL);
	refused(def.axis[1].bins = 1, EINVAL);
	refused(def.kind = FT_SENSOR_COUNTER, EINVAL);
	refused(def.kind = FT_SENSOR_SCALAR, EINVAL);
	refused(def.kind = FT_SENSOR_HISTOGRAM2, EINVAL);
	refused((def.kind = FT_SENSOR_HISTOGRAM2, def.axis[1] = def.axis[0]), EINVAL);
	refused(def.name[0] = 0, EINVAL);
	refused(def.name[0] = '/', EINVAL);
	refused(def.name[4] = ' ', EINVAL);
	refused(def.name[5] = '/', EINVAL);
	refused(name_it(&def, "test/"), EINVAL);
	refused(memset(def.name, 'x', sizeof(def.name)), EINVAL);
	refused(def.name[40] = 'x', EINVAL);
	refused(def.unit[0] = 's', EINVAL);
	refused(def.unit[3] = 's', EINVAL);
	refused(def.test[0].what = FT_TEST_COMM, EINVAL);
	refused(def.test[1].what = FT_TEST_A, EINVAL);
	refused((def.test[0].what = FT_TEST_A, def.test[0].mask = 0), EINVAL);
	refused((def.test[0] = (struct ft_test){ .what = FT_TEST_TID, .mask = 1,
						 .flags = FT_TEST_AT_BEGIN }), EINVAL);
	refused(def.reserved[3] = 1, EINVAL);
	refused(def.ranges = 1, EINVAL);
	refused(def.n_ranges = FT_SENSOR_RANGES_MAX + 1, EINVAL);
	refused((def.n_ranges = 1, def.ranges = 8), EFAULT);
	refused((def.n_ranges = 2, def.ranges = (uintptr_t)ranges), EINVAL);
	ranges[1].first = 13;
	refused((def.n_ranges = 2, def.ranges = (uintptr_t)ranges), EINVAL);
	expect_error(ioctl(sensors, FT_IOC_SENSOR_NEW, nowhere()), EFAULT);
	expect_error(ioctl(sensors, FT_IOC_SENSOR_END, nowhere()), EFAULT);
	expect_error(ioctl(sensors, FT_IOC_SENSOR_NEXT, nowhere()), EFAULT);
	expect_error(ioctl(sensors, FT_IOC_INFO, &info), ENOTTY);
	expect_error(ioctl(sensors, FT_IOC_SENSOR_END, &end), ENOENT);
	end.number = FT_SENSORS_MAX + 1;
	expect_error(ioctl(sensors, FT_IOC_SENSOR_END, &end), ENOENT);
	end.reserved = 1;
	expect_error(ioctl(sensors, FT_IOC_SENSOR_END, &end), EINVAL);
	info.reserved[0] = 1;
	expect_error(ioctl(sensors, FT_IOC_SENSOR_NEXT, &info), EINVAL);
	/* None of them has left anything. */
	info = (struct ft_sensor_info){ 0 };
	expect_error(ioctl(sensors, FT_IOC_SENSOR_NEXT, &info), ENOENT);
}

static const struct api_test tests[] = {
	{ "a counter counts each event", test_counter },
	{ "a histogram has each value in its bin", test_histogram },
	{ "a histogram of few bins", test_few_bins },
	{ "bins of one width", test_linear },
	{ "a scalar", test_scalar },
	{ "a histogram of two values", test_two_values },
	{ "a table has a row for each key", test_split },
	{ "beside a trace", test_with_a_trace },
	{ "a module comes back", test_module_comes_back },
	{ "a tracepoint", test_tracepoint },
	{ "a pair that an interrupt has between", test_interrupted_pair },
	{ "a condition closes the gates", test_condition_closes_gates },
	{ "conditions", test_condition },
	{ "the directory", test_directory },
	{ "too many", test_too_many },
	{ "bad ones", test_bad_ones },
};

API_MAIN("api_sensors", tests)
