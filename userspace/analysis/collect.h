/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A report while it is collected: what collect.c and sections.c share. */
#ifndef FT_ANALYSIS_COLLECT_H
#define FT_ANALYSIS_COLLECT_H

#include "analysis/counting/counting.h"
#include "analysis/report.h"

struct collecting {
	struct report			answer;
	const struct report_question	*asked;
	struct filter			filter;
	struct internal			*internal;	/* locks/internal.h, or NULL */
	struct crew			*crew;		/* or NULL: one thread does it all */
	struct counting			*counting;
	const struct lock_calls		*calls;		/* symbols/lock_calls.h, or NULL */
	struct stream			*now;		/* of the item at hand; NULL: none */
};

/** sections_init - begin to pair records, and to count what comes of them */
void sections_init(struct collecting *c);

#endif /* FT_ANALYSIS_COLLECT_H */
