/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The SQLite database that traces are read into.
 *
 * Without a file of its own it lies in SQLite's cache, DATABASE_CACHE at most, and what does
 * not fit goes to a temporary file that SQLite removes: memory does not grow with the trace.
 */
#ifndef FT_SQL_DATABASE_H
#define FT_SQL_DATABASE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <sqlite3.h>

#include "sql/relation.h"

#define DATABASE_CACHE	(96u << 20)	/* bytes */

struct database {
	struct sqlite3	*sqlite;
	const char	*path;		/* NULL: it is not kept */
	/* a bit for each column that is filled; 0: the relation is not read at all */
	uint64_t	used[RELATIONS];
	bool		denied;		/* a statement would do more than read */
	bool		others;		/* one reads another table: sqlite_schema */

	/* Private. */
	struct sqlite3_stmt *insert[RELATIONS];
};

/**
 * database_open - a new database, with empty tables
 * @path: of a file that does not exist; or NULL
 *
 * Return: 0, or -1 with a message.
 */
int database_open(struct database *d, const char *path);

/** database_close - @keep: its file, if it has one */
int database_close(struct database *d, bool keep);

/** database_use - fill all columns of this relation */
void database_use(struct database *d, const struct relation *relation);

/** database_use_joined - what a query with this text compares in joins is used */
void database_use_joined(struct database *d, const char *text);

/** database_guard - from now on only what reads is allowed; what it reads is used */
void database_guard(struct database *d, bool on);

/** database_begin, database_end - rows come in between. Return: 0, or -1 with a message */
int database_begin(struct database *d);
int database_end(struct database *d);

/** database_add - a row of the relation with this number. Return: 0, or -1 with a message */
int database_add(struct database *d, unsigned int relation, const struct row *row);

/** database_fail - say that @what was not possible. Return: -1 */
int database_fail(const struct database *d, const char *what);

/** database_table - print the statement that makes a table */
void database_table(FILE *f, const struct relation *r);

/** database_schema - print the statements that make the tables */
void database_schema(FILE *f);

#endif /* FT_SQL_DATABASE_H */
