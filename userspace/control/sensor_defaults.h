/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The default sensors, for watching a machine. */
#ifndef FT_CONTROL_SENSOR_DEFAULTS_H
#define FT_CONTROL_SENSOR_DEFAULTS_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

/* The least error for which all fit into a MiB of each CPU. */
#define SENSOR_DEFAULTS_BITS	2

/** sensor_defaults_rows - how many rows the one of that family has, on any kernel */
size_t sensor_defaults_rows(const char *family, bool wait);

/**
 * sensor_defaults_make - for each family of locks: hold times by call site, waits by lock
 * @fd:		the device of the sensors, open for writing
 * @flags:	FT_SENSOR_PERSIST, or 0: they end with @fd
 *
 * Of raw spinlocks, too, where the kernel has events of them: on PREEMPT_RT, maybe.
 * A sensor whose name is taken already is left out.
 * Return: false after a message; those that were made stay.
 */
bool sensor_defaults_make(int fd, __u32 flags);

#endif /* FT_CONTROL_SENSOR_DEFAULTS_H */
