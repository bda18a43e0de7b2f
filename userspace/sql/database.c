// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The database that traces are read into. See database.h. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "sql/database.h"
#include "sql/quantile.h"

static const char *type_name(enum column_type type)
{
	switch (type) {
	case TYPE_TRACE:
	case TYPE_NUMBER:
	case TYPE_NS:
	case TYPE_COUNT:
	case TYPE_WORD:
		return "INTEGER";
	case TYPE_LENGTH:
		return "REAL";
	case TYPE_TIME:
	case TYPE_NAME:
	case TYPE_ADDRESS:
	case TYPE_UUID:
	case TYPE_TEXT:
		break;
	}
	return "TEXT";
}

void database_table(FILE *f, const struct relation *r)
{
	fprintf(f, "CREATE TABLE %s (", r->name);
	for (unsigned int i = 0; i < r->n; i++)
		fprintf(f, "%s\n\t%s %s", i ? "," : "", r->columns[i].name,
			type_name(r->columns[i].type));
	fputs("\n);\n", f);
}

void database_schema(FILE *f)
{
	for (unsigned int i = 0; i < RELATIONS; i++)
		database_table(f, relations[i]);
}

int database_fail(const struct database *d, const char *what)
{
	warnx("%s%scannot %s: %s", d->path ? d->path : "", d->path ? ": " : "", what,
	      sqlite3_errmsg(d->sqlite));
	return -1;
}

/*
 * Nobody else uses the file before it is whole, and a process that is killed earlier leaves
 * nothing of use: neither a journal nor waiting for the disk would help.
 */
static int create(struct database *d)
{
	char *text = NULL, *setup;
	size_t len;
	int ret;
	FILE *f = mem_check(open_memstream(&text, &len));

	database_schema(f);
	if (fclose(f))
		mem_none();
	setup = mem_format("PRAGMA page_size = 8192; PRAGMA journal_mode = OFF; "
			   "PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; "
			   "PRAGMA cache_size = -%u; %s", DATABASE_CACHE >> 10, text);
	ret = sqlite3_exec(d->sqlite, setup, NULL, NULL, NULL);
	free(setup);
	free(text);
	return ret == SQLITE_OK ? 0 : database_fail(d, "make tables");
}

/* Return: 0, or -1 with a message */
static int create_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (fd < 0 && errno == EEXIST)
		warnx("'%s' exists: it is not replaced", path);
	else if (fd < 0)
		warn("cannot write %s", path);
	return fd < 0 ? -1 : close(fd);
}

/* "./" before it: SQLite takes ":memory:" and "file:..." for something else than a name. */
static int open_sqlite(struct database *d, const char *path)
{
	char *name = mem_format("%s%s", path && *path != '/' ? "./" : "", path ? path : "");
	int ret = sqlite3_open_v2(name, &d->sqlite, SQLITE_OPEN_READWRITE, NULL);

	mem_free(name);
	return ret;
}

int database_open(struct database *d, const char *path)
{
	*d = (struct database){ 0 };
	if (path && create_file(path))
		return -1;
	d->path = path;
	/* "": a temporary one */
	if (open_sqlite(d, path)) {
		database_fail(d, "open the database");
	} else if (!create(d)) {
		quantile_add(d->sqlite);
		return 0;
	}
	database_close(d, false);
	return -1;
}

int database_close(struct database *d, bool keep)
{
	int ret = 0;

	for (unsigned int i = 0; i < RELATIONS; i++)
		sqlite3_finalize(d->insert[i]);
	if (sqlite3_close(d->sqlite) != SQLITE_OK)
		ret = database_fail(d, "close the database");
	if (d->path && !keep)
		unlink(d->path);
	*d = (struct database){ 0 };
	return ret;
}

void database_use(struct database *d, const struct relation *relation)
{
	for (unsigned int i = 0; i < RELATIONS; i++) {
		if (relations[i] == relation)
			d->used[i] = UINT64_MAX >> (RELATION_COLUMNS - relation->n);
	}
}

/* A query reads this column, or "", which is the table alone. */
static void note(struct database *d, const char *table, const char *column)
{
	unsigned int i = relation_find(table), c;

	if (i == RELATIONS) {
		d->others = true;
		return;
	}
	c = relation_column(relations[i], column);
	d->used[i] |= 1 | (c < relations[i]->n ? 1ull << c : 0);
}

/*
 * SQLite says nothing of the columns that NATURAL and USING compare, not even that the table
 * is read: each that the text may mean is used.
 */
void database_use_joined(struct database *d, const char *text)
{
	bool natural = strcasestr(text, "natural");

	for (unsigned int i = 0; (natural || strcasestr(text, "using")) && i < RELATIONS; i++) {
		const struct relation *r = relations[i];

		if (!strcasestr(text, r->name))
			continue;
		note(d, r->name, "");
		for (unsigned int c = 0; c < r->n; c++) {
			if (natural || strcasestr(text, r->columns[c].name))
				note(d, r->name, r->columns[c].name);
		}
	}
}

static bool describes(const char *pragma)
{
	return !strcasecmp(pragma, "table_info") || !strcasecmp(pragma, "table_xinfo") ||
	       !strcasecmp(pragma, "table_list");
}

static int authorize(void *arg, int action, const char *first, const char *second,
		     const char *database, const char *trigger)
{
	struct database *d = arg;

	(void)database;
	(void)trigger;
	switch (action) {
	case SQLITE_READ:
		note(d, first, second ? second : "");
		return SQLITE_OK;
	case SQLITE_SELECT:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		if (strcasecmp(second, "load_extension"))
			return SQLITE_OK;
		break;
	case SQLITE_UPDATE:
		/* what functions that give tables ask for; nobody can do it: it is protected */
		if (!strcasecmp(first, "sqlite_master"))
			return SQLITE_OK;
		break;
	case SQLITE_PRAGMA:
		if (describes(first))
			return SQLITE_OK;
		break;
	}
	d->denied = true;
	return SQLITE_DENY;
}

void database_guard(struct database *d, bool on)
{
	sqlite3_set_authorizer(d->sqlite, on ? authorize : NULL, d);
}

/* INSERT INTO waits VALUES (?,?,...) */
static int prepare_insert(struct database *d, unsigned int relation)
{
	const struct relation *r = relations[relation];
	char marks[2 * RELATION_COLUMNS + 1] = "";
	char *text;
	int ret;

	for (unsigned int i = 0; i < r->n; i++)
		memcpy(marks + 2 * i, i + 1 < r->n ? "?," : "?", 3 - (i + 1 == r->n));
	text = mem_format("INSERT INTO %s VALUES (%s)", r->name, marks);
	ret = sqlite3_prepare_v3(d->sqlite, text, -1, SQLITE_PREPARE_PERSISTENT,
				 &d->insert[relation], NULL);
	free(text);
	return ret == SQLITE_OK ? 0 : database_fail(d, "prepare");
}

int database_begin(struct database *d)
{
	for (unsigned int i = 0; i < RELATIONS; i++) {
		if (d->used[i] && prepare_insert(d, i))
			return -1;
	}
	if (sqlite3_exec(d->sqlite, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
		return database_fail(d, "begin");
	return 0;
}

int database_end(struct database *d)
{
	if (sqlite3_exec(d->sqlite, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
		return database_fail(d, "write the database");
	return 0;
}

static void bind(sqlite3_stmt *insert, int at, const struct value *v)
{
	switch (v->kind) {
	case VALUE_NONE:
		sqlite3_bind_null(insert, at);
		break;
	case VALUE_INTEGER:
		sqlite3_bind_int64(insert, at, v->integer);
		break;
	case VALUE_REAL:
		sqlite3_bind_double(insert, at, v->real);
		break;
	case VALUE_TEXT:
		sqlite3_bind_text(insert, at, v->text, -1, SQLITE_STATIC);
		break;
	}
}

int database_add(struct database *d, unsigned int relation, const struct row *row)
{
	sqlite3_stmt *insert = d->insert[relation];
	char text[RELATION_COLUMNS][ROW_TEXT];
	int ret;

	for (uint64_t rest = d->used[relation]; rest; rest &= rest - 1) {
		unsigned int i = (unsigned int)__builtin_ctzll(rest);
		struct row of = *row;
		struct value v;

		of.text = text[i];
		v = column_value(&relations[relation]->columns[i], &of);
		bind(insert, (int)i + 1, &v);
	}
	ret = sqlite3_step(insert);
	sqlite3_reset(insert);
	source_forget(row->source);
	return ret == SQLITE_DONE ? 0 : database_fail(d, "write the database");
}
