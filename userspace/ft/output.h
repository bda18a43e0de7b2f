/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Output for people (aligned text) and for programs (--tsv, --json). */
#ifndef FT_FT_OUTPUT_H
#define FT_FT_OUTPUT_H

#include <sys/types.h>

#include "base/json.h"

enum output_format {
	OUTPUT_TEXT,
	OUTPUT_TSV,
	OUTPUT_JSON,
};

/**
 * output_options - arguments of a subcommand that takes --tsv, --json and
 * --help and nothing else
 * @pid: where it takes --pid, too; else NULL
 *
 * Return: -1 to go on with @format, else the exit status.
 */
int output_options(int argc, char **argv, const char *help,
		   enum output_format *format, pid_t *pid);

#endif /* FT_FT_OUTPUT_H */
