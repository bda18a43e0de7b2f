/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Sensors as they are mapped. What is there may change at any time, and anybody may
 * have written it: it is copied, and the copy is checked before use.
 */
#ifndef FT_SENSOR_MAP_H
#define FT_SENSOR_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/feather_trace_sensor.h>

/**
 * struct sensor_map - a sensor that is mapped
 * @head:	a copy of its header, checked
 * @base:	where it is mapped, @size bytes
 * @full_name:	NAME, or NAME#INSTANCE
 */
struct sensor_map {
	struct ft_sensor_header	head;
	const volatile void	*base;
	size_t			size;
	char			full_name[FT_NAME_LEN + 12];
};

/**
 * sensor_map_open - map a sensor
 * @fd:		of the device, or file
 * @offset:	of &ft_sensor_entry
 * @size:	the same
 *
 * Return: NULL, or what is wrong; then nothing is mapped.
 */
const char *sensor_map_open(struct sensor_map *map, int fd, uint64_t offset, uint64_t size);
void sensor_map_close(struct sensor_map *map);

/** sensor_map_copies - how many copies there are by now: of programs, more and more */
uint32_t sensor_map_copies(const struct sensor_map *map);

/** sensor_map_is_used - was anything counted in a copy? Else it need not be read. */
bool sensor_map_is_used(const struct sensor_map *map, uint32_t copy);

/** sensor_map_is_gone - was it removed? Then it no longer changes. */
bool sensor_map_is_gone(const struct sensor_map *map);

/** sensor_number - the 64-bit number at @offset, read whole */
static inline uint64_t sensor_number(const volatile void *base, size_t offset)
{
	return *(const volatile uint64_t *)((const volatile char *)base + offset);
}

/**
 * struct sensor_left_out - one that exists and is not mapped
 * @name:	as the directory has it, safe to print
 * @instance:	of the name
 * @is_signed:	its values are signed: this ft shows no such sensor, and nothing went wrong
 * @why:	it is not
 */
struct sensor_left_out {
	char			name[4 * FT_NAME_LEN];
	unsigned int		instance;
	bool			is_signed;
	char			why[96];
};

/**
 * struct sensor_maps - all sensors of a device
 * @map:	in the order of their names
 * @left_out:	those that are not in @map, but not those that came or went meanwhile
 * @n_unreadable: so many of these should have been: what is in @map is not complete
 */
struct sensor_maps {
	struct sensor_map	*map;
	size_t			n;
	struct sensor_left_out	*left_out;
	size_t			n_left_out;
	size_t			n_unreadable;
};

/**
 * sensor_maps_open - map all sensors of a directory
 * @fd:		of the device; may be closed then
 *
 * One that goes while this looks is not there.
 *
 * Return: false after a message; if some are left out, true without one.
 */
bool sensor_maps_open(struct sensor_maps *maps, int fd);
void sensor_maps_close(struct sensor_maps *maps);

/** sensor_left_out_warn - a message: which one, and why */
void sensor_left_out_warn(const struct sensor_left_out *out);

/** sensor_maps_warn - the same for each */
void sensor_maps_warn(const struct sensor_maps *maps);

/**
 * sensor_maps_look - is the directory still the one that was mapped?
 * @generation:	in: what this returned by it before; out: what it is now
 *
 * Return: false: map them anew.
 */
bool sensor_maps_look(int fd, uint64_t *generation);

#endif /* FT_SENSOR_MAP_H */
