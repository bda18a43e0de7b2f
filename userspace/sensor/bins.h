/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The bins of a sensor's axis: see struct ft_sensor_axis. */
#ifndef FT_SENSOR_BINS_H
#define FT_SENSOR_BINS_H

#include <stdbool.h>

#include <linux/feather_trace_sensor.h>

#include "base/distribution/loglinear.h"

/**
 * bins_low - the least value of bin @i of an axis
 *
 * That of the bin behind the last one is the first value that is counted in
 * @over of the row. Values beyond 64 bits become the greatest number.
 */
static inline uint64_t bins_low(const struct ft_sensor_axis *axis, uint32_t i)
{
	bool is_linear = axis->flags & FT_AXIS_LINEAR;
	unsigned __int128 low;

	if (!is_linear && i >> axis->bits > 64u - axis->bits)
		return UINT64_MAX;
	low = is_linear ? i : loglinear_low(i, axis->bits);
	low = (low << axis->shift) + axis->low;
	return low > UINT64_MAX ? UINT64_MAX : (uint64_t)low;
}

/** bins_middle - what a bin answers for its values */
static inline uint64_t bins_middle(const struct ft_sensor_axis *axis, uint32_t i)
{
	uint64_t low = bins_low(axis, i);

	return low + (bins_low(axis, i + 1) - low) / 2;
}

#endif /* FT_SENSOR_BINS_H */
