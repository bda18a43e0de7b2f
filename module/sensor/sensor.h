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

struct ft_told;

/**
 * ft_sensor_tell() - tell somebody of great values
 * @number:	of the sensor
 * @longer:	of values above this; nanoseconds, if they are times
 * @told:	of the caller, until ft_sensor_untell() and ft_trace_sync()
 *
 * The caller holds ft_trace_mutex. Return: 0; -ENOENT; -EINVAL the sensor has no values, or
 * signed ones.
 */
int ft_sensor_tell(u32 number, u64 longer, struct ft_told *told);

/* The sensor may have gone. The same caller. */
void ft_sensor_untell(struct ft_told *told);

int ft_sensor_init(void);
void ft_sensor_exit(void);

#endif /* _FT_SENSOR_H */
