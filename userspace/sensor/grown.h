/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the rows of sensors have grown by since a monitoring system first saw them.
 *
 * The numbers of a row fall when the module makes room, and those of a name when one of its
 * rows goes: a system that takes them for counters would take that for a new beginning, and add
 * all that there still is once more. What is told here never falls: a fall counts as no growth.
 * What others with the name have counted between the same two answers is lost with it.
 *
 * Nor does a series change from one sensor to another while its own is there, for the same reason:
 * grown_first().
 *
 * A series begins with 0, wherever its row is by then. So it may be forgotten, and begin anew:
 * the system sees a counter that began anew, and is right.
 */
#ifndef FT_SENSOR_GROWN_H
#define FT_SENSOR_GROWN_H

#include <stdint.h>

#include "base/map.h"

#define GROWN_MAX	65536		/* series, beside those of one answer */
#define GROWN_SECONDS	3600.0		/* for which one is kept that is in no answer */

/* One that is zeroed knows nothing. */
struct grown {
	struct map	series;
	struct map	first;		/* by name: serial of that without a number */
};

/**
 * grown_first - which of the sensors of a name has its labels without a number
 *
 * As long as it is there, it keeps them: a series must not change from one sensor to another.
 * Return: its serial; 0: none yet.
 */
uint64_t grown_first(const struct grown *grown, const char *name);

void grown_set_first(struct grown *grown, const char *name, uint64_t serial);

/**
 * grown_take - what a series is told as
 * @serial:	of its sensor
 * @sensor:	its name, as in the series
 * @name:	of its rows
 * @count, @sum: in: what they have; out: the growth
 */
void grown_take(struct grown *grown, uint64_t serial, const char *sensor, const char *name,
		uint64_t *count, uint64_t *sum);

/**
 * grown_tidy - an answer is complete: forget what was in none for long
 * @now:	monotonic_now()
 */
void grown_tidy(struct grown *grown, double now);

void grown_free(struct grown *grown);

#endif /* FT_SENSOR_GROWN_H */
