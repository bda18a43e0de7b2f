/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The steps of a comparison, one after the other. See compare.c. */
#ifndef FT_ANALYSIS_COMPARE_STEPS_H
#define FT_ANALYSIS_COMPARE_STEPS_H

#include "analysis/compare/compare.h"

/** compare_match - fills this table; symbols are loaded */
void compare_match(struct compare *c, enum digest_table table);
void compare_free_rows(struct compare_table *table);

/** compare_find_changes - of all classes, and of the rows of tables that are shown */
void compare_find_changes(struct compare *c);

#endif /* FT_ANALYSIS_COMPARE_STEPS_H */
