// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What ft top shows: see model.h. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/mem.h"
#include "control/device.h"
#include "control/functions.h"
#include "control/sensor_defaults.h"
#include "control/sensor_definition.h"
#include "control/sensor_same.h"
#include "control/sensors.h"
#include "top/model.h"

static const char *const families[] = {
	"spin", "rwlock_read", "rwlock_write", "mutex", "semaphore", "rwsem_read", "rwsem_write",
};

/* On PREEMPT_RT, where the kernel has events of them. */
#define RAW_SPIN	"raw_spin"

const char *model_by_name(enum model_by by)
{
	static const char *const names[MODEL_BYS] = { "family", "site", "lock", "task" };

	return by < MODEL_BYS ? names[by] : NULL;
}

const char *model_sort_name(enum model_sort sort)
{
	static const char *const names[MODEL_SORTS] = { "count", "time", "p50", "p99", "max" };

	return sort < MODEL_SORTS ? names[sort] : NULL;
}

/* --- sensors ------------------------------------------------------------------ */

static const char *split_of(enum model_by by, bool wait)
{
	switch (by) {
	case BY_SITE:
		return wait ? " by lock" : " by site";	/* waits have no site */
	case BY_LOCK:
		return " by lock";
	case BY_TASK:
		return " by task";
	default:
		return "";
	}
}

/* Is there one that does, so that none of our own is needed? */
static bool find_same(const struct sensor_maps *maps, const struct ft_sensor *wanted, size_t rows,
		      uint64_t *serial)
{
	for (size_t i = 0; i < maps->n; i++) {
		if (!sensor_measures_same(&maps->map[i].head.sensor, wanted, rows))
			continue;
		*serial = maps->map[i].head.serial;
		return true;
	}
	return false;
}

/* Return: the sensor with the number that the module gave, mapped; or why not. */
static const char *map_new(struct model *m, const struct ft_sensor *sensor,
			   struct sensor_map *map)
{
	struct sensor_maps maps;
	const char *bad = "it has gone already";

	if (!sensor_maps_open(&maps, m->fd))
		return "the directory cannot be read";
	for (size_t i = 0; i < maps.n; i++) {
		const struct ft_sensor *is = &maps.map[i].head.sensor;

		if (strcmp(is->name, sensor->name) || is->instance != sensor->instance)
			continue;
		*map = maps.map[i];
		maps.map[i].base = NULL;	/* ours now */
		bad = NULL;
	}
	if (bad)
		sensor_maps_warn(&maps);
	sensor_maps_close(&maps);
	return bad;
}

/* Spinning locks have hundreds of call sites. */
static const struct sensor_bins *bins_of(enum model_by by, const char *family, bool wait)
{
	static const struct sensor_bins many = { .rows = 256 }, some = { .rows = 64 },
					few = { .rows = 32 };

	if (by == BY_FAMILY)
		return NULL;
	return wait ? &few : strcmp(family, "spin") && strcmp(family, RAW_SPIN) ? &some : &many;
}

/* Maps one that is there, or makes one that ends with the descriptor. */
static bool add_sensor(struct model *m, const char *family, bool wait)
{
	struct model_sensor *s = &m->sensor[m->n_sensors];
	struct ft_sensor wanted;
	struct sensor_maps maps;
	uint64_t serial = 0;
	char name[FT_NAME_LEN], text[64];
	const char *bad;
	bool there;

	snprintf(name, sizeof(name), "top/%s/%s", family, wait ? "wait" : "hold");
	snprintf(text, sizeof(text), "%s(%s)%s", wait ? "wait" : "hold", family,
		 split_of(m->by, wait));
	if (!sensor_define(&wanted, name, text, bins_of(m->by, family, wait), &m->events,
			   NULL))
		return false;
	if (!sensor_maps_open(&maps, m->fd))
		return false;
	there = find_same(&maps, &wanted,
			  m->by == BY_FAMILY ? 0 : sensor_defaults_rows(family, wait), &serial);
	for (size_t i = 0; there && i < maps.n; i++) {
		if (maps.map[i].head.serial != serial)
			continue;
		s->map = maps.map[i];
		maps.map[i].base = NULL;
	}
	sensor_maps_close(&maps);
	if (!there) {
		if (!sensors_new(m->fd, &wanted))
			return false;
		bad = map_new(m, &wanted, &s->map);
		if (bad) {
			warnx("sensor '%s': %s", name, bad);
			return false;
		}
	}
	snprintf(s->family, sizeof(s->family), "%s", family);
	s->what = wait ? "wait" : "hold";
	m->n_sensors++;
	return true;
}

/* On PREEMPT_RT, what spins is a raw spinlock: a wait for one is not of the family spin. */
static bool make_sensors(struct model *m)
{
	bool raw = events_find(&m->events, FT_ID_ACQUIRE(FT_LOCK_RAW_SPIN)) >= 0;

	m->sensor = mem_zalloc(2 * ARRAY_SIZE(families) + 2, sizeof(*m->sensor));
	for (size_t i = 0; i < 2 * ARRAY_SIZE(families); i++) {
		if ((!raw || i != 1) && !add_sensor(m, families[i / 2], i % 2))
			return false;
	}
	return !raw || (add_sensor(m, RAW_SPIN, false) && add_sensor(m, RAW_SPIN, true));
}

bool model_has_by(const struct model *m, enum model_by by)
{
	return m->program == SENSOR_NO_PROGRAM || !m->n_sensors || by == BY_FAMILY ||
	       by == m->counted_by;
}

static enum model_by by_of(unsigned int split)
{
	return split == FT_SPLIT_WORD ? BY_LOCK : split == FT_SPLIT_TASK ? BY_TASK : BY_SITE;
}

/*
 * Programs make their sensors themselves: lock/FAMILY/hold, lock/FAMILY/wait. An ft run that is
 * about to end has removed them all.
 */
static bool find_sensors(struct model *m)
{
	struct sensor_maps maps;

	if (!sensor_maps_open(&maps, m->fd))
		return false;
	sensor_maps_warn(&maps);
	m->sensor = mem_zalloc(maps.n + 1, sizeof(*m->sensor));
	for (size_t i = 0; i < maps.n; i++) {
		struct model_sensor *s = &m->sensor[m->n_sensors];
		char what[8];

		if (sensor_map_is_gone(&maps.map[i]) ||
		    sscanf(maps.map[i].head.sensor.name, "lock/%47[^/]/%7s", s->family, what) != 2)
			continue;
		s->what = strcmp(what, "wait") ? "hold" : "wait";
		m->counted_by = by_of(maps.map[i].head.sensor.split);
		s->map = maps.map[i];
		maps.map[i].base = NULL;	/* ours now */
		m->n_sensors++;
	}
	sensor_maps_close(&maps);
	symbols_free(m->symbols);
	m->symbols = m->n_sensors ? sensor_program_symbols(m->fd) : NULL;
	return true;
}

static void free_sensors(struct model *m)
{
	for (size_t i = 0; i < m->n_sensors; i++) {
		struct model_sensor *s = &m->sensor[i];

		sums_free(&s->first);
		sums_free(&s->before);
		sums_free(&s->now);
		sums_free(&s->shown);
		sensor_map_close(&s->map);
	}
	free(m->sensor);
	m->sensor = NULL;
	m->n_sensors = 0;
	m->n_rows = 0;
}

/* The sensors that the descriptor has. */
static bool begin(struct model *m)
{
	free_sensors(m);
	m->by = m->wanted == MODEL_BYS ? BY_SITE : m->wanted;
	if (m->program == SENSOR_NO_PROGRAM ? !make_sensors(m) : !find_sensors(m))
		return false;
	if (m->wanted == MODEL_BYS && !model_has_by(m, m->by))
		m->by = m->counted_by;
	for (size_t i = 0; i < m->n_sensors; i++) {
		struct model_sensor *s = &m->sensor[i];
		uint32_t n_bins = s->map.head.n_bins;

		/* Only what is counted from now on is shown. */
		sums_take(&s->first, &s->map);
		sums_copy(&s->before, &s->first, n_bins);
		sums_copy(&s->now, &s->first, n_bins);
	}
	m->began = m->looked = monotonic_now();
	m->interval = 0;
	return true;
}

static bool is_removed(const struct model *m)
{
	for (size_t i = 0; i < m->n_sensors; i++) {
		if (sensor_map_is_gone(&m->sensor[i].map))
			return true;
	}
	return false;
}

/* Are the programs those that they were? Another ft run may have begun beside theirs. */
static bool goes_on(const struct model *m)
{
	return m->program != SENSOR_NO_PROGRAM && m->fd >= 0 && !is_removed(m) &&
	       sensor_program_has(m->whose, m->fd);
}

bool model_set_by(struct model *m, enum model_by by)
{
	bool keeps = goes_on(m);

	m->wanted = by;
	if (keeps)
		return begin(m);
	/* sensors of our own end with the descriptor */
	free_sensors(m);
	if (m->fd >= 0)
		close(m->fd);
	if (m->program == SENSOR_NO_PROGRAM)
		m->fd = sensors_open(true);
	else
		m->fd = sensor_program_open(m->program, &m->whose);
	return m->fd >= 0 && begin(m);
}

bool model_find_again(struct model *m)
{
	if (!model_set_by(m, m->wanted))
		return false;
	if (!model_has_by(m, m->by))
		m->by = m->counted_by;
	return true;
}

bool model_waits(const struct model *m)
{
	struct sensor_maps maps;
	size_t live = 0;

	if (m->n_sensors || !goes_on(m) || !sensor_maps_open(&maps, m->fd))
		return false;
	for (size_t i = 0; i < maps.n; i++)
		live += !sensor_map_is_gone(&maps.map[i]);
	sensor_maps_close(&maps);
	return !live;
}

bool model_open(struct model *m, enum model_by by)
{
	m->fd = -1;
	m->control = -1;
	if (m->program != SENSOR_NO_PROGRAM)
		return model_set_by(m, by);
	m->control = device_look_control(&m->info);
	if (m->control < 0)
		return false;
	if (m->info.lock_source == FT_LOCKS_NONE) {
		device_no_locks();
		return false;
	}
	if (!events_load(&m->events, m->control))
		return false;
	m->symbols = symbols_load("/proc/kallsyms", "/proc/modules");
	if (!model_set_by(m, by))
		return false;
	functions_warn_refused(&m->events, m->control, "measured");
	return true;
}

void model_close(struct model *m)
{
	free_sensors(m);
	free(m->row);
	if (m->control >= 0)
		events_free(&m->events);
	symbols_free(m->symbols);
	if (m->fd >= 0)
		close(m->fd);
	if (m->control >= 0)
		close(m->control);
}

/* --- rows ----------------------------------------------------------------------- */

uint64_t model_quantile(const struct model *m, const struct model_row *row, unsigned int permille)
{
	return sums_quantile(row->sums, &m->sensor[row->sensor].map.head, permille);
}

static uint64_t order_of(const struct model *m, const struct model_row *row)
{
	switch (m->sort) {
	case SORT_COUNT:
		return row->sums->count;
	case SORT_P50:
		return model_quantile(m, row, 500);
	case SORT_P99:
		return model_quantile(m, row, 990);
	case SORT_MAX:
		return row->sums->noted ? row->sums->most.value : 0;
	default:
		return row->sums->sum;
	}
}

static void add_row(struct model *m, size_t i, const struct sums_row *sums, const char *name)
{
	struct model_row *row;

	if (!sums->count || (*m->filter && !strstr(name, m->filter) &&
			     !strstr(m->sensor[i].family, m->filter)))
		return;
	m->row = mem_resize(m->row, m->n_rows + 1, sizeof(*m->row));
	row = &m->row[m->n_rows++];
	*row = (struct model_row){ .sensor = i, .sums = sums };
	row->order = order_of(m, row);
	snprintf(row->name, sizeof(row->name), "%s", name);
}

static int by_order(const void *pa, const void *pb)
{
	const struct model_row *a = pa, *b = pb;

	if (a->order != b->order)
		return a->order < b->order ? 1 : -1;
	return strcmp(a->name, b->name);
}

/* The difference to what was there at the beginning, or at the last look. */
static void subtract(struct model *m, struct model_sensor *s)
{
	sums_free(&s->shown);
	sums_since(&s->shown, &s->now, m->since_start ? &s->first : &s->before,
		   s->map.head.n_bins);
}

void model_rows(struct model *m)
{
	char name[LABEL_LEN];

	m->n_rows = 0;
	m->seconds = m->since_start ? m->looked - m->began : m->interval;
	for (size_t i = 0; i < m->n_sensors; i++) {
		struct model_sensor *s = &m->sensor[i];
		unsigned int split = s->map.head.sensor.split;

		subtract(m, s);
		if (m->by == BY_FAMILY) {
			snprintf(name, sizeof(name), "%s %s", s->family, s->what);
			add_row(m, i, &s->shown.all, name);
			continue;
		}
		for (size_t r = 0; r < s->shown.n; r++)
			add_row(m, i, &s->shown.row[r],
				label_of(split, s->shown.row[r].key, m->symbols, name));
		add_row(m, i, &s->shown.rest, "(others)");
	}
	qsort(m->row, m->n_rows, sizeof(*m->row), by_order);
}

bool model_is_gone(const struct model *m)
{
	return !m->n_sensors || is_removed(m);
}

void model_look(struct model *m)
{
	double now = monotonic_now();

	for (size_t i = 0; i < m->n_sensors; i++) {
		struct model_sensor *s = &m->sensor[i];

		sums_free(&s->before);
		s->before = s->now;
		s->now = (struct sums){ 0 };
		sums_take(&s->now, &s->map);
	}
	m->interval = now - m->looked;
	m->looked = now;
	model_rows(m);
}
