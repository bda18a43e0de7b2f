// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The statements of a query. See query.h. */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "base/end_signals.h"
#include "base/mem.h"
#include "sql/query.h"

/* "line 2, column 8: 'foo from sections'" */
static char *place(const char *text, size_t at)
{
	unsigned int line = 1, column = 1;

	for (size_t i = 0; i < at; i++) {
		/* not of the bytes that continue a character */
		column += ((unsigned char)text[i] & 0xc0) != 0x80;
		if (text[i] == '\n') {
			line++;
			column = 1;
		}
	}
	return mem_format("line %u, column %u: '%.*s'", line, column,
			  (int)strcspn(text + at, "\n"), text + at);
}

/* Return: -1 */
static int refuse(const struct database *d, const char *text, const char *statement)
{
	const char *why = sqlite3_errmsg(d->sqlite);
	int at = sqlite3_error_offset(d->sqlite);
	char *where;

	if (d->denied) {
		warnx("only statements that read are possible: SELECT, WITH, VALUES, EXPLAIN; not '%.*s'",
		      (int)strcspn(statement, "\n"), statement);
		return -1;
	}
	if (at < 0) {
		warnx("%s", why);
	} else {
		where = place(text, (size_t)(statement - text) + (size_t)at);
		warnx("%s, in %s", why, where);
		mem_free(where);
	}
	if (!strncmp(why, "no such table", 13) || !strncmp(why, "no such column", 14))
		warnx("'ft sql --schema' prints all tables and columns");
	return -1;
}

static void add(struct query *q, sqlite3_stmt *statement)
{
	q->statement = mem_resize(q->statement, q->n + 1, sizeof(*q->statement));
	q->statement[q->n++] = statement;
}

int query_prepare(struct query *q, struct database *d, const char *text)
{
	const char *at = text, *rest = text;

	*q = (struct query){ 0 };
	database_guard(d, true);
	while (*at) {
		sqlite3_stmt *statement = NULL;

		at += strspn(at, " \t\r\n;");
		if (sqlite3_prepare_v2(d->sqlite, at, -1, &statement, &rest) != SQLITE_OK)
			return refuse(d, text, at);
		if (statement)	/* else it is a comment */
			add(q, statement);
		/* a statement that is refused only when it runs: VACUUM */
		d->denied = statement && !sqlite3_stmt_readonly(statement);
		if (d->denied)
			return refuse(d, text, at);
		at = rest;
	}
	database_guard(d, false);
	database_use_joined(d, text);
	if (q->n)
		return 0;
	warnx("the query is empty");
	return -1;
}

static int run(sqlite3_stmt *statement, struct rows *rows)
{
	int ret = sqlite3_step(statement);

	if (ret != SQLITE_ROW && ret != SQLITE_DONE)
		return ret;
	rows_begin(rows, statement);
	while (ret == SQLITE_ROW && !ferror(rows->f)) {
		rows_put(rows, statement);
		ret = sqlite3_step(statement);
	}
	rows_end(rows);
	return ret == SQLITE_ROW ? SQLITE_DONE : ret;
}

/* Return: end? */
static int end_if_asked(void *arg)
{
	(void)arg;
	return end_signals_came();
}

int query_run(const struct query *q, struct database *d, enum rows_format format, FILE *f)
{
	struct rows rows = { .format = format, .f = f };
	int ret = SQLITE_DONE;

	database_guard(d, true);
	sqlite3_progress_handler(d->sqlite, 10000, end_if_asked, NULL);
	for (size_t i = 0; i < q->n && ret == SQLITE_DONE && !ferror(f); i++)
		ret = run(q->statement[i], &rows);
	database_guard(d, false);
	return ret == SQLITE_DONE ? 0 : -1;
}

void query_free(struct query *q)
{
	for (size_t i = 0; i < q->n; i++)
		sqlite3_finalize(q->statement[i]);
	free(q->statement);
	*q = (struct query){ 0 };
}
