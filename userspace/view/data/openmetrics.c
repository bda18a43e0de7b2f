// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Sensors as OpenMetrics 1.0, which monitoring systems read: a family of metrics for each
 * name and kind, of which each series has the labels of its sensor.
 *
 *	lock/spin/hold		ft_lock_hold_seconds{family="spin"}
 *	lock/spin/hold#2	ft_sensor_seconds{sensor="lock/spin/hold#2"}, beside that
 *	anything/else		ft_sensor_seconds{sensor="anything/else"}
 *
 * The number of series of an answer is bounded: a sensor has one with buckets, and rows of a
 * split have a count and a sum each, for at most @top of them. Over days there are more, as other
 * rows come to the top; those of locks without a symbol are addresses. What the other rows have is
 * no series: it would fall whenever one of them comes to the top.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/distribution/loglinear.h"
#include "base/mem.h"
#include "sensor/bins.h"
#include "view/sensor_views.h"

/* Buckets of times: four for each power of two, from 2^5 ns to 2^34 ns, 17 s. */
#define BUCKET_BITS	2
#define BUCKETS_FIRST	(4 * (5 - 1))
#define BUCKETS_LAST	(4 * (34 - 1))

/* --- families of metrics ------------------------------------------------------ */

enum metric {
	METRIC_LOCK_HOLD,
	METRIC_LOCK_WAIT,
	METRIC_SECONDS,
	METRIC_WORDS,
	METRIC_COUNT,
	METRIC_LAST_SECONDS,
	METRIC_LAST,
	METRICS
};

/* --- labels ----------------------------------------------------------------- */

static void put_quoted(FILE *f, const char *s, size_t len)
{
	fputc('"', f);
	for (; len--; s++) {
		if (*s == '\\' || *s == '"')
			fprintf(f, "\\%c", *s);
		else if (*s == '\n')
			fputs("\\n", f);
		else
			fputc(*s, f);
	}
	fputc('"', f);
}

static void put_name(FILE *f, const struct sensor_map *map)
{
	fputs("sensor=", f);
	put_quoted(f, map->full_name, strlen(map->full_name));
}

/* "lock/FAMILY/hold": is it one? Then @family is where it begins, @len how long it is. */
static bool is_of_lock(const char *name, const char *what, const char **family, size_t *len)
{
	const char *slash;

	if (strncmp(name, "lock/", 5))
		return false;
	*family = name + 5;
	slash = strchr(*family, '/');
	*len = slash ? (size_t)(slash - *family) : 0;
	return slash && !strcmp(slash + 1, what);
}

static enum metric metric_of(const struct sensor_map *map);

static void put_labels(FILE *f, const struct sensor_map *map)
{
	const char *family;
	size_t len;

	if (metric_of(map) <= METRIC_LOCK_WAIT &&
	    (is_of_lock(map->head.sensor.name, "hold", &family, &len) ||
	     is_of_lock(map->head.sensor.name, "wait", &family, &len))) {
		fputs("family=", f);
		put_quoted(f, family, len);
		return;
	}
	put_name(f, map);
}

/* A collector that reads the kernel's sensors and a program's takes one help for a name. */
static const struct {
	const char	*name, *type, *unit, *help;
} metrics[METRICS] = {
	[METRIC_LOCK_HOLD] = { "ft_lock_hold_seconds", "histogram", "seconds",
			       "How long locks were held: pthread_* and posix_sem of programs, "
			       "others of the kernel." },
	[METRIC_LOCK_WAIT] = { "ft_lock_wait_seconds", "histogram", "seconds",
			       "How long tasks waited for locks: pthread_* and posix_sem of "
			       "programs, others of the kernel." },
	[METRIC_SECONDS] = { "ft_sensor_seconds", "histogram", "seconds",
			     "Times that a sensor has measured." },
	[METRIC_WORDS] = { "ft_sensor_value", "histogram", "",
			   "Words of events that a sensor has counted." },
	[METRIC_COUNT] = { "ft_sensor_events", "counter", "", "Events that a sensor has counted." },
	[METRIC_LAST_SECONDS] = { "ft_sensor_last_seconds", "gauge", "seconds",
				  "The last time that a sensor has measured." },
	[METRIC_LAST] = { "ft_sensor_last", "gauge", "", "The last word that a sensor has seen." },
};

static enum metric metric_of(const struct sensor_map *map)
{
	const struct ft_sensor *sensor = &map->head.sensor;
	bool is_first = !strcmp(map->full_name, sensor->name);
	const char *family;
	size_t len;

	if (sensor->kind == FT_SENSOR_COUNTER)
		return METRIC_COUNT;
	if (sensor->kind == FT_SENSOR_SCALAR)
		return label_is_time(sensor) ? METRIC_LAST_SECONDS : METRIC_LAST;
	if (!label_is_time(sensor))
		return METRIC_WORDS;
	if (is_first && is_of_lock(sensor->name, "hold", &family, &len))
		return METRIC_LOCK_HOLD;
	if (is_first && is_of_lock(sensor->name, "wait", &family, &len))
		return METRIC_LOCK_WAIT;
	return METRIC_SECONDS;
}

/* --- several instances ---------------------------------------------------------- */

/* Does it measure what a default sensor of its name does? */
static bool is_lock_histogram(const struct sensor_map *map)
{
	const struct ft_sensor *sensor = &map->head.sensor;
	const char *family;
	size_t len;

	return sensor->kind != FT_SENSOR_COUNTER && sensor->kind != FT_SENSOR_SCALAR &&
	       label_is_time(sensor) && (is_of_lock(sensor->name, "hold", &family, &len) ||
					 is_of_lock(sensor->name, "wait", &family, &len));
}

/*
 * The one that came first in the last answer, with this @serial, still does. Else one that
 * stays: it is served on when the owner of the other one ends.
 */
static bool comes_before(const struct sensor_map *a, const struct sensor_map *b, uint64_t serial)
{
	bool stays = a->head.sensor.flags & FT_SENSOR_PERSIST;
	bool others_does = b->head.sensor.flags & FT_SENSOR_PERSIST;

	if (a->head.serial == serial || b->head.serial == serial)
		return a->head.serial == serial;
	return stays != others_does ? stays : a->head.sensor.instance < b->head.sensor.instance;
}

static bool has_the_name(const struct shown *shown, size_t i, size_t other)
{
	const struct sensor_map *maps = shown->maps.map;

	return shown->wanted[other] &&
	       !strcmp(maps[other].head.sensor.name, maps[i].head.sensor.name);
}

static bool is_first_of_its_name(const struct shown *shown, size_t i, const struct grown *grown)
{
	const struct sensor_map *maps = shown->maps.map;
	uint64_t serial = grown ? grown_first(grown, maps[i].head.sensor.name) : 0;

	if (!shown->wanted[i] || !is_lock_histogram(&maps[i]))
		return false;
	for (size_t other = 0; other < shown->maps.n; other++) {
		if (other != i && has_the_name(shown, i, other) &&
		    is_lock_histogram(&maps[other]) &&
		    comes_before(&maps[other], &maps[i], serial))
			return false;
	}
	return true;
}

/*
 * A family of locks has the same series whichever instance there is: the first one's labels
 * have no number. So that no series comes twice, those of all others do.
 */
static void number_instances(struct shown *shown, struct grown *grown)
{
	for (size_t i = 0; i < shown->maps.n; i++) {
		if (!is_first_of_its_name(shown, i, grown))
			continue;
		if (grown)
			grown_set_first(grown, shown->maps.map[i].head.sensor.name,
					shown->maps.map[i].head.serial);
		for (size_t other = 0; other < shown->maps.n; other++) {
			struct sensor_map *map = &shown->maps.map[other];

			if (other == i)
				snprintf(map->full_name, sizeof(map->full_name), "%s",
					 map->head.sensor.name);
			else if (has_the_name(shown, i, other))
				snprintf(map->full_name, sizeof(map->full_name), "%s#%u",
					 map->head.sensor.name, map->head.sensor.instance);
		}
	}
}

/* --- series ------------------------------------------------------------------- */

static void put_bucket(FILE *f, enum metric m, const struct sensor_map *map, const char *le,
		       uint64_t count)
{
	fprintf(f, "%s_bucket{", metrics[m].name);
	put_labels(f, map);
	fprintf(f, ",le=\"%s\"} %" PRIu64 "\n", le, count);
}

/* Values of one bin of axis 0, of all of axis 1. */
static uint64_t bin_count(const struct ft_sensor_header *h, const struct sums_row *row, uint32_t i)
{
	uint32_t bins = h->sensor.axis[0].bins;
	uint64_t n = 0;

	for (uint32_t at = i; at < h->n_bins; at += bins)
		n += row->bins[at];
	return n;
}

/*
 * How many values are at most @limit, in the unit of the axis: of the bin that @limit lies
 * in, the part that is below it. Rounded down, so it never falls as counts grow.
 */
static uint64_t count_up_to(const struct ft_sensor_header *h, const struct sums_row *row,
			    uint64_t limit)
{
	const struct ft_sensor_axis *axis = &h->sensor.axis[0];
	uint64_t n = limit >= axis->low ? row->under : 0;

	for (uint32_t i = 0; i < axis->bins; i++) {
		uint64_t low = bins_low(axis, i), high = bins_low(axis, i + 1);

		if (high <= limit)
			n += bin_count(h, row, i);
		else if (low < limit)
			n += (uint64_t)((unsigned __int128)bin_count(h, row, i) * (limit - low) /
					(high - low));
		else
			break;
	}
	return n;
}

static void put_time_buckets(FILE *f, enum metric m, const struct sensor_map *map,
			     const struct sums_row *row)
{
	const struct ft_sensor_header *h = &map->head;
	char le[32];

	for (uint32_t b = BUCKETS_FIRST; b <= BUCKETS_LAST; b++) {
		uint64_t ns = loglinear_low(b, BUCKET_BITS);

		snprintf(le, sizeof(le), "%.9g", (double)ns / 1e9);
		put_bucket(f, m, map, le,
			   count_up_to(h, row, (uint64_t)((unsigned __int128)ns * h->clock_hz /
							  1000000000)));
	}
}

/* Of log-linear bins, one bucket for each power of two: this bounds the number of series. */
static bool is_bucket(const struct ft_sensor_axis *axis, uint32_t end)
{
	return axis->flags & FT_AXIS_LINEAR || end == axis->bins || !(end % (1u << axis->bits));
}

/* A bucket has all values up to its name, so its end is the last value of a bin. */
static void put_word_buckets(FILE *f, enum metric m, const struct sensor_map *map,
			     const struct sums_row *row)
{
	const struct ft_sensor_header *h = &map->head;
	const struct ft_sensor_axis *axis = &h->sensor.axis[0];
	uint64_t n = row->under;
	char le[32];

	for (uint32_t i = 0; i < axis->bins; i++) {
		uint64_t last = bins_low(axis, i + 1) - 1;

		if (last == UINT64_MAX - 1)	/* +Inf has the rest */
			break;
		n += bin_count(h, row, i);
		if (!is_bucket(axis, i + 1))
			continue;
		snprintf(le, sizeof(le), "%" PRIu64 ".0", last);
		put_bucket(f, m, map, le, n);
	}
}

static void put_sum(FILE *f, const struct ft_sensor_header *h, uint64_t sum)
{
	if (label_is_time(&h->sensor))
		fprintf(f, "%.9f\n", shown_seconds(h, sum));
	else
		fprintf(f, "%" PRIu64 "\n", sum);
}

static void put_value(FILE *f, enum metric m, const struct sensor_map *map, const char *suffix)
{
	fprintf(f, "%s%s{", metrics[m].name, suffix);
	put_labels(f, map);
	fputs("} ", f);
}

static void put_histogram(FILE *f, enum metric m, const struct sensor_map *map,
			  const struct sums_row *row)
{
	if (label_is_time(&map->head.sensor))
		put_time_buckets(f, m, map, row);
	else
		put_word_buckets(f, m, map, row);
	put_bucket(f, m, map, "+Inf", row->count);
	put_value(f, m, map, "_count");
	fprintf(f, "%" PRIu64 "\n", row->count);
	put_value(f, m, map, "_sum");
	put_sum(f, &map->head, row->sum);
}

static void put_series(FILE *f, enum metric m, const struct sensor_map *map,
		       const struct sums *sums)
{
	const struct sums_row *row = &sums->all;

	switch (map->head.sensor.kind) {
	case FT_SENSOR_COUNTER:
		put_value(f, m, map, "_total");
		fprintf(f, "%" PRIu64 "\n", row->count);
		break;
	case FT_SENSOR_SCALAR:
		if (row->noted) {
			put_value(f, m, map, "");
			put_sum(f, &map->head, row->last);
		}
		break;
	default:
		put_histogram(f, m, map, row);
	}
}

static void put_head(FILE *f, const char *name, const char *type, const char *unit,
		     const char *help)
{
	fprintf(f, "# TYPE %s %s\n", name, type);
	if (*unit)
		fprintf(f, "# UNIT %s %s\n", name, unit);
	fprintf(f, "# HELP %s %s\n", name, help);
}

static void put_metric(FILE *f, enum metric m, const struct shown *shown)
{
	bool any = false;

	for (size_t i = 0; i < shown->maps.n; i++) {
		if (!shown->wanted[i] || metric_of(&shown->maps.map[i]) != m)
			continue;
		if (!any)
			put_head(f, metrics[m].name, metrics[m].type, metrics[m].unit,
				 metrics[m].help);
		any = true;
		put_series(f, m, &shown->maps.map[i], &shown->sums[i]);
	}
}

/* --- rows --------------------------------------------------------------------- */

/*
 * Which numbers of rows there are: @grown is what they are told as to who asks again and again,
 * @now to who asks once. What a row has may fall, so that is no counter.
 */
static const struct {
	const char	*name, *unit, *grown, *now;
	bool		is_sum;
} parts[] = {
	{ "ft_row_values", "",
	  "How many values a row of a sensor got since it was first served: a call site, a lock, "
	  "a task.",
	  "How many values a row of a sensor has now: a call site, a lock, a task.", false },
	{ "ft_row_seconds", "seconds",
	  "The sum of the times that a row of a sensor got since it was first served.",
	  "The sum of the times that a row of a sensor has now.", true },
};

/* A series of rows: what has one name. */
struct series {
	char		*name;
	uint64_t	count, sum;
};

/* Those of a sensor. */
struct series_list {
	struct series	*series;
	size_t		n;
};

static int by_row_name(const void *pa, const void *pb)
{
	const struct series *a = pa, *b = pb;

	return strcmp(a->name, b->name);
}

/* The sums of a counter are 0. */
static int by_greatest(const void *pa, const void *pb)
{
	const struct series *a = pa, *b = pb;

	if (a->sum != b->sum)
		return a->sum < b->sum ? 1 : -1;
	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return strcmp(a->name, b->name);
}

/* A task's name costs a file of /proc; its number is in it, so no other row has that name. */
static bool has_own_names(unsigned int split)
{
	return split == FT_SPLIT_TASK || split == FT_SPLIT_CONTEXT;
}

/*
 * Two rows can have one name, as two locks of a structure have: a monitoring system takes no
 * series twice. All of them are in it, not only those that are among the first rows: else it
 * would fall when one of them no longer is.
 */
static struct series_list add_up_names(const struct shown *shown, size_t i)
{
	const struct ft_sensor *sensor = &shown->maps.map[i].head.sensor;
	const struct sums *sums = &shown->sums[i];
	const struct sums_row **rows = shown_order(sums, sensor->kind);
	size_t n = has_own_names(sensor->split) && shown->top < sums->n ? shown->top : sums->n;
	struct series_list list = { .series = mem_zalloc(n + 1, sizeof(*list.series)) };
	char name[LABEL_LEN];

	for (size_t r = 0; r < n; r++)
		list.series[r] = (struct series){
			mem_strdup(label_of(sensor->split, rows[r]->key, shown->symbols, name)),
			rows[r]->count, rows[r]->sum,
		};
	free(rows);
	qsort(list.series, n, sizeof(*list.series), by_row_name);
	for (size_t r = 0; r < n; r++) {
		struct series *last = &list.series[list.n ? list.n - 1 : 0], *one = &list.series[r];

		if (!list.n || strcmp(last->name, one->name)) {
			list.series[list.n++] = *one;
			continue;
		}
		last->count += one->count;
		last->sum += one->sum;
		mem_free(one->name);
	}
	return list;
}

/* The greatest ones; how much they have grown, if that is known. */
static struct series_list series_of(const struct shown *shown, size_t i, struct grown *grown)
{
	struct series_list list = { 0 };

	if (!shown->wanted[i] || !shown->maps.map[i].head.sensor.split || !shown->top)
		return list;
	list = add_up_names(shown, i);
	qsort(list.series, list.n, sizeof(*list.series), by_greatest);
	while (list.n > shown->top)
		mem_free(list.series[--list.n].name);
	for (size_t k = 0; grown && k < list.n; k++)
		grown_take(grown, shown->maps.map[i].head.serial, shown->maps.map[i].full_name,
			   list.series[k].name, &list.series[k].count, &list.series[k].sum);
	return list;
}

static void put_row(FILE *f, size_t part, const struct sensor_map *map,
		    const struct series *series, bool is_counter)
{
	fprintf(f, "%s%s{", parts[part].name, is_counter ? "_total" : "");
	put_name(f, map);
	fprintf(f, ",by=\"%s\",row=", label_split(map->head.sensor.split));
	put_quoted(f, series->name, strlen(series->name));
	fputs("} ", f);
	if (parts[part].is_sum)
		fprintf(f, "%.9f\n", shown_seconds(&map->head, series->sum));
	else
		fprintf(f, "%" PRIu64 "\n", series->count);
}

static void put_row_part(FILE *f, size_t part, const struct shown *shown,
			 const struct series_list *lists, bool is_counter)
{
	bool any = false;

	for (size_t i = 0; i < shown->maps.n; i++) {
		const struct sensor_map *map = &shown->maps.map[i];

		if (parts[part].is_sum && !label_is_time(&map->head.sensor))
			continue;
		if (lists[i].n && !any)
			put_head(f, parts[part].name, is_counter ? "counter" : "gauge",
				 parts[part].unit,
				 is_counter ? parts[part].grown : parts[part].now);
		any |= lists[i].n;
		for (size_t k = 0; k < lists[i].n; k++)
			put_row(f, part, map, &lists[i].series[k], is_counter);
	}
}

static void put_rows(FILE *f, const struct shown *shown, struct grown *grown)
{
	struct series_list *lists = mem_zalloc(shown->maps.n + 1, sizeof(*lists));

	for (size_t i = 0; i < shown->maps.n; i++)
		lists[i] = series_of(shown, i, grown);
	for (size_t part = 0; part < ARRAY_SIZE(parts); part++)
		put_row_part(f, part, shown, lists, grown);
	for (size_t i = 0; i < shown->maps.n; i++) {
		while (lists[i].n)
			mem_free(lists[i].series[--lists[i].n].name);
		free(lists[i].series);
	}
	free(lists);
}

/* --- what is missing ---------------------------------------------------------- */

static void put_missing(FILE *f, const struct shown *shown)
{
	static const char *const reasons[] = { "alone", "forgotten", "crowded" };

	put_head(f, "ft_sensor_missing", "counter", "",
		 "What a sensor could not pair, or not give a row of its own.");
	for (size_t i = 0; i < shown->maps.n; i++) {
		const struct sums *sums = &shown->sums[i];
		const uint64_t n[] = { sums->alone, sums->forgotten, sums->crowded };

		for (size_t k = 0; shown->wanted[i] && k < 3; k++) {
			fputs("ft_sensor_missing_total{", f);
			put_name(f, &shown->maps.map[i]);
			fprintf(f, ",reason=\"%s\"} %" PRIu64 "\n", reasons[k], n[k]);
		}
	}
}

void sensor_openmetrics(struct shown *shown, struct grown *grown, FILE *f)
{
	number_instances(shown, grown);
	for (unsigned int m = 0; m < METRICS; m++)
		put_metric(f, m, shown);
	put_rows(f, shown, grown);
	put_missing(f, shown);
	put_head(f, "ft_sensors_unreadable", "gauge", "",
		 "Sensors that exist and could not be read: they are not in this answer.");
	fprintf(f, "ft_sensors_unreadable %zu\n", shown->maps.n_unreadable);
	fputs("# EOF\n", f);
}
