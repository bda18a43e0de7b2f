// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Sensors and what they have counted: see shown.h. */
#include <stdlib.h>

#include "base/mem.h"
#include "sensor/shown.h"

/* The code that shows them reads the split in the header. */
static void take_by_cpu(struct sums *sums, struct sensor_map *map)
{
	sums_take_by_copy(sums, map);
	map->head.sensor.split = LABEL_SPLIT_CPU;
}

bool shown_take(struct shown *shown, int fd)
{
	if (!sensor_maps_open(&shown->maps, fd))
		return false;
	shown->sums = mem_zalloc(shown->maps.n + 1, sizeof(*shown->sums));
	shown->wanted = mem_zalloc(shown->maps.n + 1, sizeof(*shown->wanted));
	for (size_t i = 0; i < shown->maps.n; i++) {
		if (shown->by_cpu)
			take_by_cpu(&shown->sums[i], &shown->maps.map[i]);
		else
			sums_take(&shown->sums[i], &shown->maps.map[i]);
		shown->wanted[i] = true;
	}
	return true;
}

void shown_free(struct shown *shown)
{
	for (size_t i = 0; i < shown->maps.n; i++)
		sums_free(&shown->sums[i]);
	free(shown->sums);
	free(shown->wanted);
	sensor_maps_close(&shown->maps);
}

static int by_sum(const void *pa, const void *pb)
{
	const struct sums_row *a = *(const struct sums_row *const *)pa;
	const struct sums_row *b = *(const struct sums_row *const *)pb;

	if (a->sum != b->sum)
		return a->sum < b->sum ? 1 : -1;
	return (a->key > b->key) - (a->key < b->key);
}

static int by_count(const void *pa, const void *pb)
{
	const struct sums_row *a = *(const struct sums_row *const *)pa;
	const struct sums_row *b = *(const struct sums_row *const *)pb;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return (a->key > b->key) - (a->key < b->key);
}

const struct sums_row **shown_order(const struct sums *sums, unsigned int kind)
{
	const struct sums_row **rows = mem_zalloc(sums->n + 1, sizeof(*rows));

	for (size_t i = 0; i < sums->n; i++)
		rows[i] = &sums->row[i];
	qsort(rows, sums->n, sizeof(*rows), kind == FT_SENSOR_COUNTER ? by_count : by_sum);
	return rows;
}
