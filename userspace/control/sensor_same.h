/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Does a sensor that is there measure what another one would? */
#ifndef FT_CONTROL_SENSOR_SAME_H
#define FT_CONTROL_SENSOR_SAME_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/feather_trace_sensor.h>

/**
 * sensor_measures_same - the same, at least as well as the default sensors, and to stay
 * @is:		one that is there, as the module shows it
 * @wanted:	a histogram of hold() or wait(), as sensor_define() makes it
 * @rows:	it must be split as @wanted is, and have so many; 0: any split will do, or none
 */
bool sensor_measures_same(const struct ft_sensor *is, const struct ft_sensor *wanted, size_t rows);

#endif /* FT_CONTROL_SENSOR_SAME_H */
