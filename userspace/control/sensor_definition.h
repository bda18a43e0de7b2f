/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Sensors as they are written:
 *
 *	WHAT [outside sleeping locks | inside sleeping locks] [by SPLIT]
 *
 * WHAT:	count(EVENT)		how often it happens
 *		EVENT.FIELD		a histogram of a word
 *		hold(FAMILY)		a histogram of the times for which a lock is held
 *		wait(FAMILY)		of the times for which a task waits for one
 *		time(EVENT, EVENT)	from one to the next one with the same first word
 *		last(VALUE)		of one of these values no histogram, but the last, the
 *					least and the greatest one
 * outside, inside: of hold(spin), those that sleeping locks do not take, or do, inside
 *		themselves
 * SPLIT:	site, lock or word, task, context: a row for each
 *		depth: hold() of spinning locks by nesting depth
 */
#ifndef FT_CONTROL_SENSOR_DEFINITION_H
#define FT_CONTROL_SENSOR_DEFINITION_H

#include <linux/feather_trace_sensor.h>

#include "control/events.h"

/**
 * struct sensor_bins - how values are counted; all zeroes: log-linear, to fit the value
 * @bits:	each power of two is cut into 2^bits bins; 0 without @bits_set: 3
 * @bits_set:	@bits was asked for, even if it is 0
 * @width:	linear bins of this width, a power of two; 0: log-linear
 * @low:	the least value that has a bin
 * @bins:	how many; 0: enough for all values up to 2^34 (of words: 2^64)
 * @rows:	of a split; 0: 128
 */
struct sensor_bins {
	size_t	bits, width, low, bins, rows;
	bool	bits_set;
};

/**
 * sensor_sites_fn - the call sites of what sleeping locks take inside themselves
 * @sensor: gets ranges and n_ranges, which stay until the next call
 *
 * Return: false after a message.
 */
typedef bool (*sensor_sites_fn)(struct ft_sensor *sensor);

/**
 * sensor_define - the definition for the module
 * @name:	of the sensor
 * @text:	as above
 * @bins:	may be NULL
 * @events:	of the module; tracepoints are added, and those of the sensor are chosen
 * @sites:	for "outside sleeping locks"; NULL: this is not understood
 *
 * Return: false after a message.
 */
bool sensor_define(struct ft_sensor *sensor, const char *name, const char *text,
		   const struct sensor_bins *bins, struct events *events,
		   sensor_sites_fn sites);

/**
 * sensor_define_own - that of an event which is there for it: DEFINE_FT_COUNTER() and others
 * @name:	of the event, and of the sensor
 *
 * Return: false after a message.
 */
bool sensor_define_own(struct ft_sensor *sensor, const char *name,
		       const struct sensor_bins *bins, struct events *events);

#endif /* FT_CONTROL_SENSOR_DEFINITION_H */
