/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Sensors: making and removing them, and what monitors map. */
#ifndef _FT_SENSOR_H
#define _FT_SENSOR_H

#include <linux/types.h>
#include <uapi/linux/feather_trace_sensor.h>

struct vm_area_struct;

/* From the mapping of one sensor to the next: a power of two of bytes. Directory: number 0. */
#define FT_SENSOR_SPAN_SHIFT	36

/**
 * ft_sensor_new() - as FT_IOC_SENSOR_NEW
 * @owner:	descriptor that makes it
 * @def:	in, and out: ->number, ->instance, ->key
 * @ranges:	of &ft_sensor.n_ranges, by kvmalloc(); the sensor's from here on, also after
 *		an error
 * @serial:	out
 *
 * May sleep; takes ft_trace_mutex. Return: 0 or an error.
 */
int ft_sensor_new(const void *owner, struct ft_sensor *def, struct ft_sensor_range *ranges,
		  u64 *serial);

/* As FT_IOC_SENSOR_END. */
int ft_sensor_end(const void *owner, u32 number, u64 serial);

/* All that belong to a descriptor. @owner: NULL: all, persistent ones as well. */
void ft_sensor_end_all(const void *owner);

/* As FT_IOC_SENSOR_NEXT. */
int ft_sensor_next(struct ft_sensor_info *info);

/*
 * Maps the directory, number 0, or a sensor, from its beginning. Return: 0; -ENXIO there is no
 * such sensor; -EINVAL it is smaller.
 */
int ft_sensor_map(u32 number, struct vm_area_struct *vma);

int ft_sensor_init(void);
void ft_sensor_exit(void);

#endif /* _FT_SENSOR_H */
