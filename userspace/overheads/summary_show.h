/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A summary of samples, in nanoseconds, in each way that it is shown. */
#ifndef FT_OVERHEADS_SUMMARY_SHOW_H
#define FT_OVERHEADS_SUMMARY_SHOW_H

#include "base/json.h"
#include "overheads/samples.h"

/** summary_text_head - the heads of what summary_text() prints */
void summary_text_head(void);

/** summary_text - with units, in columns; no line end */
void summary_text(const struct samples_summary *sum);

/** summary_tsv_head - the names of what summary_tsv() prints, each behind a tab */
void summary_tsv_head(void);
void summary_tsv(const struct samples_summary *sum);

/** summary_json - the members of an object */
void summary_json(struct json *j, const struct samples_summary *sum);

#endif /* FT_OVERHEADS_SUMMARY_SHOW_H */
