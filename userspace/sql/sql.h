/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ft sql: SQL over traces. */
#ifndef FT_SQL_SQL_H
#define FT_SQL_SQL_H

#include "analysis/filter.h"
#include "sql/rows.h"
#include "symbols/options.h"

/**
 * struct sql_asked - the request
 * @traces:	their directories, NULL behind the last
 * @query:	statements; NULL: none, the database alone is wanted
 * @output:	the file of the database; NULL: it is not kept
 */
struct sql_asked {
	char *const		*traces;
	const char		*query;
	const char		*output;
	enum rows_format	format;
	struct filter_options	filter;
	struct symbols_options	symbols;
};

/** sql_ask - read the traces, print the answers. Return: the exit status */
int sql_ask(const struct sql_asked *asked);

#endif /* FT_SQL_SQL_H */
