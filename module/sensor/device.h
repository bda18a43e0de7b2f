/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* /dev/ft_trace_sensors. */
#ifndef _FT_SENSOR_DEVICE_H
#define _FT_SENSOR_DEVICE_H

int ft_sensor_device_init(void);

/* No descriptor is open any more. Persistent sensors end here. */
void ft_sensor_device_exit(void);

#endif /* _FT_SENSOR_DEVICE_H */
