// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* OpenMetrics: each line of what is written for sensors whose numbers are known. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "base/array.h"
#include "sensor_file.h"
#include "view/sensor_views.h"

#define MOST_LINES	2048

/* What is shown, and its text in lines. */
struct page {
	struct file	*files;
	char		*text, *line[MOST_LINES];
	size_t		n;
};

static struct symbols *names;

/* The files stay. */
static struct page next_page(struct file *files, size_t n, size_t top, struct grown *grown)
{
	struct page page = { .files = files };
	struct shown shown = { .top = top, .symbols = names };
	struct sensor_map maps[4];
	struct sums sums[4];
	bool wanted[4] = { true, true, true, true };
	size_t len;
	FILE *f = open_memstream(&page.text, &len);

	assert_true(n <= ARRAY_SIZE(maps));
	shown.maps.map = maps;
	shown.maps.n = n;
	shown.sums = sums;
	shown.wanted = wanted;
	for (size_t i = 0; i < n; i++) {
		assert_null(sensor_map_open(&maps[i], files[i].fd, 0, SIZE));
		sums_take(&sums[i], &maps[i]);
	}
	sensor_openmetrics(&shown, grown, f);
	assert_int_equal(fclose(f), 0);
	for (size_t i = 0; i < n; i++) {
		sums_free(&sums[i]);
		sensor_map_close(&maps[i]);
	}
	/* each line ends, also the last one */
	assert_int_equal(page.text[len - 1], '\n');
	for (char *s = strtok(page.text, "\n"); s; s = strtok(NULL, "\n")) {
		assert_true(page.n < MOST_LINES);
		page.line[page.n++] = s;
	}
	return page;
}

/* As ft monitor's first answer. */
static struct page page_of(struct file *files, size_t n, size_t top)
{
	struct grown grown = { 0 };
	struct page page = next_page(files, n, top, &grown);

	grown_free(&grown);
	for (size_t i = 0; i < n; i++)
		free_file(&files[i]);
	return page;
}

/* The index of a line; the test fails if there is none, or more than one. */
static size_t at(const struct page *page, const char *line)
{
	size_t found = page->n;

	for (size_t i = 0; i < page->n; i++) {
		if (strcmp(page->line[i], line))
			continue;
		if (found != page->n)
			fail_msg("twice: %s", line);
		found = i;
	}
	if (found == page->n) {
		for (size_t i = 0; i < page->n; i++)
			print_message("%s\n", page->line[i]);
		fail_msg("not there: %s", line);
	}
	return found;
}

static size_t lines_with(const struct page *page, const char *begin)
{
	size_t n = 0;

	for (size_t i = 0; i < page->n; i++)
		n += !strncmp(page->line[i], begin, strlen(begin));
	return n;
}

static void name(struct file *f, const char *text)
{
	snprintf(f->head->sensor.name, sizeof(f->head->sensor.name), "%s", text);
}

/* --- families of metrics ---------------------------------------------------- */

static void heads_come_before_their_series(void **state)
{
	struct file files[] = { new_file(), new_file(), new_file() };
	struct page page;
	size_t type;

	(void)state;
	name(&files[0], "lock/spin/hold");
	name(&files[1], "lock/mutex/hold");
	name(&files[2], "lock/mutex/wait");
	count(&files[0], 0, 1, 7, 40);
	page = page_of(files, 3, 20);
	type = at(&page, "# TYPE ft_lock_hold_seconds histogram");
	assert_string_equal(page.line[type + 1], "# UNIT ft_lock_hold_seconds seconds");
	assert_string_equal(page.line[type + 2],
			    "# HELP ft_lock_hold_seconds How long locks were held: pthread_* and "
			    "posix_sem of programs, others of the kernel.");
	/* both families of locks follow, before anything else */
	assert_true(at(&page, "ft_lock_hold_seconds_count{family=\"spin\"} 1") > type);
	assert_true(at(&page, "ft_lock_hold_seconds_count{family=\"mutex\"} 0") <
		    at(&page, "# TYPE ft_lock_wait_seconds histogram"));
	at(&page, "# UNIT ft_row_seconds seconds");
	at(&page, "# TYPE ft_row_values counter");
	assert_int_equal(lines_with(&page, "# UNIT ft_row_values"), 0);
	assert_int_equal(at(&page, "# EOF"), page.n - 1);
	free(page.text);
}

static void others_have_their_name(void **state)
{
	struct file files[] = { new_file(), new_file() };
	struct page page;

	(void)state;
	name(&files[0], "lock/spin/held");
	name(&files[1], "lock/spin/hold");
	files[1].head->sensor.axis[0].value = FT_VALUE_A;
	page = page_of(files, 2, 20);
	at(&page, "ft_sensor_seconds_count{sensor=\"lock/spin/held\"} 0");
	at(&page, "ft_sensor_value_count{sensor=\"lock/spin/hold\"} 0");
	assert_int_equal(lines_with(&page, "ft_lock_"), 0);
	free(page.text);
}

/* Instance @number of a default sensor, which has counted so many sections. */
static struct file instance(unsigned int number, unsigned int flags, unsigned int sections)
{
	struct file f = new_file();

	name(&f, "lock/spin/hold");
	f.head->sensor.instance = number;
	f.head->serial = number;
	f.head->sensor.flags = flags;
	while (sections--)
		count(&f, 0, 1, 7, 40);
	return f;
}

/* A dashboard goes on when the other one ends: the family's series is that which stays. */
static void a_family_has_one_instance(void **state)
{
	struct file two[] = { instance(1, 0, 3), instance(2, FT_SENSOR_PERSIST, 5) };
	struct file second = instance(2, 0, 5);
	struct file same[] = { instance(2, 0, 5), instance(1, 0, 3), instance(3, 0, 4) };
	struct page page;

	(void)state;
	same[2].head->sensor.axis[0].value = FT_VALUE_A;
	page = next_page(two, 2, 20, NULL);
	at(&page, "ft_lock_hold_seconds_count{family=\"spin\"} 5");
	at(&page, "ft_row_values{sensor=\"lock/spin/hold\",by=\"site\",row=\"0x7\"} 5");
	at(&page, "ft_sensor_seconds_count{sensor=\"lock/spin/hold#1\"} 3");
	at(&page, "ft_row_values{sensor=\"lock/spin/hold#1\",by=\"site\",row=\"0x7\"} 3");
	free(page.text);
	free_file(&two[0]);
	free_file(&two[1]);
	/* alone, it has the same series as beside the other one */
	page = page_of(&second, 1, 20);
	at(&page, "ft_lock_hold_seconds_count{family=\"spin\"} 5");
	at(&page, "ft_sensor_missing_total{sensor=\"lock/spin/hold\",reason=\"alone\"} 0");
	assert_int_equal(lines_with(&page, "ft_sensor_seconds"), 0);
	free(page.text);
	page = page_of(same, 3, 20);
	at(&page, "ft_lock_hold_seconds_count{family=\"spin\"} 3");
	at(&page, "ft_sensor_seconds_count{sensor=\"lock/spin/hold#2\"} 5");
	at(&page, "ft_sensor_value_count{sensor=\"lock/spin/hold#3\"} 4");
	free(page.text);
}

/* A series stays with its sensor while there is that, whatever others come. */
static void a_series_stays_with_its_sensor(void **state)
{
	struct file both[] = { instance(1, 0, 3), instance(2, FT_SENSOR_PERSIST, 5) };
	struct grown grown = { 0 };
	struct page page;

	(void)state;
	page = next_page(both, 1, 20, &grown);
	at(&page, "ft_lock_hold_seconds_count{family=\"spin\"} 3");
	free(page.text);
	count(&both[0], 0, 1, 7, 40);
	page = next_page(both, 2, 20, &grown);
	at(&page, "ft_lock_hold_seconds_count{family=\"spin\"} 4");
	at(&page, "ft_sensor_seconds_count{sensor=\"lock/spin/hold#2\"} 5");
	at(&page, "ft_row_values_total{sensor=\"lock/spin/hold\",by=\"site\",row=\"0x7\"} 1");
	free(page.text);
	count(&both[1], 0, 1, 7, 40);
	page = next_page(&both[1], 1, 20, &grown);
	at(&page, "ft_lock_hold_seconds_count{family=\"spin\"} 6");
	at(&page, "ft_row_values_total{sensor=\"lock/spin/hold\",by=\"site\",row=\"0x7\"} 0");
	free(page.text);
	grown_free(&grown);
	free_file(&both[0]);
	free_file(&both[1]);
}

/* Nothing has the name twice, whichever instance the family's is. */
static void another_kind_has_a_number(void **state)
{
	struct file files[] = { instance(1, FT_SENSOR_PERSIST, 3), instance(2, 0, 5) };
	struct page page;

	(void)state;
	files[0].head->sensor.axis[0].value = FT_VALUE_A;
	page = page_of(files, 2, 20);
	at(&page, "ft_lock_hold_seconds_count{family=\"spin\"} 5");
	at(&page, "ft_sensor_value_count{sensor=\"lock/spin/hold#1\"} 3");
	at(&page, "ft_sensor_missing_total{sensor=\"lock/spin/hold\",reason=\"alone\"} 0");
	at(&page, "ft_sensor_missing_total{sensor=\"lock/spin/hold#1\",reason=\"alone\"} 0");
	free(page.text);
}

/* --- histograms ------------------------------------------------------------- */

static void times_have_the_same_buckets_everywhere(void **state)
{
	struct file file = new_file();
	double before = 0, le;
	unsigned long long n, last = 0;
	struct page page;
	size_t buckets = 0;

	(void)state;
	name(&file, "lock/spin/hold");
	count(&file, 0, 1, 7, 40);
	count(&file, 1, 1, 7, 47);
	count(&file, 1, 0, 0, 100);
	*number(&file, 0, 0, 24) = 1;	/* above all bins */
	page = page_of(&file, 1, 20);
	for (size_t i = 0; i < page.n; i++) {
		if (sscanf(page.line[i], "ft_lock_hold_seconds_bucket{family=\"spin\",le=\"%lg\"} %llu",
			   &le, &n) != 2)
			continue;
		assert_true(le > before);
		assert_true(n >= last);
		before = le;
		last = n;
		buckets++;
	}
	/* four for each power of two from 2^5 to 2^34, and +Inf */
	assert_int_equal(buckets, 4 * 29 + 2);
	at(&page, "ft_lock_hold_seconds_bucket{family=\"spin\",le=\"3.2e-08\"} 0");
	at(&page, "ft_lock_hold_seconds_bucket{family=\"spin\",le=\"4e-08\"} 0");
	at(&page, "ft_lock_hold_seconds_bucket{family=\"spin\",le=\"4.8e-08\"} 2");
	at(&page, "ft_lock_hold_seconds_bucket{family=\"spin\",le=\"9.6e-08\"} 2");
	at(&page, "ft_lock_hold_seconds_bucket{family=\"spin\",le=\"1.12e-07\"} 3");
	at(&page, "ft_lock_hold_seconds_bucket{family=\"spin\",le=\"17.1798692\"} 3");
	at(&page, "ft_lock_hold_seconds_bucket{family=\"spin\",le=\"+Inf\"} 4");
	at(&page, "ft_lock_hold_seconds_count{family=\"spin\"} 4");
	at(&page, "ft_lock_hold_seconds_sum{family=\"spin\"} 0.000000187");
	free(page.text);
}

/* At 1.5 GHz 48 ns are 72 ticks: half of the bin from 64 to 80 is below. */
static void bins_across_buckets_are_shared_out(void **state)
{
	struct file file = new_file();
	struct page page;

	(void)state;
	name(&file, "a");
	file.head->clock_hz = 1500000000;
	for (int i = 0; i < 10; i++)
		count(&file, 0, 1, 7, 64);
	page = page_of(&file, 1, 20);
	/* 40 ns are 60 ticks, 48 are 72, 56 are 84 */
	at(&page, "ft_sensor_seconds_bucket{sensor=\"a\",le=\"4e-08\"} 0");
	at(&page, "ft_sensor_seconds_bucket{sensor=\"a\",le=\"4.8e-08\"} 5");
	at(&page, "ft_sensor_seconds_bucket{sensor=\"a\",le=\"5.6e-08\"} 10");
	at(&page, "ft_sensor_seconds_sum{sensor=\"a\"} 0.000000427");
	free(page.text);
}

static void words_have_a_bucket_for_each_power(void **state)
{
	struct file file = new_file();
	struct page page;

	(void)state;
	name(&file, "a");
	file.head->sensor.axis[0].value = FT_VALUE_A;
	for (uint64_t v = 0; v < 20; v++)
		count(&file, 0, 1, 7, v);
	*number(&file, 0, 0, 16) = 2;	/* below */
	page = page_of(&file, 1, 20);
	at(&page, "# TYPE ft_sensor_value histogram");
	assert_int_equal(lines_with(&page, "# UNIT ft_sensor_value"), 0);
	/* up to 3: 4 of them and those below */
	at(&page, "ft_sensor_value_bucket{sensor=\"a\",le=\"3.0\"} 6");
	at(&page, "ft_sensor_value_bucket{sensor=\"a\",le=\"7.0\"} 10");
	at(&page, "ft_sensor_value_bucket{sensor=\"a\",le=\"15.0\"} 18");
	at(&page, "ft_sensor_value_bucket{sensor=\"a\",le=\"31.0\"} 22");
	at(&page, "ft_sensor_value_bucket{sensor=\"a\",le=\"+Inf\"} 22");
	at(&page, "ft_sensor_value_sum{sensor=\"a\"} 190");
	assert_int_equal(lines_with(&page, "ft_sensor_value_bucket"), BINS / 4 + 1);
	free(page.text);
}

/* --- counters and gauges ---------------------------------------------------- */

static struct file without_bins(unsigned int kind)
{
	struct file f = new_file();

	f.head->sensor.kind = kind;
	f.head->sensor.split = 0;
	f.head->n_bins = 0;
	f.head->bins = 0;
	f.head->count = 16;
	f.head->under = 0;
	f.head->over = 0;
	return f;
}

static void counters_and_last_values(void **state)
{
	struct file files[] = {
		without_bins(FT_SENSOR_COUNTER), without_bins(FT_SENSOR_SCALAR),
		without_bins(FT_SENSOR_SCALAR), without_bins(FT_SENSOR_SCALAR),
	};
	struct ft_sensor_mark *mark;
	struct page page;

	(void)state;
	name(&files[0], "counter");
	*number(&files[0], 0, 0, 16) = 5;
	*number(&files[0], 1, 0, 16) = 6;
	name(&files[1], "time");
	name(&files[2], "word");
	name(&files[3], "nothing");
	files[2].head->sensor.axis[0].value = FT_VALUE_B;
	for (int i = 1; i < 4; i++) {
		files[i].head->marks = 40;
		files[i].head->n_marks = 1;
		files[i].head->mark_bytes = sizeof(*mark);
		mark = (struct ft_sensor_mark *)number(&files[i], 1, 0, 40);
		mark->seq = i < 3 ? 2 : 0;
		mark->last = 1500;
	}
	page = page_of(files, 4, 20);
	at(&page, "# TYPE ft_sensor_events counter");
	at(&page, "ft_sensor_events_total{sensor=\"counter\"} 11");
	at(&page, "# UNIT ft_sensor_last_seconds seconds");
	at(&page, "ft_sensor_last_seconds{sensor=\"time\"} 0.000001500");
	at(&page, "# TYPE ft_sensor_last gauge");
	at(&page, "ft_sensor_last{sensor=\"word\"} 1500");
	/* no value is not the value 0 */
	assert_int_equal(lines_with(&page, "ft_sensor_last"), 2);
	free(page.text);
}

/* --- rows ------------------------------------------------------------------- */

#define ROW_OF(of, what, number) \
	"ft_row_" what "_total{sensor=\"a/b\",by=\"context\",row=\"" of "\"} " number

/* Those with the greatest sums. One answer has what they have, and that is no counter. */
static void rows_are_bounded(void **state)
{
	struct file file = new_file();
	struct page page;

	(void)state;
	file.head->sensor.split = FT_SPLIT_CONTEXT;
	count(&file, 0, 1, 1, 10);
	count(&file, 1, 2, 1, 10);
	count(&file, 0, 2, 2, 50);
	count(&file, 0, 3, 3, 16);
	count(&file, 0, 0, 0, 4);
	((struct ft_sensor_copy *)(file.base + AT))->crowded = 1;
	((struct ft_sensor_copy *)(file.base + AT + COPY))->alone = 2;
	page = next_page(&file, 1, 2, NULL);
	at(&page, "# TYPE ft_row_values gauge");
	at(&page, "ft_row_values{sensor=\"a/b\",by=\"context\",row=\"softirq\"} 1");
	at(&page, "ft_row_values{sensor=\"a/b\",by=\"context\",row=\"task\"} 2");
	at(&page, "ft_row_seconds{sensor=\"a/b\",by=\"context\",row=\"softirq\"} 0.000000050");
	assert_int_equal(lines_with(&page, "ft_row_values"), 2);
	assert_int_equal(lines_with(&page, "ft_row_seconds"), 2);
	at(&page, "ft_sensor_missing_total{sensor=\"a/b\",reason=\"crowded\"} 1");
	at(&page, "ft_sensor_missing_total{sensor=\"a/b\",reason=\"alone\"} 2");
	at(&page, "ft_sensor_missing_total{sensor=\"a/b\",reason=\"forgotten\"} 0");
	at(&page, "ft_sensors_unreadable 0");
	free(page.text);
	free_file(&file);
}

static void expect(struct file *file, struct grown *grown, const char *values,
		   const char *seconds)
{
	struct page page = next_page(file, 1, 2, grown);

	at(&page, values);
	at(&page, seconds);
	assert_int_equal(lines_with(&page, "ft_row_values_total"), 2);
	free(page.text);
	grown_tidy(grown, 0);
}

/* The module empties the row of one CPU; another row takes its place at the top meanwhile. */
static void rows_never_fall(void **state)
{
	struct file file = new_file();
	struct grown grown = { 0 };

	(void)state;
	file.head->sensor.split = FT_SPLIT_CONTEXT;
	count(&file, 0, 1, 1, 500);
	count(&file, 1, 1, 1, 50);
	count(&file, 0, 2, 2, 40);
	count(&file, 0, 3, 3, 30);
	expect(&file, &grown, ROW_OF("task", "values", "0"),
	       ROW_OF("softirq", "seconds", "0.000000000"));
	count(&file, 1, 1, 1, 50);
	expect(&file, &grown, ROW_OF("task", "values", "1"),
	       ROW_OF("task", "seconds", "0.000000050"));
	*number(&file, 0, 1, 32) = 0;
	expect(&file, &grown, ROW_OF("task", "values", "1"),
	       ROW_OF("task", "seconds", "0.000000050"));
	/* what comes after the fall counts at once */
	count(&file, 1, 1, 1, 10);
	expect(&file, &grown, ROW_OF("task", "values", "2"),
	       ROW_OF("task", "seconds", "0.000000060"));
	count(&file, 0, 3, 3, 500);
	count(&file, 0, 2, 2, 500);
	expect(&file, &grown, ROW_OF("hardirq", "values", "0"),
	       ROW_OF("softirq", "values", "1"));
	count(&file, 1, 1, 1, 480);
	expect(&file, &grown, ROW_OF("task", "values", "3"),
	       ROW_OF("task", "seconds", "0.000000540"));
	grown_free(&grown);
	free_file(&file);
}

/* All rows of a name are in its series, also those that are not among the greatest. */
static void rows_of_a_name_are_one(void **state)
{
	static const char kallsyms[] = "ffffffff81000000 t twice\nffffffff81001000 t twice\n"
				       "ffffffff81002000 t once\nffffffff81003000 t end\n";
	char path[] = "/tmp/openmetrics_test.XXXXXX";
	int fd = mkstemp(path);
	struct file file = new_file();
	struct page page;

	(void)state;
	assert_int_equal(write(fd, kallsyms, strlen(kallsyms)), strlen(kallsyms));
	close(fd);
	names = symbols_load(path, NULL);
	unlink(path);
	count(&file, 0, 1, 0xffffffff81000010ull, 100);
	count(&file, 0, 2, 0xffffffff81001010ull, 60);
	count(&file, 0, 3, 0xffffffff81002010ull, 150);
	page = next_page(&file, 1, 1, NULL);
	at(&page, "ft_row_values{sensor=\"a/b\",by=\"site\",row=\"twice+0x10\"} 2");
	at(&page, "ft_row_seconds{sensor=\"a/b\",by=\"site\",row=\"twice+0x10\"} 0.000000160");
	assert_int_equal(lines_with(&page, "ft_row_values{"), 1);
	symbols_free(names);
	names = NULL;
	free(page.text);
	free_file(&file);
}

/* A new sensor begins with 0; a row that was in no answer for long is forgotten. */
static void rows_are_remembered_for_some_time(void **state)
{
	struct grown grown = { 0 };
	uint64_t n = 100, sum = 1000;

	(void)state;
	grown_take(&grown, 1, "s", "a", &n, &sum);
	assert_int_equal(n + sum, 0);
	n = 105;
	sum = 1010;
	grown_take(&grown, 1, "s", "a", &n, &sum);
	assert_int_equal(n, 5);
	assert_int_equal(sum, 10);
	n = 105;
	sum = 1010;
	grown_take(&grown, 2, "s", "a", &n, &sum);
	assert_int_equal(n + sum, 0);
	grown_tidy(&grown, 10);
	grown_tidy(&grown, 9 + GROWN_SECONDS);
	assert_int_equal(grown.series.used, 2);
	n = 106;
	sum = 1011;
	grown_take(&grown, 1, "s", "a", &n, &sum);
	assert_int_equal(n, 6);
	grown_tidy(&grown, 11 + GROWN_SECONDS);
	assert_int_equal(grown.series.used, 1);
	/* more than there is room for: those of the last answer stay */
	for (size_t i = 0; i < GROWN_MAX; i++) {
		n = 0;
		sum = 0;
		grown_take(&grown, 3 + i, "s", "b", &n, &sum);
	}
	grown_tidy(&grown, 12 + GROWN_SECONDS);
	assert_int_equal(grown.series.used, GROWN_MAX);
	grown_free(&grown);
}

/* The names of tasks are what programs like; those of sensors are the module's. */
static void labels_are_escaped(void **state)
{
	struct file files[] = { new_file(), new_file() };
	char task[128];
	struct page page;

	(void)state;
	assert_int_equal(prctl(PR_SET_NAME, "a\"} 7"), 0);
	files[0].head->sensor.split = FT_SPLIT_TASK;
	count(&files[0], 0, 1, (uint64_t)getpid(), 10);
	name(&files[1], "lock/a\"b\\cd/hold");
	page = page_of(files, 2, 20);
	snprintf(task, sizeof(task),
		 "ft_row_values_total{sensor=\"a/b\",by=\"task\",row=\"%d a\\\"} 7\"} 0", getpid());
	at(&page, task);
	at(&page, "ft_lock_hold_seconds_count{family=\"a\\\"b\\\\cd\"} 0");
	at(&page, "ft_sensor_missing_total{sensor=\"lock/a\\\"b\\\\cd/hold\",reason=\"alone\"} 0");
	free(page.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heads_come_before_their_series),
		cmocka_unit_test(others_have_their_name),
		cmocka_unit_test(a_family_has_one_instance),
		cmocka_unit_test(a_series_stays_with_its_sensor),
		cmocka_unit_test(another_kind_has_a_number),
		cmocka_unit_test(times_have_the_same_buckets_everywhere),
		cmocka_unit_test(bins_across_buckets_are_shared_out),
		cmocka_unit_test(words_have_a_bucket_for_each_power),
		cmocka_unit_test(counters_and_last_values),
		cmocka_unit_test(rows_are_bounded),
		cmocka_unit_test(rows_never_fall),
		cmocka_unit_test(rows_of_a_name_are_one),
		cmocka_unit_test(rows_are_remembered_for_some_time),
		cmocka_unit_test(labels_are_escaped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
