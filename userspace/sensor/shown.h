/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Sensors and what they have counted at one moment, for those who show them. */
#ifndef FT_SENSOR_SHOWN_H
#define FT_SENSOR_SHOWN_H

#include "sensor/labels.h"
#include "sensor/sums.h"

/**
 * struct shown - a set of sensors
 * @maps:	all of the device
 * @sums:	of each
 * @wanted:	of each: is it to be shown?
 * @symbols:	of the running kernel; NULL: addresses stay numbers
 * @top:	so many rows of each, at most
 * @by_cpu:	a row for each CPU instead; set before shown_take(), of the kernel's sensors
 */
struct shown {
	struct sensor_maps	maps;
	struct sums		*sums;
	bool			*wanted;
	struct symbols		*symbols;
	size_t			top;
	bool			by_cpu;
};

/**
 * shown_take - map all sensors of a device and add them up
 * @fd:	of the device
 *
 * All are wanted. Return: false after a message.
 */
bool shown_take(struct shown *shown, int fd);
void shown_free(struct shown *shown);

/**
 * shown_order - the rows of a sensor, those with the greatest sum first (of a counter: the
 * greatest count)
 *
 * Return: room for sums->n pointers, to be freed.
 */
const struct sums_row **shown_order(const struct sums *sums, unsigned int kind);

/** shown_ps - ticks of a sensor in picoseconds */
static inline unsigned __int128 shown_ps(const struct ft_sensor_header *head, uint64_t ticks)
{
	return (unsigned __int128)ticks * 1000000000000ull / head->clock_hz;
}

/** shown_seconds - the same in seconds */
static inline double shown_seconds(const struct ft_sensor_header *head, uint64_t ticks)
{
	return (double)ticks / (double)head->clock_hz;
}

#endif /* FT_SENSOR_SHOWN_H */
