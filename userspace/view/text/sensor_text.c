// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Sensors for people. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "view/sensor_views.h"
#include "view/text/text.h"

/* A value of axis 0; of times it is in ticks. */
static const char *value_text(const struct ft_sensor_header *h, uint64_t value, char *buf)
{
	if (label_is_time(&h->sensor))
		return text_ps(buf, shown_ps(h, value));
	snprintf(buf, CELL, "%" PRIu64, value);
	return buf;
}

static void print_value(const struct ft_sensor_header *h, uint64_t value, bool is_known)
{
	char cell[CELL];

	printf(" %8s", is_known ? value_text(h, value, cell) : "-");
}

static void print_row(const struct ft_sensor_header *h, const struct sums_row *row)
{
	bool has_bins = h->n_bins && h->sensor.kind == FT_SENSOR_HISTOGRAM;

	printf("%12" PRIu64, row->count);
	print_value(h, row->count ? row->sum / row->count : 0, h->sum && row->count);
	print_value(h, has_bins ? sums_quantile(row, h, 500) : row->last,
		    has_bins ? row->count : row->noted && h->sensor.kind == FT_SENSOR_SCALAR);
	print_value(h, has_bins ? sums_quantile(row, h, 990) : 0, has_bins && row->count);
	print_value(h, row->most.value, row->noted);
}

static void print_head(const char *first)
{
	printf("%12s %8s %8s %8s %8s  %s\n", "number", "mean", "p50/last", "p99", "max", first);
}

void sensor_text_list(const struct shown *shown)
{
	if (!shown->maps.n) {
		puts("there are no sensors; to make the default ones: ft sensors default");
		return;
	}
	print_head("sensor");
	for (size_t i = 0; i < shown->maps.n; i++) {
		const struct sensor_map *map = &shown->maps.map[i];

		if (!shown->wanted[i])
			continue;
		print_row(&map->head, &shown->sums[i].all);
		printf("  %s (%s%s%s)\n", map->full_name, label_kind(map->head.sensor.kind),
		       map->head.sensor.split ? " by " : "",
		       label_split(map->head.sensor.split));
	}
}

/* What is missing from the numbers. */
static void print_missing(const struct sums *sums)
{
	static const char *const what[] = {
		"alone (their beginning was not seen)", "forgotten (too many at a time, or begun anew)",
		"without a row of their own (the table was full)",
		"rows added to the others (they had become idle)",
	};
	const uint64_t n[] = { sums->alone, sums->forgotten, sums->crowded, sums->emptied };

	for (size_t i = 0; i < ARRAY_SIZE(n); i++) {
		if (n[i])
			printf("%12" PRIu64 " %s\n", n[i], what[i]);
	}
}

/* By the second axis, which is the nesting depth. */
static void print_depths(const struct ft_sensor_header *h, const struct sums_row *row)
{
	const struct ft_sensor_axis *axis = h->sensor.axis;

	for (uint32_t j = 0; j < axis[1].bins; j++) {
		struct ft_sensor_header one = *h;
		struct sums_row part = { .bins = row->bins + (size_t)j * axis[0].bins };

		one.n_bins = axis[0].bins;
		one.sensor.kind = FT_SENSOR_HISTOGRAM;
		one.sum = 0;
		for (uint32_t i = 0; i < axis[0].bins; i++)
			part.count += part.bins[i];
		if (!part.count)
			continue;
		print_row(&one, &part);
		printf("  depth %llu\n", axis[1].low + j);
	}
}

static void print_rows(const struct shown *shown, size_t i)
{
	const struct ft_sensor_header *h = &shown->maps.map[i].head;
	const struct sums *sums = &shown->sums[i];
	const struct sums_row **rows = shown_order(sums, h->sensor.kind);
	char name[LABEL_LEN];

	for (size_t r = 0; r < sums->n && r < shown->top; r++) {
		print_row(h, rows[r]);
		printf("  %s\n", label_of(h->sensor.split, rows[r]->key, shown->symbols, name));
	}
	if (sums->rest.count && sums_is_split(h)) {
		print_row(h, &sums->rest);
		puts("  (others)");
	}
	if (h->sensor.kind == FT_SENSOR_HISTOGRAM2)
		print_depths(h, &sums->all);
	free(rows);
}

void sensor_text_rows(const struct shown *shown)
{
	for (size_t i = 0; i < shown->maps.n; i++) {
		const struct sensor_map *map = &shown->maps.map[i];

		if (!shown->wanted[i])
			continue;
		printf("%s: %s%s%s%s\n", map->full_name, label_kind(map->head.sensor.kind),
		       map->head.sensor.split ? " by " : "",
		       label_split(map->head.sensor.split),
		       !map->head.sensor.n_ranges ? "" :
		       map->head.sensor.flags & FT_SENSOR_OUTSIDE ?
		       ", not of all call sites" : ", of some call sites");
		print_head(label_split(map->head.sensor.split));
		print_row(&map->head, &shown->sums[i].all);
		puts("  all");
		print_rows(shown, i);
		print_missing(&shown->sums[i]);
		putchar('\n');
	}
}
