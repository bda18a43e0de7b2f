/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Between the parts of ft report --figures: what a figure is. */
#ifndef FT_VIEW_FIGURES_H
#define FT_VIEW_FIGURES_H

#include <stdio.h>

#include "analysis/report.h"

#define FIGURE_SITES	20	/* call sites in a figure */
#define FIGURE_SPANS	256	/* parts of the time */

/**
 * struct figure - its files are NAME.tsv, NAME.gp, NAME.svg and NAME.png
 * @title: begins the comment of the data
 * @group: whose sections; LOCKS_GROUPS: of all
 * @scope: whose depth; LOCKS_SCOPES: of none
 * @data, @script: write these files
 */
struct figure {
	const char		*name;
	const char		*title;
	enum locks_group	group;
	enum locks_scope	scope;
	void (*data)(FILE *f, const struct report *r, const struct figure *fig);
	void (*script)(FILE *f, const struct report *r, const struct figure *fig);
};

/* figures_data.c */
void figure_lengths_data(FILE *f, const struct report *r, const struct figure *fig);
void figure_cumulative_data(FILE *f, const struct report *r, const struct figure *fig);
void figure_depth_data(FILE *f, const struct report *r, const struct figure *fig);
void figure_rate_data(FILE *f, const struct report *r, const struct figure *fig);
void figure_sites_data(FILE *f, const struct report *r, const struct figure *fig);

/* figures_plot.c */
void figure_lengths_plot(FILE *f, const struct report *r, const struct figure *fig);
void figure_cumulative_plot(FILE *f, const struct report *r, const struct figure *fig);
void figure_depth_plot(FILE *f, const struct report *r, const struct figure *fig);
void figure_rate_plot(FILE *f, const struct report *r, const struct figure *fig);
void figure_sites_plot(FILE *f, const struct report *r, const struct figure *fig);

/** figure_has - is @family one of @group? */
static inline bool figure_has(enum locks_group group, unsigned int family)
{
	return locks_group(family) == group;
}

#endif /* FT_VIEW_FIGURES_H */
