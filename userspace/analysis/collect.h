/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A report while it is collected: what collect.c and sections.c share. */
#ifndef FT_ANALYSIS_COLLECT_H
#define FT_ANALYSIS_COLLECT_H

#include "analysis/report.h"

struct collecting {
	struct report			answer;
	const struct report_question	*asked;
	struct filter			filter;
	struct internal			*internal;	/* locks/internal.h, or NULL */
	struct batch			*batch;		/* of sections.c */
	const struct lock_calls		*calls;		/* symbols/lock_calls.h, or NULL */
	struct stream			*now;		/* of the item at hand; NULL: none */
};

/** sections_init - begin to pair records, and to count what comes of them */
void sections_init(struct collecting *c);

/** sections_flush - the last sections go into the tables */
void sections_flush(struct collecting *c);

#endif /* FT_ANALYSIS_COLLECT_H */
