// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Round numbers for axes. See svg_axis.h. */
#include <math.h>

#include "base/array.h"
#include "view/page/svg_axis.h"

double svg_nice(double v)
{
	static const double steps[] = { 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10 };
	double power;
	size_t i;

	if (!(v > 0) || isinf(v))
		return 1;
	power = pow(10, floor(log10(v)));
	for (i = 0; i < ARRAY_SIZE(steps) - 1; i++) {
		/* a sum of shares may be a hair too large */
		if (v <= steps[i] * power * (1 + 1e-9))
			break;
	}
	return steps[i] * power;
}

/* The distance of ticks: 1, 2 or 5 times 10^n; a category each. */
static double step(const struct svg_axis *a, unsigned int wanted)
{
	double rough = (a->max - a->min) / wanted;
	double power = pow(10, floor(log10(rough)));
	double s = rough / power;

	s = (s < 1.5 ? 1 : s < 3.5 ? 2 : s < 7.5 ? 5 : 10) * power;
	return a->unit == SVG_CATEGORY && s < 1 ? 1 : s;
}

static size_t log_ticks(const struct svg_axis *a, unsigned int wanted,
			double ticks[AXIS_TICKS])
{
	static const unsigned int within[] = { 1, 2, 5 };
	double decades = log10(a->max / a->min);
	int every = (int)ceil(decades / (2 * wanted));
	bool fine = decades * 3 <= wanted;
	int first = (int)floor(log10(a->min) + 1e-9);
	size_t n = 0, i;
	int e;

	for (e = first; pow(10, e) <= a->max * (1 + 1e-9); e += every ? every : 1) {
		for (i = 0; i < (fine ? ARRAY_SIZE(within) : 1); i++) {
			double v = within[i] * pow(10, e);

			if (v >= a->min * (1 - 1e-9) &&
			    v <= a->max * (1 + 1e-9) && n < AXIS_TICKS)
				ticks[n++] = v;
		}
	}
	return n;
}

size_t axis_ticks(const struct svg_axis *a, unsigned int wanted,
		  double ticks[AXIS_TICKS])
{
	size_t n = 0;
	double s, i;

	if (!(a->max > a->min))
		return 0;
	if (a->log)
		return log_ticks(a, wanted, ticks);
	s = step(a, wanted);
	for (i = ceil(a->min / s - 1e-9); n < AXIS_TICKS; i++) {
		if (i * s > a->max + s * 1e-6)
			break;
		ticks[n++] = i * s;
	}
	return n;
}

/* @of: the value that chooses the unit */
static const char *label(enum svg_unit unit, double v, double of, char *buf,
			 size_t len)
{
	static const struct { double unit; const char *name; } times[] = {
		{ 1, "s" }, { 1e-3, "ms" }, { 1e-6, "\u00b5s" }, { 1e-9, "ns" },
	}, counts[] = {
		{ 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" }, { 1, "" },
	};
	unsigned int i;

	/* a rounding error is 0 */
	if (fabs(v) < of * 1e-9)
		v = 0;
	switch (unit) {
	case SVG_PERCENT:
		snprintf(buf, len, "%.4g\u00a0%%", v);
		break;
	case SVG_TIME:
		for (i = 0; i < 3 && of < times[i].unit * (1 - 1e-9); i++)
			;
		if (v == 0)
			snprintf(buf, len, "0");
		else
			snprintf(buf, len, "%.4g\u00a0%s", v / times[i].unit,
				 times[i].name);
		break;
	case SVG_COUNT:
		for (i = 0; i < 3 && of < counts[i].unit * (1 - 1e-9); i++)
			;
		snprintf(buf, len, "%.4g%s", v / counts[i].unit,
			 v == 0 ? "" : counts[i].name);
		break;
	default:
		snprintf(buf, len, "%.4g", v);
	}
	return buf;
}

const char *svg_tick(enum svg_unit unit, double v, char *buf, size_t len)
{
	return label(unit, v, fabs(v), buf, len);
}

const char *axis_label(const struct svg_axis *a, double v, char buf[AXIS_LABEL])
{
	return label(a->unit, v, a->log ? fabs(v) : a->max, buf, AXIS_LABEL);
}

double axis_place(const struct svg_axis *a, double v)
{
	double place;

	if (a->log)
		place = v > a->min ? log(v / a->min) / log(a->max / a->min) : 0;
	else
		place = (v - a->min) / (a->max - a->min);
	/* not a number: an axis without length */
	return place > 0 ? (place < 1 ? place : 1) : 0;
}
