/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Charts as inline SVG: two axes with titles and ticks, and between them bars, lines, steps
 * and strips with tips. Colours are numbers of colours.h.
 *
 *	struct svg_chart c = {
 *		.f = f, .title = "Hold time of spin locks",
 *		.width = 520, .height = 260,
 *		.x = { .title = "hold time", .max = 15e-6, .unit = SVG_TIME },
 *		.y = { .title = "share of sections", .max = svg_nice(top),
 *		       .unit = SVG_PERCENT },
 *	};
 *
 *	svg_begin(&c);
 *	svg_bar(&c, 0, 1e-7, 12.5, 0, "below 0.1 us: 12.5 %%");
 *	svg_end(&c);
 *
 * Values beyond an axis are cut at its ends.
 */
#ifndef FT_VIEW_SVG_H
#define FT_VIEW_SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** enum svg_unit - the unit of an axis, which decides the labels of its ticks */
enum svg_unit {
	SVG_COUNT,	/* 0, 500, 1k, 2.5M */
	SVG_PERCENT,	/* 0 %, 25 %, 100 % */
	SVG_TIME,	/* seconds: 100 ns, 5 us, 2 s */
	SVG_CATEGORY,	/* 1, 2, 3 ... each in the middle of its place; min 0.5 */
};

struct svg_axis {
	const char	*title;	/* with the unit, if the labels lack it */
	double		min, max;
	bool		log;	/* min must be above 0 */
	enum svg_unit	unit;
};

struct svg_chart {
	FILE		*f;
	const char	*title;		/* for screen readers */
	double		width, height;	/* of the whole picture */
	double		legend;		/* room above: svg_legend_room() */
	struct svg_axis	x, y;

	/* The field between the axes: set by svg_begin(). */
	double		left, right, top, bottom;
};

struct svg_point { double x, y; };

/** struct svg_row - a horizontal bar */
struct svg_row {
	const char	*label;		/* cut in its middle where too long */
	const char	*text;		/* at the end of the bar */
	const char	*tip;		/* shown when pointed at; the whole label too */
	double		value;
	unsigned int	colour;
};

/** svg_nice - @v rounded up to 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6 or 8 times 10^n; 1 for 0 */
double svg_nice(double v);

/** svg_tick - the label of a tick, as "2.5 us"; @buf should hold 24 bytes */
const char *svg_tick(enum svg_unit unit, double v, char *buf, size_t len);

/** svg_begin - opens the picture, draws axes, ticks and grid */
void svg_begin(struct svg_chart *c);
void svg_end(struct svg_chart *c);

/** svg_bar - from @x0 to @x1, from the bottom up to @y; @fmt: its tip */
__attribute__((format(printf, 6, 7)))
void svg_bar(const struct svg_chart *c, double x0, double x1, double y,
	     unsigned int colour, const char *fmt, ...);

/** svg_shade - a pale red strip over the whole height: data is missing here */
__attribute__((format(printf, 4, 5)))
void svg_shade(const struct svg_chart *c, double x0, double x1, const char *fmt, ...);

/** svg_hover - an invisible strip with a tip */
__attribute__((format(printf, 4, 5)))
void svg_hover(const struct svg_chart *c, double x0, double x1, const char *fmt, ...);

/** svg_line - from point to point */
void svg_line(const struct svg_chart *c, const struct svg_point *p, size_t n,
	      unsigned int colour);

/**
 * svg_steps - each value holds from its x to that of the next point
 * @fill: with a pale area below it
 */
void svg_steps(const struct svg_chart *c, const struct svg_point *p, size_t n,
	       unsigned int colour, bool fill);

/** svg_vertical - a thin dashed line at @x with a word at its top */
void svg_vertical(const struct svg_chart *c, double x, const char *word);

/** svg_label - a small text above the point, centred; @fmt is escaped */
__attribute__((format(printf, 4, 5)))
void svg_label(const struct svg_chart *c, double x, double y, const char *fmt, ...);

/** struct svg_key - a line of a legend: what a colour means */
struct svg_key {
	const char	*name;
	unsigned int	colour;
};

/** svg_legend_room - the height of a legend, for c.legend */
double svg_legend_room(double width, const struct svg_key *keys, size_t n);

/**
 * svg_legend - the keys side by side, in as many rows as that takes
 * @width: of the picture
 * @lines: the chart has lines, else bars
 */
void svg_legend(FILE *f, double width, const struct svg_key *keys, size_t n,
		bool lines);

/** struct svg_rows - a whole chart of horizontal bars, one a row */
struct svg_rows {
	const char		*name;		/* of the picture */
	const char		*title;		/* of the axis */
	enum svg_unit		unit;
	const struct svg_row	*rows;
	size_t			n;
	const struct svg_key	*keys;		/* what colours mean */
	size_t			n_keys;
};

/** svg_rows - draw it, 960 wide */
void svg_rows(FILE *f, const struct svg_rows *c);

#endif /* FT_VIEW_SVG_H */
