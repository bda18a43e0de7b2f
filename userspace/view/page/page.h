/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The report as a page. It needs the series that a question can ask for. */
#ifndef FT_VIEW_PAGE_H
#define FT_VIEW_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "analysis/report.h"

/** report_html - write the page to @path. Return: 0, or -1 with a message */
int report_html(const struct report *r, const char *path);

/* The parts of the page, for pages of several reports. */
void report_html_facts(FILE *f, const struct report *r);
void report_html_warnings(FILE *f, const struct report *r);
void report_html_tables(FILE *f, const struct report *r);
void report_html_keys(FILE *f, const struct report *r);	/* by site, lock, task */
void report_html_waits(FILE *f, const struct report *r);
void report_html_longest(FILE *f, const struct report *r);
void report_html_order(FILE *f, const struct report *r);

/* Their figures: chart_times.c, chart_counts.c. */
void report_charts_lengths(FILE *f, const struct report *r);
void report_chart_cumulative(FILE *f, const struct report *r);
void report_charts_depth(FILE *f, const struct report *r);
void report_charts_rate(FILE *f, const struct report *r);
void report_charts_sites(FILE *f, const struct report *r);

/* The part beside a headline of what lost records may have made wrong, or NULL. */
const char *report_html_mark(const struct report *r);

static inline double report_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/**
 * report_top_sites - the call sites of a group of locks with the longest total,
 *		      whatever the table is sorted by
 * @rows: room for @most
 *
 * Return: how many there are.
 */
size_t report_top_sites(const struct report *r, enum locks_group group, size_t most,
			const struct table_row **rows);

/** report_html_ps - as text_ps(), with the letter mu and a space that stays */
const char *report_html_ps(char *buf, report_ps ps);

/** report_html_cell_ps - a cell of HTML_NUMBER */
void report_html_cell_ps(FILE *f, report_ps ps);

/* Cells of a call site, "(not known)" for 0, and of a family. */
void report_html_cell_site(FILE *f, const struct report *r, uint64_t site);
void report_html_cell_family(FILE *f, const struct report *r, uint32_t family);

/** report_html_cell_total - of a sum of ticks, marked where it had no more room */
void report_html_cell_total(FILE *f, const struct report *r, uint64_t sum);

/** report_html_share - as text_share(), but what is there is not 0.0 % */
const char *report_html_share(char *buf, uint64_t part, uint64_t whole);

#endif /* FT_VIEW_PAGE_H */
