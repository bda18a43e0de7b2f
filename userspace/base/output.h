/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Output for people (aligned text) and for programs (--tsv, --json). */
#ifndef FT_BASE_OUTPUT_H
#define FT_BASE_OUTPUT_H

#include "base/options.h"

enum output_format {
	OUTPUT_TEXT,
	OUTPUT_TSV,
	OUTPUT_JSON,
};

/** struct output - the target of output_options */
struct output {
	enum output_format	format;
};

/* --tsv and --json of commands that print a list. */
extern const struct option_row output_options[];

#endif /* FT_BASE_OUTPUT_H */
