/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Figures of several traces, one over the other: ft compare. */
#ifndef FT_VIEW_OVERLAY_H
#define FT_VIEW_OVERLAY_H

#include <stddef.h>
#include <stdio.h>

#include "base/distribution/histogram.h"

#define OVERLAY_MAX	8

/** struct overlay - the data of one trace */
struct overlay {
	const char		*name;		/* in the legend */
	double			freq;		/* ticks a second */
	const struct histogram	*lengths;	/* in ticks */
	const uint64_t		*depth;		/* numbers of sections */
	unsigned int		n_depths;
};

/**
 * overlay_cumulative - a figure of the share of sections that are shorter than a time
 *
 * Writes nothing if no trace has any. Call it between html_figures_begin() and
 * html_figures_end().
 */
void overlay_cumulative(FILE *f, const char *title, const struct overlay *o,
			size_t n);

/** overlay_depth - a figure: shares of nesting depths, side by side */
void overlay_depth(FILE *f, const char *title, const struct overlay *o, size_t n);

#endif /* FT_VIEW_OVERLAY_H */
