/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The steps of a comparison, one after the other. See compare.c. */
#ifndef FT_ANALYSIS_COMPARE_STEPS_H
#define FT_ANALYSIS_COMPARE_STEPS_H

#include "analysis/compare/compare.h"

/** compare_match_sites - fills @c->sites; symbols are loaded */
void compare_match_sites(struct compare *c);
void compare_free_sites(struct compare *c);

/** compare_find_changes - of all classes, and of the call sites that are shown */
void compare_find_changes(struct compare *c);

#endif /* FT_ANALYSIS_COMPARE_STEPS_H */
