// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Sensors of pairs of events. The module ft_bench is loaded. */
#include "sensors.h"

static void test_pairs(void)
{
	int sensors = open_sensors();
	struct monitor word = make(sensors, from_bench(FT_KEY_WORD));
	struct monitor task_word = make(sensors, from_bench(FT_KEY_TASK_WORD));
	struct monitor task = make(sensors, from_bench(FT_KEY_TASK));
	struct ft_sensor def = from_bench(FT_KEY_WORD);
	struct ft_sensor_mark most = { 0 };
	struct monitor some;
	unsigned int i;
	pid_t pid;

	/* The first word of these is not kept, and that of their end is another one. */
	def.key = FT_KEY_TASK;
	def.test[0] = (struct ft_test){ .what = FT_TEST_A, .mask = 1, .flags = FT_TEST_AT_BEGIN };
	expect_error(try_make(sensors, &def), EINVAL);
	def.key = FT_KEY_WORD;
	/* Of those whose beginning has an even second word: all, or none. */
	def.test[0] = (struct ft_test){ .what = FT_TEST_B, .mask = 1, .value = 1,
					.flags = FT_TEST_AT_BEGIN };
	some = make(sensors, def);
	bench(10);
	sleep_ms(2);
	mark_it(3, 0);
	mark_it(3, 0);		/* it has ended */
	mark_it(4, 0);
	mark_it(10, 0);		/* it never began */
	expect_eq(count_at(&word, 0), 2);
	expect_eq(copies_of(&word, alone), 2);
	expect_eq(count_at(&task_word, 0), 2);
	expect_eq(copies_of(&task_word, alone), 2);
	expect_eq(count_at(&task, 0), 1);
	expect_eq(copies_of(&task, alone), 3);
	expect_eq(count_at(&some, 0), 0);
	expect(most_of(&word, 0, &most));
	expect(most.most > word.header->clock_hz / 1000);
	expect_eq(most.b, 10);		/* of the beginning */

	/* Another task may end what has a word in common, and nothing else. */
	pid = fork();
	if (!pid) {
		mark_it(5, 0);
		_exit(0);
	}
	join(pid);
	expect_eq(count_at(&word, 0), 3);
	expect_eq(count_at(&task_word, 0), 2);
	/* What begins anew has no end to come, of the key. */
	expect_eq(copies_of(&word, forgotten) + copies_of(&task_word, forgotten), 0);
	expect_eq(copies_of(&task, forgotten), 9);
	bench(11);
	expect_eq(copies_of(&word, forgotten), 7);
	expect_eq(copies_of(&task_word, forgotten), 8);
	expect_eq(copies_of(&task, forgotten), 19);
	mark_it(6, 0);
	expect_eq(count_at(&some, 0), 1);

	/* More than there is room for. */
	bench(20000);
	for (i = 0; i < 20000; i++)
		mark_it(i, 0);
	expect(copies_of(&word, forgotten) > 0);
	expect_eq(count_at(&word, 0) + copies_of(&word, alone), 20006);
	expect(copies_of(&word, alone) > 2);

	/* None is open: each beginning has a time, or is forgotten. */
	expect_eq(count_at(&word, 0) + copies_of(&word, forgotten), 20021);
	expect_eq(count_at(&task_word, 0) + copies_of(&task_word, forgotten), 20021);
	expect_eq(count_at(&task, 0) + copies_of(&task, forgotten), 20021);
}

/* On a CPU a stack keeps what waits for its end: what has ended is not met again. */
static void test_pairs_on_a_cpu(void)
{
	int sensors = open_sensors();
	struct monitor m = make(sensors, from_bench(FT_KEY_CPU));
	unsigned int i;

	pin(the_cpu());
	bench(10);
	mark_it(3, 0);
	mark_it(3, 0);		/* it has ended */
	mark_it(0, 0);
	mark_it(0, 0);		/* so has this: not the one above, which is free */
	mark_it(9, 0);
	expect_eq(count_at(&m, -1), 3);
	expect_eq(copies_of(&m, alone), 2);

	/* Three times the same key, and what ended first is below the top: the others are met. */
	bench(3);
	bench(3);
	for (i = 0; i < 4; i++)
		mark_it(1, 0);
	expect_eq(count_at(&m, -1), 6);
	expect_eq(copies_of(&m, alone), 3);
}

/* A full stack makes room for one: all that are open are forgotten, and counted. */
static void test_full_stack(void)
{
	struct ft_sensor def = from_bench(FT_KEY_CPU);
	int sensors = open_sensors();
	struct monitor m = make(sensors, def), other = make(sensors, def);

	pin(the_cpu());
	bench(16);
	mark_it(3, 0);		/* it has ended: not at the top, so it keeps its place */
	expect_eq(copies_of(&m, forgotten), 0);
	bench(1);
	expect_eq(copies_of(&m, forgotten), 15);
	bench(15);
	expect_eq(copies_of(&m, forgotten), 15);
	bench(1);
	expect_eq(copies_of(&m, forgotten), 15 + 16);
	mark_it(0, 0);
	mark_it(0, 0);		/* those below were forgotten */
	expect_eq(count_at(&m, -1), 2);
	expect_eq(copies_of(&m, alone), 1);
	expect_eq(copies_of(&m, forgotten), 15 + 16);
	expect_eq(copies_of(&other, forgotten), 15 + 16);
}

static const struct api_test tests[] = {
	{ "pairs", test_pairs },
	{ "pairs on a CPU", test_pairs_on_a_cpu },
	{ "a full stack", test_full_stack },
};

API_MAIN("api_sensors_pairs", tests)
