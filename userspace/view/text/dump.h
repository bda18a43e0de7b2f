/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The records of a trace, a line each, in the order of time. */
#ifndef FT_VIEW_DUMP_H
#define FT_VIEW_DUMP_H

#include <stddef.h>

#include "analysis/filter.h"
#include "symbols/options.h"
#include "view/text/record_lines.h"

/**
 * struct dump_question - the request
 * @lines:	their format
 * @patterns:	of events, allocated as are the patterns themselves; none: all
 * @filter:	which records
 * @symbols:	where names come from
 */
struct dump_question {
	struct record_lines	lines;
	char			**patterns;
	size_t			n_patterns;
	struct filter_options	filter;
	struct symbols_options	symbols;
};

/** dump_trace - print them; @dirs: see trace_open(). Return: exit status */
int dump_trace(struct dump_question *q, char *const *dirs);

void dump_question_exit(struct dump_question *q);

#endif /* FT_VIEW_DUMP_H */
