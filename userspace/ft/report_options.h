/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The arguments of ft report. */
#ifndef FT_FT_REPORT_OPTIONS_H
#define FT_FT_REPORT_OPTIONS_H

#include <stdbool.h>

#include "analysis/report.h"
#include "symbols/options.h"

struct report_options {
	struct symbols_options symbols;
	struct filter_options filter;
	const char	*debug;
	const char	*html;	/* a file, or NULL */
	bool		tsv, json;
};

/**
 * report_options - read the arguments into @r and @o
 *
 * Return: -1 to go on with argv[optind], else the exit status.
 */
int report_options(int argc, char **argv, struct report *r,
		   struct report_options *o);

#endif /* FT_FT_REPORT_OPTIONS_H */
