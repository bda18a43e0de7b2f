/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The arguments of ft report. */
#ifndef FT_FT_REPORT_OPTIONS_H
#define FT_FT_REPORT_OPTIONS_H

#include <stdbool.h>

#include "analysis/report.h"

struct report_options {
	struct report_question question;
	const char	*html;	/* a file, or NULL */
	bool		tsv, json;
	bool		balance;		/* for people */
	bool		distributions;		/* for programs */
};

/**
 * report_options - read the arguments
 *
 * Return: -1 to go on with argv[optind], else the exit status.
 */
int report_options(int argc, char **argv, struct report_options *o);

#endif /* FT_FT_REPORT_OPTIONS_H */
