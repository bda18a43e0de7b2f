// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A relation as a virtual table of SQLite. See direct.h. */
#include <stdlib.h>

#include "base/exit_status.h"
#include "base/mem.h"
#include "sql/direct.h"

struct table {
	sqlite3_vtab		base;
	struct direct		*direct;
};

struct cursor {
	sqlite3_vtab_cursor	base;
	struct direct		*direct;
	struct traces		traces;
	struct row		row;
	bool			begun, end;
	sqlite3_int64		number;
	char			text[ROW_TEXT];
};

static int connect(sqlite3 *sqlite, void *aux, int argc, const char *const *argv,
		   sqlite3_vtab **table, char **why)
{
	struct direct *direct = aux;
	char *text = NULL;
	size_t len;
	int ret;
	FILE *f = mem_check(open_memstream(&text, &len));

	(void)argc;
	(void)argv;
	(void)why;
	database_table(f, direct->relation);
	if (fclose(f))
		mem_none();
	ret = sqlite3_declare_vtab(sqlite, text);
	free(text);
	if (ret != SQLITE_OK)
		return ret;
	*table = mem_zalloc(1, sizeof(struct table));
	((struct table *)*table)->direct = direct;
	return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *table)
{
	free(table);
	return SQLITE_OK;
}

/* The only way: from the first row to the last. */
static int best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
	(void)table;
	info->estimatedCost = 1e9;
	info->estimatedRows = 10000000;
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor)
{
	struct cursor *c = mem_zalloc(1, sizeof(*c));

	c->direct = ((struct table *)table)->direct;
	*cursor = &c->base;
	return SQLITE_OK;
}

/* Return: SQLITE_ERROR after a message, which the query need not repeat */
static int next(sqlite3_vtab_cursor *cursor)
{
	struct cursor *c = (struct cursor *)cursor;
	int ret;

	if (c->row.source)
		source_forget(c->row.source);
	while ((ret = traces_next(&c->traces, &c->row)) > 0) {
		if (row_begin(&c->row, c->direct->relation)) {
			c->number++;
			return SQLITE_OK;
		}
	}
	c->row.source = NULL;
	c->end = true;
	if (ret == 0)
		return SQLITE_OK;
	c->direct->failed = true;
	return SQLITE_ERROR;
}

/*
 * A query that has enough of the rows reads the others all the same: whether records were
 * lost is known at the end of a trace.
 */
static void read_rest(struct cursor *c)
{
	FILE *out = c->direct->traces.out;
	struct row row;
	int ret = 0;

	while (!c->end && !ferror(out) && (ret = traces_next(&c->traces, &row)) > 0)
		;
	if (ret < 0)
		c->direct->failed = true;
	traces_end(&c->traces);
	if (c->direct->traces.status != FT_EXIT_ERROR && c->traces.status != FT_EXIT_OK)
		c->direct->traces.status = c->traces.status;
}

static int rewind_cursor(sqlite3_vtab_cursor *cursor, int number, const char *name, int argc,
			 sqlite3_value **argv)
{
	struct cursor *c = (struct cursor *)cursor;

	(void)number;
	(void)name;
	(void)argc;
	(void)argv;
	if (c->begun)
		read_rest(c);
	c->traces = c->direct->traces;
	c->traces.status = FT_EXIT_OK;
	c->row = (struct row){ .text = c->text };
	c->direct->unread = false;
	c->begun = true;
	c->end = false;
	c->number = 0;
	return next(cursor);
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
	struct cursor *c = (struct cursor *)cursor;

	if (c->begun)
		read_rest(c);
	free(c);
	return SQLITE_OK;
}

static int eof(sqlite3_vtab_cursor *cursor)
{
	return ((struct cursor *)cursor)->end;
}

/* What stays for ever need not be copied. */
static sqlite3_destructor_type keeps(const struct column *c)
{
	return c->from == FROM_TEXT || c->from == FROM_CONTEXT ? SQLITE_STATIC : SQLITE_TRANSIENT;
}

static int column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int number)
{
	struct cursor *c = (struct cursor *)cursor;
	const struct column *of = &c->direct->relation->columns[number];
	struct value v = column_value(of, &c->row);

	switch (v.kind) {
	case VALUE_NONE:
		sqlite3_result_null(context);
		break;
	case VALUE_INTEGER:
		sqlite3_result_int64(context, v.integer);
		break;
	case VALUE_REAL:
		sqlite3_result_double(context, v.real);
		break;
	case VALUE_TEXT:
		sqlite3_result_text(context, v.text, -1, keeps(of));
		break;
	}
	return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *number)
{
	*number = ((struct cursor *)cursor)->number;
	return SQLITE_OK;
}

/* Without xCreate, a table of the module's name is there by itself. */
static const sqlite3_module module = {
	.xConnect = connect,
	.xBestIndex = best_index,
	.xDisconnect = disconnect,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = rewind_cursor,
	.xNext = next,
	.xEof = eof,
	.xColumn = column,
	.xRowid = rowid,
};

/* Which statements can use it. */

/* Opcodes that may jump back: loops; and subroutines, which may run often. */
static bool goes_back(const char *opcode)
{
	static const char *const names[] = {
		"Next", "Prev", "VNext", "SorterNext", "Goto", "Gosub",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!strcmp(opcode, names[i]))
			return true;
	}
	return false;
}

/*
 * Does the program that SQLite has made of the query read the table in one place, from its
 * beginning, and not in a loop? The last "Goto 1" is no loop: it follows what is prepared
 * once. A mistake costs only time: if a loop is missed, the traces are read again.
 */
static bool reads_once(sqlite3_stmt *program)
{
	int reads = 0, where = 0, loops = 0;

	while (sqlite3_step(program) == SQLITE_ROW) {
		const char *opcode = (const char *)sqlite3_column_text(program, 1);
		int address = sqlite3_column_int(program, 0);
		int target = sqlite3_column_int(program, 3);

		if (!opcode)
			return false;
		if (!strcmp(opcode, "VFilter")) {
			reads++;
			where = address;
		} else if (reads && goes_back(opcode) && target > 1 && target <= where) {
			loops++;
		}
	}
	return reads == 1 && !loops;
}

static bool is_read_once(struct database *d, sqlite3_stmt *statement)
{
	char *text = mem_format("EXPLAIN %s", sqlite3_sql(statement));
	sqlite3_stmt *program = NULL;
	bool once = false;

	if (sqlite3_prepare_v2(d->sqlite, text, -1, &program, NULL) == SQLITE_OK)
		once = reads_once(program);
	sqlite3_finalize(program);
	free(text);
	return once;
}

/* The only relation that is used; RELATIONS: none, several, or tables of SQLite's own, too. */
static unsigned int only_relation(const struct database *d)
{
	unsigned int found = RELATIONS;

	for (unsigned int i = 0; i < RELATIONS; i++) {
		if (!d->used[i])
			continue;
		if (found < RELATIONS)
			return RELATIONS;
		found = i;
	}
	return d->others ? RELATIONS : found;
}

/* The table of this name: the virtual one, or SQLite's. Return: 0, or -1 with a message */
static int replace(struct direct *direct, bool virtual)
{
	char *text = NULL;
	size_t len;
	int ret;
	FILE *f = mem_check(open_memstream(&text, &len));

	if (virtual)
		fprintf(f, "DROP TABLE %s", direct->relation->name);
	else
		database_table(f, direct->relation);
	if (fclose(f))
		mem_none();
	ret = sqlite3_create_module(direct->sqlite, direct->relation->name,
				    virtual ? &module : NULL, direct);
	if (ret == SQLITE_OK)
		ret = sqlite3_exec(direct->sqlite, text, NULL, NULL, NULL);
	free(text);
	return ret == SQLITE_OK ? 0 : -1;
}

int direct_begin(struct direct *direct, struct query *q, struct database *d, const char *text)
{
	unsigned int relation = only_relation(d);

	if (q->n != 1 || relation == RELATIONS || sqlite3_stmt_isexplain(q->statement[0]))
		return 0;
	direct->relation = relations[relation];
	direct->traces.kinds = direct->relation->kind;
	direct->sqlite = d->sqlite;
	query_free(q);
	if (replace(direct, true))
		return database_fail(d, "make a virtual table");
	if (query_prepare(q, d, text))
		return -1;
	direct->unread = is_read_once(d, q->statement[0]);
	if (direct->unread)
		return direct->traces.paths[1] && traces_check(&direct->traces) ? -1 : 1;
	query_free(q);
	if (replace(direct, false))
		return database_fail(d, "make tables");
	return query_prepare(q, d, text) ? -1 : 0;
}

void direct_end(struct direct *direct)
{
	struct cursor c = { .direct = direct, .traces = direct->traces };

	if (!direct->unread)
		return;
	c.traces.status = FT_EXIT_OK;
	read_rest(&c);
}
