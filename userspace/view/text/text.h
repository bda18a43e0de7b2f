/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What the parts of the report for people share: cells, titles, tables. */
#ifndef FT_VIEW_TEXT_H
#define FT_VIEW_TEXT_H

#include "analysis/report.h"

/** text_report - the whole report, to stdout; @balance: with the balance of each CPU */
void text_report(const struct report *r, bool balance);

#define CELL	24	/* room for a cell */

/* Cells: each formats into @buf, which has CELL bytes, and returns it. */

/** text_ps - at most 7 letters: "35 ns" "1.24 us" "12.4 ms" "124 s" "6.4e4 s" */
const char *text_ps(char *buf, report_ps ps);

/** text_share - "12.5 %", "100 %" only for all, "-" of nothing */
const char *text_share(char *buf, uint64_t part, uint64_t whole);

/** text_rate - "102", "1.02k", "24.5M" */
const char *text_rate(char *buf, double v);

/** text_distribution - print mean, median, p90, p99, p99.9 and greatest value */
void text_distribution(const struct report *r, const struct histogram *h);

/** text_seconds - since the start of the trace */
double text_seconds(const struct report *r, uint64_t ticks);

/** text_site - the name of a call site; @buf has SYMBOLS_LEN bytes */
const char *text_site(const struct report *r, uint64_t site, char *buf);

/** text_title - of a table; marked if records were lost */
void text_title(const struct report *r, const char *text);

/* Tables: text_tables.c, text_longest.c, text_order.c, text_cycles.c. */
void text_tables(const struct report *r);
void text_waits(const struct report *r);
void text_bounds(const struct report *r);
void text_longest(const struct report *r);
void text_order(const struct report *r);
void text_cycles(const struct report *r);
void text_irq_unsafe(const struct report *r);

/** text_realtime - what real-time tasks did: text_realtime.c */
void text_realtime(const struct report *r);

/** text_stack - "in do_exit < ...": what frames_path() gave, or NULL; on several lines if long */
void text_stack(int indent, const char *path);

#endif /* FT_VIEW_TEXT_H */
