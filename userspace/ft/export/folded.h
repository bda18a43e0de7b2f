/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ft export -f folded: a line for each path of functions, for flame graphs. */
#ifndef FT_FT_EXPORT_FOLDED_H
#define FT_FT_EXPORT_FOLDED_H

#include "analysis/filter.h"
#include "analysis/stack_paths.h"
#include "base/crew/jobs.h"
#include "symbols/options.h"

/** struct folded_asked - @output: a file, or NULL: standard output */
struct folded_asked {
	const char		*output;
	enum stack_value	of;
	struct filter_options	filter;
	struct symbols_options	symbols;
	struct jobs		jobs;
};

/** export_folded - Return: the exit status, after a message where it is not 0 */
int export_folded(const struct folded_asked *asked, char *const *dirs);

#endif /* FT_FT_EXPORT_FOLDED_H */
