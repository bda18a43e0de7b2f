/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Conditions on what sensors measure: ft record --when 'lock/spin/hold > 1ms'. */
#ifndef FT_RECORD_KERNEL_WHEN_SENSOR_H
#define FT_RECORD_KERNEL_WHEN_SENSOR_H

#include <stdbool.h>

#include <linux/feather_trace_sensor.h>

#include "control/condition.h"
#include "control/events.h"

/**
 * when_sensor_find - the sensor of a condition that has one
 * @c:	gets the names of its events
 *
 * Return: false after a message: there is none, or it cannot be compared so.
 */
bool when_sensor_find(struct condition *c, struct ft_sensor_info *sensor,
		      const struct events *events);

/**
 * when_sensor_is_there - is it still the one that was found?
 *
 * To be asked once the module has the condition: another one may have its number since.
 */
bool when_sensor_is_there(const struct ft_sensor_info *sensor);

/**
 * when_sensor_word - which word the module compares for a field, whose &ft_test.what this is
 * @of:		its event
 * @word:	0 or 1, where it is in that
 *
 * Return: 0 after a message: what the module knows there does not have this word.
 */
enum ft_test_what when_sensor_word(const struct condition *c, const struct ft_sensor *sensor,
				   const struct ft_event_info *of, unsigned int word);

#endif /* FT_RECORD_KERNEL_WHEN_SENSOR_H */
