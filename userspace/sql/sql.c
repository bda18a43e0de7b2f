// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft sql, step by step. See sql.h. */
#include <errno.h>
#include <stdio.h>

#include "base/end_signals.h"
#include "base/exit_status.h"
#include "base/file.h"
#include "sql/database.h"
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

/* *@keep: the file has all of the traces. Return: the exit status */
static int answer(struct database *d, const struct query *q, const struct sql_asked *asked,
		  bool *keep)
{
	int status = FT_EXIT_OK;
	bool failed = false;

	if (asked->output)
		use_all(d);
	if (uses_any(d))
		status = load_traces(d, asked->traces, &asked->filter, &asked->symbols, &failed);
	*keep = !failed;
	if (failed)
		return FT_EXIT_ERROR;
	if (query_run(q, d, asked->format, stdout)) {
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
