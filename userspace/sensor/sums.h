/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What a sensor has counted: the sum of the copies of all CPUs at a moment, and the
 * difference of two moments.
 */
#ifndef FT_SENSOR_SUMS_H
#define FT_SENSOR_SUMS_H

#include "sensor/map.h"

/** struct sums_extreme - a value, and when, where and by whom it was seen */
struct sums_extreme {
	uint64_t	value;
	uint64_t	ts;		/* ticks */
	uint64_t	a, b;		/* words of the event; b: the call site of a pair */
	int32_t		tid;
	uint32_t	cpu;
};

/**
 * struct sums_row - a row
 * @key:	what it is the row of
 * @count:	how many values
 * @sum:	of them, modulo 2^64
 * @noted:	was any noted? Then @least and @most are valid
 * @least:	since the sensor was made
 * @most:	the same
 * @last:	of scalars
 * @bins:	n_bins of the header, or NULL
 */
struct sums_row {
	uint64_t		key;
	uint64_t		count, sum, under, over;
	bool			noted;
	uint64_t		least;
	struct sums_extreme	most;
	uint64_t		last, last_ts;
	uint64_t		*bins;
};

/**
 * struct sums - a sensor at a moment
 * @all:	the sum of all rows
 * @rest:	what has no row of its own; nothing, if there is no split
 * @row:	the others, in the order of their keys
 * @alone:	of &ft_sensor_copy; so are the others
 */
struct sums {
	struct sums_row	all, rest;
	struct sums_row	*row;
	size_t		n;
	uint64_t	alone, forgotten, crowded, emptied;
	uint64_t	*bins;		/* of all rows */
};

/**
 * sums_take - add up what is mapped
 * @sums:	is overwritten
 *
 * Each number is right, but they are of moments a little apart: writers go on meanwhile.
 */
void sums_take(struct sums *sums, const struct sensor_map *map);

/**
 * sums_take_by_copy - the same by CPU, whatever the sensor is split by
 *
 * Each CPU's copy that has counted anything is a row. Its key is the CPU's number.
 */
void sums_take_by_copy(struct sums *sums, const struct sensor_map *map);

/**
 * sums_since - what was counted from one moment to the other
 * @to:		is overwritten
 * @now:	the later moment
 * @before:	the earlier one, or zeroed
 *
 * Rows in which nothing was counted are left out. Extremes remain those since the sensor was
 * made.
 */
void sums_since(struct sums *to, const struct sums *now, const struct sums *before,
		uint32_t n_bins);

/** sums_copy - the same once more */
void sums_copy(struct sums *to, const struct sums *from, uint32_t n_bins);

void sums_free(struct sums *sums);

/**
 * sums_quantile - the value that so many of 1000 do not exceed
 * @row:	of a histogram of one axis
 *
 * By nearest rank. The middle of the bin, but no value that was never seen: at most the
 * greatest, at least the least.
 */
uint64_t sums_quantile(const struct sums_row *row, const struct ft_sensor_header *head,
		       unsigned int permille);

/** sums_is_split - does the sensor have rows for keys? */
static inline bool sums_is_split(const struct ft_sensor_header *head)
{
	return head->sensor.split != FT_SPLIT_NONE;
}

#endif /* FT_SENSOR_SUMS_H */
