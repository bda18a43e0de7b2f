/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Sensors of the module: making and removing them. All functions print a message where
 * they fail.
 */
#ifndef FT_CONTROL_SENSORS_H
#define FT_CONTROL_SENSORS_H

#include <stdbool.h>

#include <linux/feather_trace_sensor.h>

#define SENSORS_DEVICE	"/dev/ft_trace_sensors"

/**
 * sensors_open - open the device
 * @write: to make and remove sensors; else to look at them
 *
 * Return: descriptor, or -1.
 */
int sensors_open(bool write);

/**
 * sensors_new - make a sensor
 * @sensor: its definition; number and instance are set
 *
 * It lasts until the descriptor is closed, or with FT_SENSOR_PERSIST until sensors_end().
 */
bool sensors_new(int fd, struct ft_sensor *sensor);

/**
 * sensors_end - remove sensors
 * @name: NAME: all instances; NAME#INSTANCE; or a shell pattern
 *
 * Return: false if there is none, too.
 */
bool sensors_end(int fd, const char *name);

/**
 * sensors_find - the sensor of a name: NAME#INSTANCE, or NAME for its first instance
 *
 * Return: false after a message: there is none.
 */
bool sensors_find(int fd, const char *name, struct ft_sensor_info *found);

/** sensors_look - what has this number now. Return: false: nothing */
bool sensors_look(int fd, unsigned int number, struct ft_sensor_info *info);

/** sensors_stay - is there a persistent sensor of this name? Others go with their owner. */
bool sensors_stay(int fd, const char *name);

/** sensors_name_fits - NAME, NAME#INSTANCE or a pattern: is it that of this sensor? */
bool sensors_name_fits(const char *pattern, const char *name, unsigned int instance);

/** sensors_word - names of sensors, for completion */
const char *sensors_word(unsigned int i);

#endif /* FT_CONTROL_SENSORS_H */
