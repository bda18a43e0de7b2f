/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The rows that a statement gives, for people or for programs: aligned columns, tab separated
 * lines, CSV, or an array of objects.
 *
 *	struct rows rows = { .format = ROWS_JSON, .f = stdout };
 *
 *	rows_begin(&rows, statement);
 *	while (sqlite3_step(statement) == SQLITE_ROW)
 *		rows_put(&rows, statement);
 *	rows_end(&rows);
 */
#ifndef FT_SQL_ROWS_H
#define FT_SQL_ROWS_H

#include <stddef.h>
#include <stdio.h>

#include <sqlite3.h>

#include "base/json.h"

enum rows_format { ROWS_TEXT, ROWS_TSV, ROWS_CSV, ROWS_JSON };

/* Rows that the widths of columns are taken from: wider ones that follow stand out. */
#define ROWS_MEASURED	1000u

struct rows {
	enum rows_format	format;
	FILE			*f;

	/* Private. */
	unsigned int		answers;	/* that were begun */
	unsigned int		columns;
	struct json		json;
	char			real[32];	/* the latest that was put as text */
	/* of ROWS_TEXT: what waits for its width, row by row; NULL: it is known */
	char			**cell;
	bool			*number;	/* of each cell that waits */
	size_t			cells;
	unsigned int		*width;
};

void rows_begin(struct rows *rows, sqlite3_stmt *statement);
void rows_put(struct rows *rows, sqlite3_stmt *statement);
void rows_end(struct rows *rows);

#endif /* FT_SQL_ROWS_H */
