// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Is the sensor that is asked for possible?
 */
#include <linux/ctype.h>
#include <linux/log2.h>
#include <linux/string.h>

#include "sensor/check.h"
#include "sensor/events.h"
#include "watch/comparison.h"

/* Letters, digits and a few more; '/' between them. It becomes a file name, or a label. */
static bool ft_sensor_is_name(const char *name, size_t size)
{
	char last = '/';
	size_t i;

	for (i = 0; i < size && name[i]; i++) {
		if (name[i] == '/' ? last == '/' :
		    !isascii(name[i]) || !(isalnum(name[i]) || strchr("_-.", name[i])))
			return false;
		last = name[i];
	}
	return i < size && last != '/' && !memchr_inv(name + i, 0, size - i);
}

static bool ft_sensor_is_unit(const char *unit, size_t size)
{
	size_t i;

	for (i = 0; i < size && unit[i]; i++)
		if (!isascii(unit[i]) || !isgraph(unit[i]) || strchr("\"\\", unit[i]))
			return false;
	return i < size && !memchr_inv(unit + i, 0, size - i);
}

u64 ft_sensor_limit(u32 bins, unsigned int bits)
{
	unsigned int e;

	if (bins <= 2u << bits)
		return bins - 1;
	e = (bins >> bits) - 1;
	/* The bins reach the largest 64-bit value, or beyond. */
	if (e + bits >= 64)
		return U64_MAX;
	return ((u64)(bins - (e << bits)) << e) - 1;
}

static bool ft_sensor_check_axis(const struct ft_sensor *def, unsigned int i)
{
	static const struct ft_sensor_axis none;
	const struct ft_sensor_axis *axis = &def->axis[i];
	bool histogram = def->kind == FT_SENSOR_HISTOGRAM || def->kind == FT_SENSOR_HISTOGRAM2;

	if (i ? def->kind != FT_SENSOR_HISTOGRAM2 : def->kind == FT_SENSOR_COUNTER)
		return !memcmp(axis, &none, sizeof(none));
	if (axis->value == FT_VALUE_NONE || axis->value > FT_VALUE_DEPTH ||
	    axis->flags & ~(FT_AXIS_LINEAR | FT_AXIS_SIGNED) || axis->shift >= 64 ||
	    axis->bits > 6 || (axis->flags & FT_AXIS_LINEAR && axis->bits))
		return false;
	if (axis->value == FT_VALUE_TIME && (!def->begin || axis->flags & FT_AXIS_SIGNED))
		return false;
	if (axis->value == FT_VALUE_DEPTH &&
	    (axis->flags & FT_AXIS_SIGNED ||
	     !ft_sensor_is_on_stack(def->begin, def->event, def->key)))
		return false;
	if (histogram)
		return axis->bins && axis->bins <= FT_SENSOR_BINS_MAX;
	return !axis->bins && !axis->shift && !axis->bits && !axis->low &&
	       !(axis->flags & FT_AXIS_LINEAR);
}

static bool ft_sensor_check_tests(const struct ft_sensor *def)
{
	static const struct ft_test none;
	const struct ft_test *test = def->test;
	unsigned int i;

	for (i = 0; i < FT_SENSOR_TESTS && test[i].what; i++) {
		if (!ft_comparison_check(&test[i]) || test[i].what == FT_TEST_COMM)
			return false;
		if (!(test[i].flags & FT_TEST_AT_BEGIN))
			continue;
		/* They are looked at when the pair is complete: by then, it may be elsewhere. */
		if (!def->begin || (test[i].what != FT_TEST_A && test[i].what != FT_TEST_B))
			return false;
		/* By then, the first word is that of the end: the same one, but for such pairs. */
		if (test[i].what == FT_TEST_A && def->key == FT_KEY_TASK)
			return false;
	}
	for (; i < FT_SENSOR_TESTS; i++)
		if (memcmp(&test[i], &none, sizeof(none)))
			return false;
	return true;
}

static bool ft_sensor_check_pair(struct ft_sensor *def)
{
	if (def->event > FT_ID_MAX || def->begin > FT_ID_MAX || !def->event ||
	    def->key > FT_KEY_TASK || (def->key && !def->begin))
		return false;
	if (def->begin && def->key == FT_KEY_AUTO)
		def->key = ft_sensor_key_of(def->begin);
	return true;
}

static bool ft_sensor_check_split(const struct ft_sensor *def)
{
	switch (def->split) {
	case FT_SPLIT_NONE:
		return !def->rows;
	case FT_SPLIT_SITE:
	case FT_SPLIT_WORD:
	case FT_SPLIT_TASK:
		return is_power_of_2(def->rows) && def->rows >= 4 &&
		       def->rows <= FT_SENSOR_ROWS_MAX;
	case FT_SPLIT_CONTEXT:
		return def->rows == FT_SENSOR_CONTEXTS;
	default:
		return false;
	}
}

static bool ft_sensor_check_ranges(const struct ft_sensor *def,
				   const struct ft_sensor_range *ranges)
{
	u32 i;

	if (def->flags & FT_SENSOR_OUTSIDE && !def->n_ranges)
		return false;
	for (i = 0; i < def->n_ranges; i++)
		if (ranges[i].first > ranges[i].last ||
		    (i && ranges[i].first <= ranges[i - 1].last))
			return false;
	return true;
}

int ft_sensor_check(struct ft_sensor *def, const struct ft_sensor_range *ranges)
{
	if (def->number || def->instance || def->kind > FT_SENSOR_HISTOGRAM2 ||
	    def->flags & ~(FT_SENSOR_PERSIST | FT_SENSOR_OUTSIDE) ||
	    memchr_inv(def->reserved, 0, sizeof(def->reserved)) ||
	    !ft_sensor_is_name(def->name, sizeof(def->name)) ||
	    !ft_sensor_is_unit(def->unit, sizeof(def->unit)))
		return -EINVAL;
	if (!ft_sensor_check_pair(def) || !ft_sensor_check_split(def) ||
	    !ft_sensor_check_axis(def, 0) || !ft_sensor_check_axis(def, 1) ||
	    !ft_sensor_check_tests(def) || !ft_sensor_check_ranges(def, ranges))
		return -EINVAL;
	if (def->kind == FT_SENSOR_HISTOGRAM2 &&
	    (u64)def->axis[0].bins * def->axis[1].bins > FT_SENSOR_BINS_MAX)
		return -EINVAL;
	if (def->axis[0].value == FT_VALUE_TIME) {
		if (def->unit[0])
			return -EINVAL;
		strscpy(def->unit, "ticks", sizeof(def->unit));
	}
	return 0;
}
