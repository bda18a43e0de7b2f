/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The memory of a sensor, as monitors map it. */
#ifndef _FT_SENSOR_LAYOUT_H
#define _FT_SENSOR_LAYOUT_H

#include <linux/types.h>
#include <uapi/linux/feather_trace_sensor.h>

struct ft_row;

/**
 * ft_layout_make() - memory for a sensor
 * @def:	as it was asked for, checked
 * @made:	out: says where everything is, all of it counts nothing yet; to be freed by vfree()
 *
 * May sleep. Return: 0; -E2BIG a copy is larger than FT_SENSOR_BYTES_MAX; -ENOMEM.
 */
int ft_layout_make(const struct ft_sensor *def, struct ft_sensor_header **made);

/* The first row of a CPU's copy. */
struct ft_row *ft_layout_first_row(const struct ft_sensor_header *header, unsigned int cpu);

#endif /* _FT_SENSOR_LAYOUT_H */
