// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Which sensors that are there ft top takes, instead of making its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "control/sensor_defaults.h"
#include "control/sensor_same.h"

#define ROWS	32

/* What ft top would make: hold(mutex) by site. */
static const struct ft_sensor wanted = {
	.kind = FT_SENSOR_HISTOGRAM, .begin = FT_ID_ACQUIRE(FT_LOCK_MUTEX),
	.event = FT_ID_RELEASE(FT_LOCK_MUTEX), .split = FT_SPLIT_SITE, .rows = 64,
	.axis = { { .value = FT_VALUE_TIME, .bits = 3, .bins = 8 * 32 } },
};

/* One that is there, and just does. */
static struct ft_sensor there(void)
{
	struct ft_sensor is = wanted;

	is.flags = FT_SENSOR_PERSIST;
	is.key = FT_KEY_TASK_WORD;
	is.rows = ROWS;
	is.axis[0].bits = SENSOR_DEFAULTS_BITS;
	is.axis[0].bins = 64;
	return is;
}

static void the_same(void **state)
{
	struct ft_sensor is = there();

	(void)state;
	assert_true(sensor_measures_same(&is, &wanted, ROWS));
	is.rows = 4096;
	is.axis[0].bits = 6;
	is.axis[0].bins = 1024;
	assert_true(sensor_measures_same(&is, &wanted, ROWS));
}

static void something_else(void **state)
{
	struct ft_sensor is[10];

	(void)state;
	for (size_t i = 0; i < 10; i++)
		is[i] = there();
	is[0].flags = 0;	/* it goes with its owner */
	is[1].kind = FT_SENSOR_SCALAR;
	is[2].event = FT_ID_RELEASE(FT_LOCK_RWSEM_READ);
	is[3].begin = FT_ID_ACQUIRE(FT_LOCK_RWSEM_READ);
	is[4].axis[0].value = FT_VALUE_A;
	is[5].n_ranges = 1;
	is[6].test[0].what = FT_TEST_B;
	is[7].axis[0].low = 1;
	is[8].axis[0].flags = FT_AXIS_LINEAR;
	is[9].axis[0].shift = 1;
	for (size_t i = 0; i < 10; i++) {
		if (sensor_measures_same(&is[i], &wanted, ROWS))
			fail_msg("number %zu", i);
	}
}

/* With another key, times are of other pairs. */
static void keys(void **state)
{
	struct ft_sensor is = there(), other = wanted;

	(void)state;
	is.key = FT_KEY_WORD;
	assert_false(sensor_measures_same(&is, &wanted, ROWS));
	is.begin = other.begin = FT_ID_ACQUIRE(FT_LOCK_SEMAPHORE);
	is.event = other.event = FT_ID_RELEASE(FT_LOCK_SEMAPHORE);
	assert_true(sensor_measures_same(&is, &other, ROWS));
	is.key = FT_KEY_TASK_WORD;
	assert_false(sensor_measures_same(&is, &other, ROWS));
	is.begin = other.begin = FT_ID_ACQUIRE(FT_LOCK_RAW_SPIN);
	is.event = other.event = FT_ID_RELEASE(FT_LOCK_RAW_SPIN);
	is.key = FT_KEY_CPU;
	assert_true(sensor_measures_same(&is, &other, ROWS));
	is.begin = other.begin = FT_ID_CONTENTION_BEGIN;
	is.event = other.event = FT_ID_CONTENTION_END;
	other.key = FT_KEY_WAIT;
	is.key = FT_KEY_TASK_WORD;
	assert_false(sensor_measures_same(&is, &other, ROWS));
	is.key = FT_KEY_WAIT;
	assert_true(sensor_measures_same(&is, &other, ROWS));
}

static void too_few_rows(void **state)
{
	struct ft_sensor is = there();

	(void)state;
	is.rows = ROWS / 2;
	assert_false(sensor_measures_same(&is, &wanted, ROWS));
	/* by family, each counts, whatever row it is in */
	assert_true(sensor_measures_same(&is, &wanted, 0));
	is.rows = 4096;
	is.split = FT_SPLIT_TASK;
	assert_false(sensor_measures_same(&is, &wanted, ROWS));
	assert_true(sensor_measures_same(&is, &wanted, 0));
	is.split = FT_SPLIT_NONE;
	is.rows = 0;
	assert_true(sensor_measures_same(&is, &wanted, 0));
}

static void too_coarse(void **state)
{
	struct ft_sensor is = there();

	(void)state;
	is.axis[0].bits = SENSOR_DEFAULTS_BITS - 1;
	assert_false(sensor_measures_same(&is, &wanted, ROWS));
	assert_false(sensor_measures_same(&is, &wanted, 0));
	/* not up to where sections end */
	is.axis[0].bits = SENSOR_DEFAULTS_BITS + 1;
	assert_false(sensor_measures_same(&is, &wanted, ROWS));
	is.axis[0].bins = 128;
	assert_true(sensor_measures_same(&is, &wanted, ROWS));
}

/* The least that ft sensors default makes of a family: spinlocks share rows on PREEMPT_RT. */
static void rows_of_the_default_ones(void **state)
{
	(void)state;
	assert_int_equal(sensor_defaults_rows("spin", false), 256);
	assert_int_equal(sensor_defaults_rows("raw_spin", false), 256);
	assert_int_equal(sensor_defaults_rows("mutex", false), 32);
	assert_int_equal(sensor_defaults_rows("semaphore", false), 16);
	assert_int_equal(sensor_defaults_rows("spin", true), 8);
	assert_int_equal(sensor_defaults_rows("rwsem_write", true), 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same),
		cmocka_unit_test(something_else),
		cmocka_unit_test(keys),
		cmocka_unit_test(too_few_rows),
		cmocka_unit_test(too_coarse),
		cmocka_unit_test(rows_of_the_default_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
