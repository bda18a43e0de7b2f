/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Idle rows of a split make room for others. */
#ifndef _FT_SENSOR_IDLE_H
#define _FT_SENSOR_IDLE_H

#include <linux/types.h>

struct ft_sense;

/**
 * ft_idle_watch() - keep room in the tables of a sensor
 * @number:	of the sensor
 * @sense:	it; NULL: it is about to be freed
 *
 * Where values find no room in the table of a CPU, rows that have counted nothing for
 * FT_IDLE_SECONDS or longer are added to the first row, and are free again. One caller at a
 * time. Does not sleep: who removes a sensor calls ft_trace_sync() before it is freed.
 */
void ft_idle_watch(u32 number, const struct ft_sense *sense);

/* Return: 0 or -ENOMEM. */
int ft_idle_init(void);

/* Nothing is watched any more. */
void ft_idle_exit(void);

#endif /* _FT_SENSOR_IDLE_H */
