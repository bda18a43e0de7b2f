// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft sql, step by step. See sql.h. */
#include <err.h>
#include <errno.h>
#include <stdio.h>

#include "base/end_signals.h"
#include "base/exit_status.h"
#include "base/file.h"
#include "sql/database.h"
#include "sql/direct.h"
#include "sql/load.h"
#include "sql/query.h"
#include "sql/sql.h"
#include "trace/outside.h"

/* A file that is kept has all sections and waits, whatever is asked now. */
static void use_all(struct database *d)
{
	for (unsigned int i = 0; i < RELATIONS; i++) {
		if (relations[i] != &sql_records || d->used[i])
			database_use(d, relations[i]);
	}
}

static bool uses_any(const struct database *d)
{
	for (unsigned int i = 0; i < RELATIONS; i++) {
		if (d->used[i])
			return true;
	}
	return false;
}

static unsigned int kinds_used(const struct database *d)
{
	unsigned int kinds = 0;

	for (unsigned int i = 0; i < RELATIONS; i++) {
		if (d->used[i])
			kinds |= relations[i]->kind;
	}
	return kinds;
}

/* Return: 0, or -1 after a message; *@status: of what was read */
static int run(const struct query *q, struct database *d, const struct sql_asked *asked,
	       struct direct *direct, int *status)
{
	int ret = query_run(q, d, asked->format, stdout);

	if (ret && !direct->failed)
		warnx("%s", sqlite3_errmsg(d->sqlite));
	for (size_t i = 0; i < q->n; i++)	/* now its traces are read to their ends */
		sqlite3_reset(q->statement[i]);
	direct_end(direct);
	*status = direct->traces.status;
	return ret || direct->failed ? -1 : 0;
}

/* *@keep: the file has all of the traces. Return: the exit status */
static int answer(struct database *d, struct query *q, const struct sql_asked *asked,
		  bool *keep)
{
	const struct source_asked source = { .filter = &asked->filter, .symbols = &asked->symbols };
	struct direct direct = { .traces = {
		.paths = asked->traces, .asked = &source, .out = stdout,
	} };
	int status, ret = 0;

	if (asked->output)
		use_all(d);
	else
		ret = direct_begin(&direct, q, d, asked->query);
	trace_allow_files(UINT16_MAX);
	if (!ret && uses_any(d)) {
		direct.traces.kinds = kinds_used(d);
		direct.traces.out = NULL;
		ret = load_traces(d, &direct.traces);
	} else if (!ret && *asked->traces) {	/* a query of nothing that is in them */
		ret = traces_check(&direct.traces);
	}
	*keep = ret >= 0;
	if (ret < 0)
		return FT_EXIT_ERROR;
	if (run(q, d, asked, &direct, &status)) {
		status = FT_EXIT_ERROR;
		*keep = !end_signals_came();
	}
	return output_finish(stdout, ferror(stdout) ? errno : 0, status);
}

int sql_ask(const struct sql_asked *asked)
{
	struct query q = { 0 };
	struct database d;
	bool keep = false;
	int status;

	if (!outside_traces(asked->output) ||
	    database_open(&d, asked->output))
		return FT_EXIT_ERROR;
	if (asked->output)	/* so that no part of a file is left */
		end_signals_catch();
	if (asked->query && query_prepare(&q, &d, asked->query))
		status = FT_EXIT_USAGE;
	else
		status = answer(&d, &q, asked, &keep);
	query_free(&q);
	if (database_close(&d, keep) && status != FT_EXIT_USAGE)
		status = FT_EXIT_ERROR;
	return status;
}
