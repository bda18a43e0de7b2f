/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Where an axis has its ticks, and how they are labelled: for svg.c. */
#ifndef FT_VIEW_SVG_AXIS_H
#define FT_VIEW_SVG_AXIS_H

#include <stddef.h>

#include "view/page/svg.h"

#define AXIS_TICKS	32	/* at most */
#define AXIS_LABEL	24	/* bytes of a label */

/**
 * axis_ticks - round values from one end of the axis to the other
 * @wanted: about so many
 *
 * Return: how many were put into @ticks.
 */
size_t axis_ticks(const struct svg_axis *a, unsigned int wanted,
		  double ticks[AXIS_TICKS]);

/** axis_label - ticks of a linear axis all have the unit of its end */
const char *axis_label(const struct svg_axis *a, double v, char buf[AXIS_LABEL]);

/** axis_place - from 0 at one end to 1 at the other; cut there */
double axis_place(const struct svg_axis *a, double v);

#endif /* FT_VIEW_SVG_AXIS_H */
