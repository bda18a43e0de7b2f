/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Rows of a relation straight from the traces, for a query that reads them once.
 *
 * Most queries do: they sum up. Their rows need not be written into a table of SQLite before;
 * that costs many times as much as reading the trace. What reads a relation twice, or again
 * for each row of something else, has the tables (load.h).
 */
#ifndef FT_SQL_DIRECT_H
#define FT_SQL_DIRECT_H

#include "sql/query.h"
#include "sql/traces.h"

/**
 * struct direct - how the rows come
 * @traces:	its paths, what is asked, and where the caller writes
 * @failed:	not all was read; a message has said why
 */
struct direct {
	struct traces		traces;
	bool			failed;

	/* Private. */
	bool			unread;		/* so far, but to be */
	const struct relation	*relation;
	struct sqlite3		*sqlite;
};

/**
 * direct_begin - let the only statement of @q take its rows from the traces, if it can
 * @text:	the query, which @q has prepared
 *
 * Each trace can be opened then. Return: 1: it does; 0: it cannot, and nothing has changed;
 * -1 with a message.
 */
int direct_begin(struct direct *direct, struct query *q, struct database *d, const char *text);

/**
 * direct_end - read what the query did not need, to find what is wrong with it
 *
 * Call it after the query. A query that is always false reads nothing: this still reports
 * traces that are missing or damaged.
 */
void direct_end(struct direct *direct);

#endif /* FT_SQL_DIRECT_H */
