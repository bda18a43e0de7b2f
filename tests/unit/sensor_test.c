// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Monitors: what is mapped is checked, added up, subtracted, and asked for quantiles. */
#include <stdlib.h>

#include "sensor/bins.h"
#include "sensor/sums.h"
#include "sensor_file.h"

static struct sums take(struct file *f, struct sensor_map *map)
{
	struct sums sums;

	assert_null(sensor_map_open(map, f->fd, 0, SIZE));
	sums_take(&sums, map);
	return sums;
}

static void copies_are_added(void **state)
{
	struct file f = new_file();
	struct sensor_map map;
	struct sums s;

	(void)state;
	count(&f, 0, 1, 7, 10);
	count(&f, 1, 3, 7, 20);
	count(&f, 1, 2, 5, 1);
	count(&f, 0, 0, 0, 3);
	s = take(&f, &map);
	assert_int_equal(s.n, 2);
	assert_int_equal(s.row[0].key, 5);
	assert_int_equal(s.row[1].key, 7);
	assert_int_equal(s.row[1].count, 2);
	assert_int_equal(s.row[1].sum, 30);
	assert_int_equal(s.row[1].bins[loglinear_bin(20, 2)], 1);
	assert_int_equal(s.rest.count, 1);
	assert_int_equal(s.all.count, 4);
	assert_int_equal(s.all.sum, 34);
	sums_free(&s);
	sensor_map_close(&map);
	free_file(&f);
}

/* All rows of a CPU are in the one that it has; a CPU that has counted nothing has none. */
static void copies_by_themselves(void **state)
{
	struct file f = new_file();
	struct ft_sensor_copy *copy = (struct ft_sensor_copy *)(f.base + AT + COPY);
	struct sensor_map map;
	struct sums s;

	(void)state;
	assert_null(sensor_map_open(&map, f.fd, 0, SIZE));
	copy->alone = 3;
	copy->crowded = 1;		/* of the rows of keys */
	count(&f, 1, 3, 7, 20);
	count(&f, 1, 0, 0, 3);
	sums_take_by_copy(&s, &map);
	assert_int_equal(s.n, 1);
	assert_int_equal(s.row[0].key, 1);
	assert_int_equal(s.row[0].count, 2);
	assert_int_equal(s.alone, 3);
	assert_int_equal(s.crowded, 0);
	sums_free(&s);
	count(&f, 0, 1, 7, 10);
	count(&f, 1, 2, 5, 1);
	sums_take_by_copy(&s, &map);
	assert_int_equal(s.n, 2);
	assert_int_equal(s.row[0].key, 0);
	assert_int_equal(s.row[0].count, 1);
	assert_int_equal(s.row[0].sum, 10);
	assert_int_equal(s.row[1].key, 1);
	assert_int_equal(s.row[1].count, 3);
	assert_int_equal(s.row[1].sum, 24);
	assert_int_equal(s.row[1].bins[loglinear_bin(20, 2)], 1);
	assert_int_equal(s.row[1].bins[loglinear_bin(10, 2)], 0);
	assert_int_equal(s.rest.count, 0);
	assert_int_equal(s.all.count, 4);
	assert_int_equal(s.all.sum, 34);
	sums_free(&s);
	sensor_map_close(&map);
	free_file(&f);
}

static void difference_of_two_moments(void **state)
{
	struct file f = new_file();
	struct sensor_map map;
	struct sums before, now, after;

	(void)state;
	count(&f, 0, 1, 7, 10);
	count(&f, 0, 2, 5, 10);
	*number(&f, 0, 0, 24) = 3;	/* above all bins, of nobody: not since then */
	before = take(&f, &map);
	count(&f, 0, 1, 7, 12);
	count(&f, 1, 1, 9, 3);
	count(&f, 1, 0, 0, 4);
	sums_take(&now, &map);
	sums_since(&after, &now, &before, BINS);
	/* what was not counted meanwhile is left out */
	assert_int_equal(after.n, 2);
	assert_int_equal(after.row[0].key, 7);
	assert_int_equal(after.row[0].count, 1);
	assert_int_equal(after.row[0].sum, 12);
	assert_int_equal(after.row[1].key, 9);
	assert_int_equal(after.rest.count, 1);
	assert_int_equal(after.rest.sum, 4);
	assert_int_equal(after.rest.over, 0);
	assert_int_equal(after.all.count, 3);
	sums_free(&before);
	sums_free(&now);
	sums_free(&after);
	sensor_map_close(&map);
	free_file(&f);
}

/*
 * A row of a CPU was emptied, its key has a new one. A row's difference is never more than what
 * was counted; that of all is exact, so what is missing is among the others.
 */
static void row_that_was_emptied(void **state)
{
	struct file f = new_file();
	struct sensor_map map;
	struct sums before, now, after;

	(void)state;
	for (int i = 0; i < 10; i++)
		count(&f, 0, 1, 7, 16);
	for (int i = 0; i < 1000; i++)
		count(&f, 1, 1, 7, 16);
	before = take(&f, &map);
	*number(&f, 0, 0, 8) += 160;
	*number(&f, 0, 0, 40 + 8 * loglinear_bin(16, 2)) += 10;
	memset(number(&f, 0, 1, 0), 0, ROW);
	count(&f, 0, 2, 7, 16);
	count(&f, 1, 1, 7, 16);
	sums_take(&now, &map);
	sums_since(&after, &now, &before, BINS);
	assert_int_equal(after.n, 0);
	assert_int_equal(after.all.count, 2);
	assert_int_equal(after.all.sum, 32);
	assert_int_equal(after.rest.count, 2);
	assert_int_equal(after.rest.sum, 32);
	sums_free(&before);
	sums_free(&now);
	sums_free(&after);
	sensor_map_close(&map);
	free_file(&f);
}

static void quantiles(void **state)
{
	struct file f = new_file();
	struct sensor_map map;
	struct sums s;

	(void)state;
	for (uint64_t v = 1; v <= 100; v++)
		count(&f, v % 2, 1, 7, v);
	*number(&f, 0, 1, 24) = 1;	/* above all bins */
	s = take(&f, &map);
	assert_int_equal(s.all.count, 101);
	/* 51 is in the bin from 48 to 55 */
	assert_int_equal(sums_quantile(&s.all, &map.head, 500), 52);
	assert_int_equal(sums_quantile(&s.all, &map.head, 1), 1);
	/* nothing is known of it but that no bin has it */
	assert_int_equal(sums_quantile(&s.all, &map.head, 1000), bins_low(map.head.sensor.axis, BINS));
	sums_free(&s);
	sensor_map_close(&map);
	free_file(&f);
}

/* Of a bin nothing is known but its bounds: no bin may reach beyond 64 bits. */
static void bins_of_large_numbers(void **state)
{
	struct ft_sensor_axis axis = { .bits = 6, .shift = 63, .low = UINT64_MAX };

	(void)state;
	assert_int_equal(bins_low(&axis, 0), UINT64_MAX);
	assert_int_equal(bins_low(&axis, 8191), UINT64_MAX);
}

static void refused(struct file *f, const char *why)
{
	struct sensor_map map;

	assert_string_equal(sensor_map_open(&map, f->fd, 0, SIZE) ?: "nothing", why);
	assert_null(map.base);
	free_file(f);
}

#define REFUSED(member, value, why)					\
do {									\
	struct file f_ = new_file();					\
									\
	f_.head->member = (value);					\
	refused(&f_, why);						\
} while (0)

static void damaged_headers_are_refused(void **state)
{
	static const char bounds[] = "its tables lie outside of it";
	static const char row[] = "a number lies outside of its row";

	(void)state;
	REFUSED(magic, 1, "it is no sensor");
	REFUSED(version, 9, "it has another version: use module and ft of one release");
	REFUSED(clock_hz, 0, "the rate of its clock is not known yet");
	REFUSED(size, SIZE + 8, "its header is damaged");
	REFUSED(copies, COPIES + 1, bounds);
	REFUSED(copies, UINT32_MAX, bounds);
	REFUSED(copies_offset, SIZE + 8, bounds);
	REFUSED(copies_offset, AT + 4, bounds);
	REFUSED(copy_bytes, 0, bounds);
	REFUSED(rows, 0, bounds);
	REFUSED(rows, ROWS + 1, bounds);
	REFUSED(rows_offset, 0, bounds);
	REFUSED(row_bytes, ROW - 8, "a bin lies outside of its row");
	REFUSED(key, ROW, row);
	REFUSED(sum, ROW - 4, row);
	REFUSED(under, UINT32_MAX - 7, row);
	REFUSED(n_bins, BINS + 1, "a bin lies outside of its row");
	REFUSED(n_bins, FT_SENSOR_BINS_MAX + 1, "a bin lies outside of its row");
	REFUSED(n_marks, 1, "it has a wrong number of bins or marks");
	REFUSED(sensor.axis[0].bins, BINS - 1, "its axes have another number of bins");
	REFUSED(sensor.axis[0].shift, 64, "an axis is cut in a way that does not exist");
	REFUSED(sensor.axis[1].bits, 7, "an axis is cut in a way that does not exist");
	REFUSED(sensor.axis[0].flags, FT_AXIS_SIGNED,
		"ft shows no sensor of signed values: Documentation/sensors.md says how to read it");
	REFUSED(sensor.kind, 9, "its kind does not fit its bins");
	REFUSED(sensor.kind, FT_SENSOR_COUNTER, "its kind does not fit its bins");
	REFUSED(sensor.kind, FT_SENSOR_HISTOGRAM2, "its kind does not fit its bins");
	REFUSED(n_bins, 0, "its kind does not fit its bins");

	{
		struct file f = new_file();

		memset(f.head->sensor.name, 'x', FT_NAME_LEN);
		refused(&f, "its name is not text");
	}
}

/* Writers go on: a number in which nothing ends must not keep a monitor for ever. */
static void marks_that_change_all_the_time(void **state)
{
	struct file f = new_file();
	struct sensor_map map;
	struct sums s;

	(void)state;
	((struct ft_sensor_copy *)(f.base + AT))->moves = 1;
	count(&f, 0, 1, 7, 10);
	s = take(&f, &map);
	assert_int_equal(s.all.count, 1);
	sums_free(&s);
	sensor_map_close(&map);
	free_file(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_are_added),
		cmocka_unit_test(copies_by_themselves),
		cmocka_unit_test(difference_of_two_moments),
		cmocka_unit_test(row_that_was_emptied),
		cmocka_unit_test(quantiles),
		cmocka_unit_test(bins_of_large_numbers),
		cmocka_unit_test(damaged_headers_are_refused),
		cmocka_unit_test(marks_that_change_all_the_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
