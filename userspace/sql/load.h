/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* From traces into a database. */
#ifndef FT_SQL_LOAD_H
#define FT_SQL_LOAD_H

#include "sql/database.h"
#include "sql/traces.h"

/**
 * load_traces - read traces into the columns of @d that are used
 *
 * Return: 0; -1 after a message: the database has not all that was to be read.
 */
int load_traces(struct database *d, struct traces *t);

#endif /* FT_SQL_LOAD_H */
