/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What charts are drawn with: pieces of SVG, ticks of an axis and their labels. */
#ifndef FT_VIEW_SVG_AXIS_H
#define FT_VIEW_SVG_AXIS_H

#include <stddef.h>

#include "view/page/svg.h"

/* The style sets text in 11.5 px; a letter of the wider fonts is about so wide. */
#define SVG_LETTER	6.9

/** svg_open - begin a picture; @name: for screen readers */
void svg_open(FILE *f, double width, double height, const char *name);

/** svg_text - a line of text, escaped; @class: of the style, or "" */
void svg_text(FILE *f, double x, double y, const char *class, const char *text);

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
