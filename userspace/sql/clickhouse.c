// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Rows for ClickHouse: one pass over the trace, each table to a file. See clickhouse.h. */
#include <err.h>
#include <errno.h>
#include <sys/stat.h>

#include "base/exit_status.h"
#include "base/file.h"
#include "base/mem.h"
#include "sql/clickhouse.h"
#include "sql/rowbinary.h"
#include "sql/traces.h"

struct output {
	char			*path;		/* NULL: standard output */
	FILE			*f;		/* NULL: this table is not written */
	int			error;		/* errno of a write that failed; or 0 */
	struct rowbinary	rows;
};

/* Return: 0, or -1 with a message */
static int open_output(struct output *o, const struct clickhouse_asked *asked,
		       unsigned int table)
{
	if (asked->table == RELATIONS)
		o->path = mem_format("%s/%s.rowbinary", asked->output, relations[table]->name);
	else if (asked->output)
		o->path = mem_strdup(asked->output);
	o->f = o->path ? fopen(o->path, "we") : stdout;
	if (!o->f) {
		warn("cannot write %s", o->path);
		return -1;
	}
	/* rows are buffered as they are made */
	setvbuf(o->f, NULL, _IONBF, 0);
	rowbinary_open(&o->rows, relations[table], o->f);
	return 0;
}

static int open_outputs(struct output *o, const struct clickhouse_asked *asked)
{
	if (asked->table < RELATIONS)
		return open_output(&o[asked->table], asked, asked->table);
	if (mkdir(asked->output, 0777)) {
		warn("cannot make %s", asked->output);
		return -1;
	}
	for (unsigned int i = 0; i < RELATIONS; i++) {
		if (open_output(&o[i], asked, i))
			return -1;
	}
	return 0;
}

/* Return: @status, or FT_EXIT_ERROR after a message */
static int close_output_of(struct output *o, int status)
{
	errno = 0;
	rowbinary_close(&o->rows);
	if (ferror(o->f) && !o->error)
		o->error = errno;
	if (!o->path)
		return output_finish(o->f, o->error, status);
	return close_output(o->f, o->path) ? FT_EXIT_ERROR : status;
}

static int close_outputs(struct output *o, int status)
{
	for (unsigned int i = 0; i < RELATIONS; i++) {
		if (o[i].f)
			status = close_output_of(&o[i], status);
		mem_free(o[i].path);
	}
	return status;
}

/* Return: has a write failed? */
static bool put(struct output *o, struct row *row)
{
	for (unsigned int i = 0; i < RELATIONS; i++) {
		if (!o[i].f || !row_begin(row, relations[i]))
			continue;
		rowbinary_put(&o[i].rows, row);
		if (__builtin_expect(ferror(o[i].f), 0)) {
			o[i].error = errno;
			return true;
		}
	}
	return false;
}

static unsigned int kinds_of(const struct output *o)
{
	unsigned int kinds = 0;

	for (unsigned int i = 0; i < RELATIONS; i++)
		kinds |= o[i].f ? relations[i]->kind : 0;
	return kinds;
}

/* Return: the exit status of what was read */
static int write_rows(struct output *o, const struct clickhouse_asked *asked)
{
	struct traces t = {
		.paths = asked->dirs, .parts = true, .kinds = kinds_of(o),
		.asked = &asked->source, .out = asked->output ? NULL : stdout,
	};
	bool named = false;
	struct row row;

	trace_allow_files(UINT16_MAX);
	while (traces_next(&t, &row) > 0 && !put(o, &row)) {
		if (!named && !row.source->trace->meta.has_uuid)
			warnx("%s: the trace has no UUID: its rows have one of zeros",
			      asked->dirs[0]);
		named = true;
	}
	traces_end(&t);
	return t.status;
}

int clickhouse_export(const struct clickhouse_asked *asked)
{
	struct output o[RELATIONS] = { 0 };
	int status = FT_EXIT_ERROR;

	if (!open_outputs(o, asked))
		status = write_rows(o, asked);
	return close_outputs(o, status);
}
