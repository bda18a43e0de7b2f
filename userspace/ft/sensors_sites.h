/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The running kernel's call sites that a sensor leaves out, or has alone. */
#ifndef FT_FT_SENSORS_SITES_H
#define FT_FT_SENSORS_SITES_H

#include <stdbool.h>

struct ft_sensor;

/** sensors_sites - see sensor_sites_fn */
bool sensors_sites(struct ft_sensor *sensor);

#endif /* FT_FT_SENSORS_SITES_H */
