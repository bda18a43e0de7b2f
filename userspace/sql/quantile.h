/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* quantile(x, q): the SQL function that SQLite lacks. */
#ifndef FT_SQL_QUANTILE_H
#define FT_SQL_QUANTILE_H

#include <sqlite3.h>

/**
 * quantile_add - make it known
 *
 * The smallest value of a group that at least the part @q of them, from 0 to 1, does not
 * exceed; so it is one of them. NULLs do not count; NULL of none.
 */
void quantile_add(struct sqlite3 *sqlite);

#endif /* FT_SQL_QUANTILE_H */
