// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Sensors: /dev/ft_trace_sensors. The modules ft_bench, ft_nested and ft_points are loaded.
 */
#include "sensors.h"

/* Marks are events of a program, with any words. */
static void fire(__u64 a, __u64 b)
{
	struct ft_mark words = { a, b };
	static int control = -1;

	if (control < 0)
		control = open_control();
	expect_ok(ioctl(control, FT_IOC_MARK, &words));
}

static void test_counter(void)
{
	int sensors = open_sensors(), i;
	struct monitor m = make(sensors, counter_of("test/marks", FT_ID_MARK));

	expect_eq(m.header->copies, get_info(open_control()).cpus);
	for (i = 0; i < 1000; i++)
		fire(i, i);
	expect_eq(count_at(&m, -1), 1000);
	expect_ok(end_sensor(sensors, &m));
	fire(1, 1);
	expect_eq(count_at(&m, -1), 1000);
	expect_eq(m.header->state, FT_SENSOR_GONE);
}

static void test_histogram(void)
{
	struct monitor m = make(open_sensors(), histogram_of("test/words", FT_ID_MARK));
	const struct ft_sensor_axis *axis = &m.header->sensor.axis[0];
	static const __u64 values[] = {
		0, 1, 15, 16, 17, 31, 32, 33, 34, 35, 1000, 123456, 1ull << 40, ~0ull,
		(1ull << 40) - 1, 0, 16, 1000, 1001, 1023, 1024,
	};
	__u64 expected[16 * 37 + 1] = { 0 }, sum = 0;
	struct ft_sensor_mark most;
	size_t i, round;

	for (round = 0; round < 3; round++)
		for (i = 0; i < ARRAY_SIZE(values); i++) {
			fire(values[i], i);
			expected[bin_of(axis, values[i])]++;
			sum += values[i];
		}
	for (i = 0; i < axis->bins; i++)
		if (bin_at(&m, 0, i) != expected[i])
			fail("bin %zu has %llu, not %llu", i, bin_at(&m, 0, i), expected[i]);
	expect_eq(sum_at(&m, 0, m.header->over), expected[axis->bins]);
	expect_eq(sum_at(&m, 0, m.header->under), 0);
	expect_eq(sum_at(&m, 0, m.header->sum), sum);
	expect(most_of(&m, 0, &most));
	expect_eq(most.most, ~0ull);
	expect_eq(most.a, ~0ull);
	expect_eq(most.b, 13);
	expect_eq(most.tid, getpid());
}

/* Spinlocks that a module takes, so often. */
static void nest(unsigned int times)
{
	(void)times;
}

static void test_hold(void)
{
	int sensors = open_sensors();
	struct monitor m = make(sensors, hold_of("lock/spin/hold", FT_LOCK_SPIN));
	__u64 before, deadline = now_ms() + 30000;

	nest(1);
	before = count_at(&m, -1);
	while (count_at(&m, -1) < before + 1000 && now_ms() < deadline)
		sched_yield();
	expect(count_at(&m, -1) >= before + 1000);
	expect(sum_at(&m, -1, m.header->sum) > 0);
	printf("# %llu sections, %llu alone, %llu forgotten, %llu ticks\n", count_at(&m, -1),
	       copies_of(&m, alone), copies_of(&m, forgotten), sum_at(&m, -1, m.header->sum));
	expect(copies_of(&m, alone) + copies_of(&m, forgotten) < count_at(&m, -1) / 10);
	expect_ok(end_sensor(sensors, &m));
}

static const struct api_test tests[] = {
	{ "a counter counts each event", test_counter },
	{ "a histogram has each value in its bin", test_histogram },
	{ "how long spinlocks are held", test_hold },
};

API_MAIN("api_sensors", tests)
