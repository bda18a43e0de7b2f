/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ft compare: as text, as a page, and for programs. */
#ifndef FT_VIEW_COMPARE_VIEWS_H
#define FT_VIEW_COMPARE_VIEWS_H

#include "analysis/compare/compare.h"

void compare_text(const struct compare *c);
void compare_tsv(const struct compare *c);
void compare_json(const struct compare *c);

/** compare_page - write the page @path; 0, or -1 with a message */
int compare_page(const struct compare *c, const char *path);

#endif /* FT_VIEW_COMPARE_VIEWS_H */
