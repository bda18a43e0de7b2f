/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The default sensors, for watching a machine. */
#ifndef FT_CONTROL_SENSOR_DEFAULTS_H
#define FT_CONTROL_SENSOR_DEFAULTS_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/feather_trace_sensor.h>

/* The least error for which all fit into a MiB of each CPU. */
#define SENSOR_DEFAULTS_BITS	2

#define SENSOR_DEFAULTS_MAX	15

/** struct sensor_defaults - those that were made */
struct sensor_defaults {
	size_t			n;
	struct ft_sensor_info	sensor[SENSOR_DEFAULTS_MAX];
};

/** sensor_defaults_rows - how many rows the one of that family has, on any kernel */
size_t sensor_defaults_rows(const char *family, bool wait);

/**
 * sensor_defaults_make - for each family of locks: hold times by call site, waits by lock
 * @fd:		the device of the sensors, open for writing
 * @flags:	FT_SENSOR_PERSIST, or 0: they end with @fd
 * @made:	set to what was made; may be NULL
 *
 * Of raw spinlocks, too, where the kernel has events of them: on PREEMPT_RT, maybe.
 * One whose name a persistent sensor has is left out. One that is of a program that runs does
 * not count: it goes when that ends, and both have the name until then.
 * Return: false after a message; those that were made stay.
 */
bool sensor_defaults_make(int fd, __u32 flags, struct sensor_defaults *made);

#endif /* FT_CONTROL_SENSOR_DEFAULTS_H */
