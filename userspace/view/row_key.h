/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What a row of a report's tables is about, in words: in text as on a page. */
#ifndef FT_VIEW_ROW_KEY_H
#define FT_VIEW_ROW_KEY_H

#include "analysis/report.h"

/** row_key - a call site and its source line, a lock, or a task; free() it */
char *row_key(const struct report *r, enum report_tables which, uint64_t key);

#endif /* FT_VIEW_ROW_KEY_H */
