/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ft dump --live: the running trace's records as they come. */
#ifndef FT_DUMP_LIVE_H
#define FT_DUMP_LIVE_H

#include <stddef.h>

#include "analysis/filter.h"
#include "symbols/options.h"
#include "view/text/record_lines.h"

/**
 * struct dump_live - what is asked for
 * @lines:	how they look
 * @patterns:	of events, which are turned on; none: those that are on
 * @filter:	which records
 * @symbols:	where names come from
 */
struct dump_live {
	struct record_lines	*lines;
	char			**patterns;
	size_t			n_patterns;
	const struct filter_options *filter;
	struct symbols_options	symbols;
};

/** dump_live - print until a signal, or the end of the trace. Return: exit status */
int dump_live(const struct dump_live *d);

#endif /* FT_DUMP_LIVE_H */
