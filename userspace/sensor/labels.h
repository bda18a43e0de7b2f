/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What the rows of a sensor are called. */
#ifndef FT_SENSOR_LABELS_H
#define FT_SENSOR_LABELS_H

#include <linux/feather_trace_sensor.h>

#include "symbols/symbols.h"

#define LABEL_LEN	SYMBOLS_LEN

/* No sensor has this split: its rows are made from the copies when a sensor is read. */
#define LABEL_SPLIT_CPU	256

/**
 * label_of - the name of a key: a function, a symbol, a task, a context, a CPU, or a number
 * @split:	enum ft_sensor_split, or LABEL_SPLIT_CPU
 * @symbols:	of the running kernel, or NULL
 * @buf:	room for LABEL_LEN
 */
const char *label_of(unsigned int split, uint64_t key, const struct symbols *symbols, char *buf);

/** label_split - "site", "lock", "task", "context", "cpu"; "" where there is no split */
const char *label_split(unsigned int split);

/** label_kind - "counter", "scalar", "histogram", "histogram2" */
const char *label_kind(unsigned int kind);

/**
 * label_is_time - are the values of axis 0 times? They are in ticks then.
 */
static inline bool label_is_time(const struct ft_sensor *sensor)
{
	return sensor->axis[0].value == FT_VALUE_TIME;
}

#endif /* FT_SENSOR_LABELS_H */
