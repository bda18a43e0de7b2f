// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Output for people and for programs. */
#include "base/output.h"

const struct option_row output_options[] = {
	{ 0, "tsv", NULL, "tab separated, with a line of titles",
	  OPTION_SET(struct output, format, OUTPUT_TSV) },
	{ 0, "json", NULL, "an array of objects", OPTION_SET(struct output, format, OUTPUT_JSON) },
	{ }
};
