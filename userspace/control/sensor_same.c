// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Sensors that measure the same: see sensor_same.h. */
#include <string.h>

#include "control/condition.h"
#include "control/sensor_defaults.h"
#include "control/sensor_same.h"

/* Powers of two of ticks that have bins: tens of microseconds. */
#define POWERS	16u

/* What the module makes of FT_KEY_AUTO. Where spinlocks sleep, they are a task's. */
static __u32 key_of(const struct ft_sensor *wanted)
{
	__u32 begin = wanted->begin;

	if (wanted->key != FT_KEY_AUTO)
		return wanted->key;
	if (begin == FT_ID_ACQUIRE(FT_LOCK_SEMAPHORE))
		return FT_KEY_WORD;
	if (begin == FT_ID_ACQUIRE(FT_LOCK_RAW_SPIN) ||
	    (begin < FT_ID_ACQUIRE(FT_LOCK_MUTEX) && !condition_kernel_is_rt()))
		return FT_KEY_CPU;
	return FT_KEY_TASK_WORD;
}

static bool has_the_bins(const struct ft_sensor_axis *axis)
{
	return !axis->low && !axis->flags && !axis->shift && axis->bits >= SENSOR_DEFAULTS_BITS &&
	       axis->bins >= POWERS << axis->bits;
}

/* One that is not persistent goes with its owner. */
bool sensor_measures_same(const struct ft_sensor *is, const struct ft_sensor *wanted, size_t rows)
{
	if (!(is->flags & FT_SENSOR_PERSIST) || !has_the_bins(&is->axis[0]) ||
	    (rows && (is->split != wanted->split || is->rows < rows)))
		return false;
	return is->kind == FT_SENSOR_HISTOGRAM && is->event == wanted->event &&
	       is->begin == wanted->begin && is->key == key_of(wanted) &&
	       is->axis[0].value == wanted->axis[0].value && !is->n_ranges &&
	       !memcmp(is->test, wanted->test, sizeof(is->test));
}
