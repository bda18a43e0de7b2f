/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Sensors that programs make: DEFINE_FT_COUNTER() and others. */
#ifndef FT_LIBFEATHERTRACE_EVENT_SENSORS_H
#define FT_LIBFEATHERTRACE_EVENT_SENSORS_H

#include <feather_trace/trigger.h>

#include "libfeathertrace/sensors.h"

/**
 * ft_event_sensor_make - the sensor of an event in the session's memory
 *
 * The caller holds ft_lock(); there is @ft_sensed. Return: NULL: there are too many.
 */
const struct ft_sense *ft_event_sensor_make(const struct ft_event_sensor *sensor);

/** ft_event_sensor_of - that which counts an event; NULL. The caller holds ft_lock(). */
struct ft_event_sensor *ft_event_sensor_of(const struct ft_event *event);

/** ft_callback_sense - what triggers call: counts, and records the event if that is wanted */
void ft_callback_sense(const struct ft_event *event, unsigned long long a,
		       unsigned long long b, unsigned long long c, unsigned long long d);

#endif /* FT_LIBFEATHERTRACE_EVENT_SENSORS_H */
