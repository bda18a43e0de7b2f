/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* From traces into a database. */
#ifndef FT_SQL_LOAD_H
#define FT_SQL_LOAD_H

#include "sql/database.h"

/**
 * load_traces - read traces into the columns of @d that are used
 * @paths:	NULL behind the last
 *
 * Return: the exit status, after messages; FT_EXIT_ERROR, too, where a trace is damaged, and
 * what could be read of it is there. *@failed: the database has not all that was read.
 */
int load_traces(struct database *d, char *const *paths, const struct filter_options *filter,
		const struct symbols_options *symbols, bool *failed);

#endif /* FT_SQL_LOAD_H */
