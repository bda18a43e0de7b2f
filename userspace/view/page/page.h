/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The report as a page. The question must ask for the series. */
#ifndef FT_VIEW_PAGE_H
#define FT_VIEW_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "analysis/report.h"

/**
 * page_report - write the page to @path. Return: 0, or -1 with a message
 * @more: sections at its end, of those who know more than a report, or NULL
 */
int page_report(const struct report *r, const char *path, void (*more)(FILE *f, void *arg),
		void *arg);

/* The parts of the page. */
void page_tables(FILE *f, const struct report *r);
void page_keys(FILE *f, const struct report *r);	/* by site, lock, task */
void page_flames(FILE *f, const struct report *r);	/* of stacks */
void page_waits(FILE *f, const struct report *r);
void page_longest(FILE *f, const struct report *r);
void page_order(FILE *f, const struct report *r);
void page_cycles(FILE *f, const struct report *r);	/* within page_order() */
bool page_has_cycles(const struct report *r);
void page_realtime(FILE *f, const struct report *r);	/* if that was asked for */

/* Their figures: chart_times.c, chart_counts.c. */
void charts_lengths(FILE *f, const struct report *r);
void chart_cumulative(FILE *f, const struct report *r);
void charts_depth(FILE *f, const struct report *r);
void charts_rate(FILE *f, const struct report *r);
void charts_sites(FILE *f, const struct report *r);

/* The mark beside headlines of a trace with lost records, or NULL. */
const char *page_mark(const struct report *r);

static inline double page_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/**
 * page_top_sites - the call sites of a group of locks with the longest total,
 *		      whatever the table is sorted by
 * @rows: room for @most
 *
 * Return: how many there are.
 */
size_t page_top_sites(const struct report *r, enum locks_group group, size_t most,
		      const struct table_row **rows);

/** page_ps - as text_ps(), with the letter mu and a space that stays */
const char *page_ps(char *buf, report_ps ps);

/** page_cell_ps - a cell of HTML_NUMBER */
void page_cell_ps(FILE *f, report_ps ps);

#define PAGE_DISTRIBUTION	6

/** page_cells_distribution - mean, median, p90, p99, p99.9 and greatest value */
void page_cells_distribution(FILE *f, const struct report *r, const struct histogram *h);

/* Cells of a call site, "(not known)" for 0, and of a family. */
void page_cell_site(FILE *f, const struct report *r, uint64_t site);
void page_cell_family(FILE *f, const struct report *r, uint32_t family);

/** page_cell_total - of a sum of ticks; marked if it is saturated */
void page_cell_total(FILE *f, const struct report *r, uint64_t sum);

/** page_share - as text_share(), but "<0.1 %" for a small share */
const char *page_share(char *buf, uint64_t part, uint64_t whole);

#endif /* FT_VIEW_PAGE_H */
