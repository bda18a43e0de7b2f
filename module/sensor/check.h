/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Is the sensor that is asked for possible? */
#ifndef _FT_SENSOR_CHECK_H
#define _FT_SENSOR_CHECK_H

#include <linux/types.h>
#include <uapi/linux/feather_trace_sensor.h>

/**
 * ft_sensor_check() - is it valid?
 * @def:	sets ->key, if that is FT_KEY_AUTO, and ->unit of a time
 * @ranges:	of it
 *
 * Return: 0; -EINVAL.
 */
int ft_sensor_check(struct ft_sensor *def, const struct ft_sensor_range *ranges);

/* The greatest value that has a log-linear bin. */
u64 ft_sensor_limit(u32 bins, unsigned int bits);

#endif /* _FT_SENSOR_CHECK_H */
