// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The default sensors: see sensor_defaults.h. */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "control/device.h"
#include "control/events.h"
#include "control/functions.h"
#include "control/sensor_defaults.h"
#include "control/sensor_definition.h"
#include "control/sensors.h"

/*
 * A kernel takes spinlocks at hundreds of call sites within seconds, and a value that finds no
 * row costs more than one that has one. Few are held for longer than 2^27 ticks: 40 ms or more.
 */
#define SPIN_BINS	((27 - SENSOR_DEFAULTS_BITS + 1) << SENSOR_DEFAULTS_BITS)

#define SPIN_ROWS	512

struct sensor_default {
	const char	*name;
	const char	*text;
	size_t		rows;
	size_t		bins;	/* 0: as many as there are values */
};

static const struct sensor_default one_spins[] = {
	{ "lock/spin/hold", "hold(spin) by site", SPIN_ROWS, SPIN_BINS },
	{ "lock/spin/wait", "wait(spin) by lock", 8, 0 },
};

/* On PREEMPT_RT, raw spinlocks are what spins; those that sleep share the room with them. */
static const struct sensor_default both_spin[] = {
	{ "lock/raw_spin/hold", "hold(raw_spin) by site", SPIN_ROWS / 2, SPIN_BINS },
	{ "lock/spin/hold", "hold(spin) by site", SPIN_ROWS / 2, SPIN_BINS },
	{ "lock/raw_spin/wait", "wait(raw_spin) by lock", 8, 0 },
};

static const struct sensor_default others[] = {
	{ "lock/rwlock_read/hold", "hold(rwlock_read) by site", 32, 0 },
	{ "lock/rwlock_write/hold", "hold(rwlock_write) by site", 32, 0 },
	{ "lock/mutex/hold", "hold(mutex) by site", 32, 0 },
	{ "lock/semaphore/hold", "hold(semaphore) by site", 16, 0 },
	{ "lock/rwsem_read/hold", "hold(rwsem_read) by site", 32, 0 },
	{ "lock/rwsem_write/hold", "hold(rwsem_write) by site", 32, 0 },
	{ "lock/rwlock_read/wait", "wait(rwlock_read) by lock", 8, 0 },
	{ "lock/rwlock_write/wait", "wait(rwlock_write) by lock", 8, 0 },
	{ "lock/mutex/wait", "wait(mutex) by lock", 8, 0 },
	{ "lock/semaphore/wait", "wait(semaphore) by lock", 8, 0 },
	{ "lock/rwsem_read/wait", "wait(rwsem_read) by lock", 8, 0 },
	{ "lock/rwsem_write/wait", "wait(rwsem_write) by lock", 8, 0 },
};

/* All of them: where raw spinlocks have events, and where they have none. */
static const struct {
	const struct sensor_default	*defaults;
	size_t				n;
} tables[] = {
	{ one_spins, ARRAY_SIZE(one_spins) },
	{ both_spin, ARRAY_SIZE(both_spin) },
	{ others, ARRAY_SIZE(others) },
};

size_t sensor_defaults_rows(const char *family, bool wait)
{
	size_t least = FT_SENSOR_ROWS_MAX;
	char name[FT_NAME_LEN];

	snprintf(name, sizeof(name), "lock/%s/%s", family, wait ? "wait" : "hold");
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		for (size_t k = 0; k < tables[i].n; k++) {
			const struct sensor_default *one = &tables[i].defaults[k];

			if (!strcmp(one->name, name) && one->rows < least)
				least = one->rows;
		}
	}
	return least;
}

static_assert(ARRAY_SIZE(both_spin) + ARRAY_SIZE(others) <= SENSOR_DEFAULTS_MAX, "all fit");

static bool make(int fd, struct events *events, const struct sensor_default *defaults, size_t n,
		 __u32 flags, struct sensor_defaults *made)
{
	for (size_t i = 0; i < n; i++) {
		const struct sensor_bins bins = {
			.rows = defaults[i].rows, .bins = defaults[i].bins,
			.bits = SENSOR_DEFAULTS_BITS,
		};

		struct ft_sensor_info *info = &made->sensor[made->n];
		struct ft_sensor *sensor = &info->sensor;

		if (sensors_stay(fd, defaults[i].name))
			continue;
		if (!sensor_define(sensor, defaults[i].name, defaults[i].text, &bins, events,
				   NULL))
			return false;
		sensor->flags |= flags;
		if (!sensors_new(fd, sensor))
			return false;
		made->n += sensors_look(fd, sensor->number, info);	/* its serial */
	}
	return true;
}

/* Where an unlock of raw spinlocks is inlined, they have no events. */
static bool make_all(int fd, struct events *events, __u32 flags, struct sensor_defaults *made)
{
	bool raw = events_find(events, FT_ID_ACQUIRE(FT_LOCK_RAW_SPIN)) >= 0;

	return (raw ? make(fd, events, both_spin, ARRAY_SIZE(both_spin), flags, made) :
		      make(fd, events, one_spins, ARRAY_SIZE(one_spins), flags, made)) &&
	       make(fd, events, others, ARRAY_SIZE(others), flags, made);
}

bool sensor_defaults_make(int fd, __u32 flags, struct sensor_defaults *made)
{
	struct sensor_defaults unseen;
	struct ft_info info;
	struct events events;
	int control = device_look_control(&info);
	bool ok = false;

	made = made ?: &unseen;
	made->n = 0;
	if (control < 0)
		return false;
	if (info.lock_source == FT_LOCKS_NONE) {
		device_no_locks();
	} else if (events_load(&events, control)) {
		ok = make_all(fd, &events, flags, made);
		functions_warn_refused(&events, control, "measured");
		events_free(&events);
	}
	close(control);
	return ok;
}
