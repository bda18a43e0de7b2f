/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The statements of a query: first all are understood, then the traces read, then all run. */
#ifndef FT_SQL_QUERY_H
#define FT_SQL_QUERY_H

#include "sql/database.h"
#include "sql/rows.h"

struct query {
	sqlite3_stmt	**statement;
	size_t		n;
};

/** query_prepare - what @text asks; @d knows then what it uses. Return: 0, or -1 with a message */
int query_prepare(struct query *q, struct database *d, const char *text);

/** query_run - print the answers to @f. Return: 0, or -1: sqlite3_errmsg() says why */
int query_run(const struct query *q, struct database *d, enum rows_format format, FILE *f);

void query_free(struct query *q);

#endif /* FT_SQL_QUERY_H */
