/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * From critical sections and waits, as they end, into the tables and distributions of a
 * report.
 *
 * With a crew (base/crew/crew.h) another thread counts: it gets the same sections and waits
 * in the same order, and nobody else looks at what it counts before counting_flush().
 */
#ifndef FT_ANALYSIS_COUNTING_H
#define FT_ANALYSIS_COUNTING_H

#include "analysis/report.h"
#include "base/crew/crew.h"

struct counting;

/** counting_new - @crew: or NULL, else it stays longer */
struct counting *counting_new(struct report *r, struct crew *crew);

/** counting_free - @c: or NULL */
void counting_free(struct counting *c);

/** counting_section - @stack: its number, 0 if it has none */
void counting_section(struct counting *c, const struct section *s, uint32_t stack);
void counting_wait(struct counting *c, const struct wait *w, uint32_t stack);

/** counting_flush - the last ones go into the tables, too */
void counting_flush(struct counting *c);

#endif /* FT_ANALYSIS_COUNTING_H */
