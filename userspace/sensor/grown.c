// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What rows have grown by: see grown.h. */
#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "sensor/grown.h"

struct number {
	uint64_t	last, grown;
};

/* @told: in the answer that is being made; @at: when the last one was complete that had it */
struct grown_series {
	uint64_t	serial;
	struct number	count, sum;
	bool		told;
	double		at;
	char		*sensor, *name;
};

uint64_t grown_first(const struct grown *grown, const char *name)
{
	return (uintptr_t)map_get(&grown->first, map_text_key(name, strlen(name)));
}

void grown_set_first(struct grown *grown, const char *name, uint64_t serial)
{
	map_put(&grown->first, map_text_key(name, strlen(name)), (void *)(uintptr_t)serial);
}

static void series_forget(struct grown_series *series)
{
	mem_free(series->sensor);
	mem_free(series->name);
	mem_free(series);
}

static uint64_t number_grow(struct number *number, uint64_t now)
{
	if (now > number->last)
		number->grown += now - number->last;
	number->last = now;
	return number->grown;
}

/* A sensor that takes over the labels of another one begins anew. */
static uint64_t series_key(uint64_t serial, const char *sensor, const char *name)
{
	return map_text_key(name, strlen(name)) ^
	       map_hash(serial ^ map_text_key(sensor, strlen(sensor)));
}

/* Two that have one key, which somebody may choose so, take turns: each begins anew. */
static struct grown_series *series_find(struct grown *grown, uint64_t serial, const char *sensor,
					const char *name)
{
	uint64_t key = series_key(serial, sensor, name);
	struct grown_series *series = map_get(&grown->series, key);

	if (series && series->serial == serial && !strcmp(series->sensor, sensor) &&
	    !strcmp(series->name, name))
		return series;
	if (series) {
		map_del(&grown->series, key);
		series_forget(series);
	}
	return NULL;
}

void grown_take(struct grown *grown, uint64_t serial, const char *sensor, const char *name,
		uint64_t *count, uint64_t *sum)
{
	struct grown_series *series = series_find(grown, serial, sensor, name);

	if (!series) {
		series = mem_zalloc(1, sizeof(*series));
		series->serial = serial;
		series->sensor = mem_strdup(sensor);
		series->name = mem_strdup(name);
		series->count.last = *count;
		series->sum.last = *sum;
		map_put(&grown->series, series_key(serial, sensor, name), series);
	}
	series->told = true;
	*count = number_grow(&series->count, *count);
	*sum = number_grow(&series->sum, *sum);
}

void grown_tidy(struct grown *grown, double now)
{
	bool full = grown->series.used > GROWN_MAX;
	struct map kept = { 0 };
	struct map_slot *slot;

	map_for_each(&grown->series, slot) {
		struct grown_series *series = slot->value;

		if (series->told) {
			series->at = now;
			series->told = false;
		} else if (full || now - series->at > GROWN_SECONDS) {
			series_forget(series);
			continue;
		}
		map_put(&kept, slot->key, series);
	}
	map_free(&grown->series);
	grown->series = kept;
}

void grown_free(struct grown *grown)
{
	struct map_slot *slot;

	map_for_each(&grown->series, slot)
		series_forget(slot->value);
	map_free(&grown->series);
	map_free(&grown->first);
}
