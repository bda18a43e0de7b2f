/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Rows of a relation as ClickHouse takes them: RowBinary, one value behind the other, in the
 * order of the table's columns, with nothing in between.
 *
 * A row begins with its trace and, but in the table of traces, with what else says where it is
 * from: rowbinary_origin.
 */
#ifndef FT_SQL_ROWBINARY_H
#define FT_SQL_ROWBINARY_H

#include <stdio.h>

#include "sql/relation.h"

/* Columns of sql_trace that each row of the other relations has as well. */
#define ROWBINARY_ORIGIN	3
extern const char *const rowbinary_origin[ROWBINARY_ORIGIN];

/** rowbinary_is_text - a column without a value has an empty text, not NULL */
static inline bool rowbinary_is_text(enum column_type type)
{
	return type == TYPE_NAME || type == TYPE_TEXT;
}

/** rowbinary_may_be_null - is there a byte before each value that says whether it is NULL? */
static inline bool rowbinary_may_be_null(const struct column *c)
{
	return (c->needs || c->maybe) && !rowbinary_is_text(c->type);
}

/** struct rowbinary - a relation that is written to @f; see ferror() */
struct rowbinary {
	const struct relation	*relation;
	FILE			*f;		/* NULL: rows stay in memory */

	/* Private. */
	unsigned char		*at, *now, *end;	/* the end of what needs no look at @room */
	size_t			room;
	unsigned char		*origin;	/* how the rows of @source begin */
	size_t			origin_n;
	const struct source	*source;
	char			text[ROW_TEXT];
};

/** rowbinary_open - the rows of @relation go to @f, which may be standard output */
void rowbinary_open(struct rowbinary *w, const struct relation *relation, FILE *f);

/** rowbinary_put - write a row */
void rowbinary_put(struct rowbinary *w, struct row *row);

/** rowbinary_close - write what waits. Does not close the file */
void rowbinary_close(struct rowbinary *w);

#endif /* FT_SQL_ROWBINARY_H */
