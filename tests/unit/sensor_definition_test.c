// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Definitions of sensors as they are written, and what the module is asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/array.h"
#include "base/mem.h"
#include "control/sensor_definition.h"

#define BENCH	300

/* The events of a module that knows all locks, and one of another module. */
static struct events module_events(void)
{
	static const char *const families[] = {
		"spin", "rwlock_read", "rwlock_write", "mutex", "semaphore", "rwsem_read",
		"rwsem_write", "raw_spin",
	};
	struct events e = { 0 };

	e.info = mem_zalloc(32, sizeof(*e.info));
	e.fields = mem_zalloc(32, sizeof(*e.fields));
	e.chosen = mem_zalloc(32, sizeof(*e.chosen));
	for (unsigned int i = 0; i < FT_LOCK_FAMILIES; i++) {
		e.info[e.n].id = FT_ID_ACQUIRE(i);
		snprintf(e.info[e.n++].name, FT_NAME_LEN, "%s_acquire", families[i]);
		e.info[e.n].id = FT_ID_RELEASE(i);
		snprintf(e.info[e.n++].name, FT_NAME_LEN, "%s_release", families[i]);
	}
	e.info[e.n].id = FT_ID_CONTENTION_BEGIN;
	strcpy(e.info[e.n++].name, "contention_begin");
	e.info[e.n].id = FT_ID_CONTENTION_END;
	strcpy(e.info[e.n++].name, "contention_end");
	e.info[e.n].id = BENCH;
	e.fields[e.n] = (struct ft_fields){ .count = 2, .field = {
		{ .name = "index", .bits = 64 }, { .name = "count", .bits = 64 },
	} };
	strcpy(e.info[e.n++].name, "bench");
	e.info[e.n].id = BENCH + 1;
	e.fields[e.n] = (struct ft_fields){ .count = 3, .field = {
		{ .name = "low", .bits = 32 }, { .bits = 32 }, { .name = "whole", .bits = 64 },
	} };
	strcpy(e.info[e.n++].name, "split");
	return e;
}

static bool two_places(struct ft_sensor *sensor)
{
	static struct ft_sensor_range places[] = { { 1, 2 }, { 5, 9 } };

	sensor->n_ranges = 2;
	sensor->ranges = (uintptr_t)places;
	return true;
}

/* What it says on stderr while it defines; "" if all is well. */
static char *define(struct ft_sensor *sensor, const char *text, const struct sensor_bins *bins)
{
	static char said[1024];
	struct events events = module_events();
	FILE *f = tmpfile();
	int err = dup(STDERR_FILENO);
	bool ok;

	assert_non_null(f);
	dup2(fileno(f), STDERR_FILENO);
	ok = sensor_define(sensor, "x/y", text, bins, &events, two_places);
	dup2(err, STDERR_FILENO);
	close(err);
	rewind(f);
	said[fread(said, 1, sizeof(said) - 1, f)] = '\0';
	fclose(f);
	events_free(&events);
	/* a message exactly where it is refused */
	assert_int_equal(ok, !*said);
	return said;
}

static struct ft_sensor defined(const char *text, const struct sensor_bins *bins)
{
	struct ft_sensor sensor;

	assert_string_equal(define(&sensor, text, bins), "");
	assert_string_equal(sensor.name, "x/y");
	return sensor;
}

static void what_is_measured(void **state)
{
	struct ft_sensor s = defined("count(bench)", NULL);

	(void)state;
	assert_int_equal(s.kind, FT_SENSOR_COUNTER);
	assert_int_equal(s.event, BENCH);
	assert_int_equal(s.begin, 0);
	s = defined("bench.index", NULL);
	assert_int_equal(s.kind, FT_SENSOR_HISTOGRAM);
	assert_int_equal(s.axis[0].value, FT_VALUE_A);
	s = defined("  bench.count\t", NULL);
	assert_int_equal(s.axis[0].value, FT_VALUE_B);
	s = defined("split.whole", NULL);
	assert_int_equal(s.axis[0].value, FT_VALUE_B);
	s = defined("last(bench.count)", NULL);
	assert_int_equal(s.kind, FT_SENSOR_SCALAR);
	assert_int_equal(s.axis[0].value, FT_VALUE_B);
	assert_int_equal(s.axis[0].bins, 0);
	s = defined("time(bench, mutex_release)", NULL);
	assert_int_equal(s.begin, BENCH);
	assert_int_equal(s.event, FT_ID_RELEASE(FT_LOCK_MUTEX));
	assert_int_equal(s.axis[0].value, FT_VALUE_TIME);
	s = defined("last(time(bench,bench))", NULL);
	assert_int_equal(s.kind, FT_SENSOR_SCALAR);
	assert_int_equal(s.begin, BENCH);
	assert_int_equal(s.event, BENCH);
}

static void locks(void **state)
{
	struct ft_sensor s = defined("hold(rwsem_read)", NULL);

	(void)state;
	assert_int_equal(s.begin, FT_ID_ACQUIRE(FT_LOCK_RWSEM_READ));
	assert_int_equal(s.event, FT_ID_RELEASE(FT_LOCK_RWSEM_READ));
	assert_int_equal(s.key, FT_KEY_AUTO);
	s = defined("wait( mutex )", NULL);
	assert_int_equal(s.begin, FT_ID_CONTENTION_BEGIN);
	assert_int_equal(s.event, FT_ID_CONTENTION_END);
	assert_int_equal(s.key, FT_KEY_WAIT);
	assert_int_equal(s.test[0].what, FT_TEST_B);
	assert_int_equal(s.test[0].op, FT_TEST_EQUAL);
	assert_int_equal(s.test[0].flags, FT_TEST_AT_BEGIN);
	assert_int_not_equal(s.test[0].mask, 0);
}

/* What a kernel without PREEMPT_RT says at contention_begin: LCB_F_* of trace/events/lock.h. */
static void a_wait_is_of_one_family(void **state)
{
	static const struct {
		__u64		flags;
		const char	*wait;
	} waits[] = {
		{ 0x01, "wait(spin)" }, { 0x03, "wait(rwlock_read)" },
		{ 0x05, "wait(rwlock_write)" }, { 0x20, "wait(mutex)" }, { 0x21, "wait(mutex)" },
		{ 0x02, "wait(rwsem_read)" }, { 0x04, "wait(rwsem_write)" },
		{ 0x00, "wait(semaphore)" }, { 0x12, "none" },
	};
	struct ft_sensor s;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(waits) - 1; i++) {
		s = defined(waits[i].wait, NULL);
		for (size_t j = 0; j < ARRAY_SIZE(waits); j++)
			assert_int_equal((waits[j].flags & s.test[0].mask) == s.test[0].value,
					 !strcmp(waits[i].wait, waits[j].wait));
	}
}

static void splits(void **state)
{
	struct ft_sensor s = defined("hold(spin) by site", NULL);

	(void)state;
	assert_int_equal(s.split, FT_SPLIT_SITE);
	assert_int_equal(s.rows, 128);
	s = defined("hold(spin) by lock", &(struct sensor_bins){ .rows = 64 });
	assert_int_equal(s.split, FT_SPLIT_WORD);
	assert_int_equal(s.rows, 64);
	assert_int_equal(defined("bench.index by word", NULL).split, FT_SPLIT_WORD);
	assert_int_equal(defined("count(bench) by  task ", NULL).split, FT_SPLIT_TASK);
	s = defined("count(bench) by context", NULL);
	assert_int_equal(s.split, FT_SPLIT_CONTEXT);
	assert_int_equal(s.rows, FT_SENSOR_CONTEXTS);
	s = defined("hold(rwlock_write) by depth", NULL);
	assert_int_equal(s.kind, FT_SENSOR_HISTOGRAM2);
	assert_int_equal(s.split, 0);
	assert_int_equal(s.axis[1].value, FT_VALUE_DEPTH);
	assert_int_equal(s.axis[1].flags, FT_AXIS_LINEAR);
}

static void bins(void **state)
{
	struct ft_sensor s = defined("hold(spin)", NULL);

	(void)state;
	/* all times up to 2^34 ticks, all words */
	assert_int_equal(s.axis[0].bits, 3);
	assert_int_equal(s.axis[0].bins, 8 * 32);
	assert_int_equal(defined("bench.index", NULL).axis[0].bins, 8 * 62);
	s = defined("bench.index", &(struct sensor_bins){ .bits = 1, .bins = 7, .low = 5 });
	assert_int_equal(s.axis[0].bits, 1);
	assert_int_equal(s.axis[0].bins, 7);
	assert_int_equal(s.axis[0].low, 5);
	s = defined("bench.index", &(struct sensor_bins){ .width = 1024 });
	assert_int_equal(s.axis[0].flags, FT_AXIS_LINEAR);
	assert_int_equal(s.axis[0].shift, 10);
	assert_int_equal(s.axis[0].bits, 0);
	assert_int_equal(s.axis[0].bins, 64);
	/* one bin for 0, and one for each power of two */
	s = defined("hold(spin)", &(struct sensor_bins){ .bits_set = true });
	assert_int_equal(s.axis[0].bits, 0);
	assert_int_equal(s.axis[0].bins, 35);
	assert_int_equal(defined("count(bench)", NULL).axis[0].bins, 0);
}

static void refused(const char *text, const char *why, const struct sensor_bins *b)
{
	struct ft_sensor sensor;
	const char *said = define(&sensor, text, b);

	if (!strstr(said, why))
		fail_msg("'%s': said '%s', not '%s'", text, said, why);
}

static void what_is_wrong_is_told(void **state)
{
	char longer[800];

	(void)state;
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	refused("", "it is empty, or too long", NULL);
	refused("  \t", "it is empty, or too long", NULL);
	refused(longer, "it is empty, or too long", NULL);
	refused("bench", "this is none of count(EVENT), EVENT.FIELD", NULL);
	refused(".index", "this is none of", NULL);
	refused("count()", "this is none of", NULL);
	refused("count(bench", "this is none of", NULL);
	refused("count(bnch)", "there is no event 'bnch'", NULL);
	refused("bench.size", "has no field 'size'; it has: index, count", NULL);
	refused("split.", "has no field ''; it has: low, whole", NULL);
	refused("split.low", "'split.low' is part of a word", NULL);
	refused("count(bench,bench)", "a sensor is of one event", NULL);
	refused("time(bench)", "time() needs two events", NULL);
	refused("time(bench,)", "time() needs two events", NULL);
	refused("time(function:)", "names no function", NULL);
	refused("time(function:no such)", "the kernel has no function 'no such'", NULL);
	refused("time(bench, bnch)", "there is no event 'bnch'", NULL);
	refused("hold(spim)", "there is no family of locks 'spim': did you mean 'spin'?", NULL);
	refused("wait(futex)", "there is no family of locks 'futex'", NULL);
	refused("hold(spin) by ", "what follows 'by'", NULL);
	refused("hold(spin) by cow", "what follows 'by'", NULL);
	refused("hold(spin) by a-very-long-word", "what follows 'by'", NULL);
	refused("hold(mutex) by depth", "needs hold() of a spinning lock", NULL);
	refused("last(hold(spin)) by depth", "needs hold() of a spinning lock", NULL);
	refused("wait(spin) by site", "use 'by lock'", NULL);
	refused("bench.index", "must be a power of two", &(struct sensor_bins){ .width = 3 });
	refused("bench.index", "--bits is at most 6", &(struct sensor_bins){ .bits = 7 });
	refused("bench.index", "leave out --width", &(struct sensor_bins){ .width = 4, .bits = 2 });
	refused("bench.index", "--rows needs rows", &(struct sensor_bins){ .rows = 8 });
	refused("bench.index by task", "--rows is at most 4096",
		&(struct sensor_bins){ .rows = (1ull << 32) + 8 });
	refused("bench.index", "--bins at most 8192", &(struct sensor_bins){ .bins = 8193 });
	refused("bench.index", "leave out --width",
		&(struct sensor_bins){ .width = 4, .bits_set = true });
	refused("count(bench) by context", "leave out --rows", &(struct sensor_bins){ .rows = 4 });
}

static void what_has_no_bins(void **state)
{
	static const char *const none[] = {
		"count(bench)", "last(bench.index)", "last(hold(spin)) by site",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		refused(none[i], "--bits is for histograms", &(struct sensor_bins){ .bits = 6 });
		refused(none[i], "--bits is for histograms",
			&(struct sensor_bins){ .bits_set = true });
		refused(none[i], "--width is for histograms", &(struct sensor_bins){ .width = 4 });
		refused(none[i], "--low is for histograms", &(struct sensor_bins){ .low = 5 });
		refused(none[i], "--bins is for histograms", &(struct sensor_bins){ .bins = 8 });
	}
	assert_int_equal(defined(none[2], &(struct sensor_bins){ .rows = 64 }).rows, 64);
}

static void inside_of_sleeping_locks(void **state)
{
	struct ft_sensor sensor;
	struct events events = module_events();

	(void)state;
	assert_string_equal(define(&sensor, "hold(spin) outside sleeping locks by site", NULL), "");
	assert_int_equal(sensor.n_ranges, 2);
	assert_int_equal(sensor.flags, FT_SENSOR_OUTSIDE);
	assert_int_equal(sensor.split, FT_SPLIT_SITE);
	assert_string_equal(define(&sensor, "last(hold(spin)) \t inside sleeping locks ", NULL), "");
	assert_int_equal(sensor.n_ranges, 2);
	assert_int_equal(sensor.flags, 0);
	assert_int_equal(sensor.kind, FT_SENSOR_SCALAR);
	define(&sensor, "hold(spin)", NULL);
	assert_int_equal(sensor.n_ranges, 0);
	refused("hold(mutex) outside sleeping locks", "this needs hold(spin)", NULL);
	refused("wait(spin) inside sleeping locks", "this needs hold(spin)", NULL);
	refused("hold(spin) by site outside sleeping locks", "stand in front of 'by'", NULL);
	refused("hold(spin) beside sleeping locks", "this is none of", NULL);
	refused("hold(spin) outside sleeping locks too", "this is none of", NULL);
	/* where nobody knows the places */
	assert_false(sensor_define(&sensor, "x", "hold(spin) outside sleeping locks", NULL,
				   &events, NULL));
	events_free(&events);
}

/* A kernel without lock events. */
static void without_locks(void **state)
{
	struct ft_sensor sensor;
	struct events none = { 0 };

	(void)state;
	assert_false(sensor_define(&sensor, "x", "hold(spin)", NULL, &none, NULL));
}

static void names(void **state)
{
	struct events events = module_events();
	char longest[FT_NAME_LEN + 1];
	struct ft_sensor sensor;

	(void)state;
	memset(longest, 'n', sizeof(longest));
	longest[FT_NAME_LEN - 1] = '\0';
	assert_true(sensor_define(&sensor, longest, "count(bench)", NULL, &events, NULL));
	longest[FT_NAME_LEN - 1] = 'n';
	longest[FT_NAME_LEN] = '\0';
	assert_false(sensor_define(&sensor, longest, "count(bench)", NULL, &events, NULL));
	events_free(&events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_measured),
		cmocka_unit_test(locks),
		cmocka_unit_test(a_wait_is_of_one_family),
		cmocka_unit_test(splits),
		cmocka_unit_test(bins),
		cmocka_unit_test(what_is_wrong_is_told),
		cmocka_unit_test(what_has_no_bins),
		cmocka_unit_test(inside_of_sleeping_locks),
		cmocka_unit_test(without_locks),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
