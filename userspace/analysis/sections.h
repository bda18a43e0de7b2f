/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What collect.c asks of sections.c. */
#ifndef FT_ANALYSIS_SECTIONS_H
#define FT_ANALYSIS_SECTIONS_H

#include "analysis/report.h"

/** sections_init - begin to pair records, and to count what comes of them */
void sections_init(struct report *r);

/** sections_flush - the last sections go into the tables */
void sections_flush(struct report *r);

#endif /* FT_ANALYSIS_SECTIONS_H */
