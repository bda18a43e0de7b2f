// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft sql: its options. */
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include "base/exit_status.h"
#include "base/file.h"
#include "base/usage.h"
#include "ft/commands.h"
#include "sql/database.h"
#include "sql/sql.h"

struct asked {
	struct sql_asked	sql;
	bool			tsv, csv, json, schema;
};

static const struct option_row options[] = {
	{ 0, "tsv", NULL, "print tab separated lines, with a line of titles",
	  OPTION_FLAG(struct asked, tsv) },
	{ 0, "csv", NULL, "print CSV, with a line of titles", OPTION_FLAG(struct asked, csv) },
	{ 0, "json", NULL, "print an array of objects", OPTION_FLAG(struct asked, json) },
	{ 'o', "output", "FILE", "keep the database in FILE, a new one, with all columns: sqlite3 "
	  "and others open it; then the query may be left out",
	  OPTION_PATH(struct asked, sql.output, COMPLETE_FILE) },
	{ 0, "schema", NULL, "print the tables and their columns",
	  OPTION_FLAG(struct asked, schema) },
	OPTION_TITLE("Only sections that began, waits and records:"),
	OPTION_GROUP(struct asked, sql.filter, filter_option_table),
	OPTION_TITLE("Names:"),
	OPTION_GROUP(struct asked, sql.symbols, symbols_option_table),
	{ }
};

static bool is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/*
 * A query that begins with a comment is not an option: it is the last argument, "-- ..." or
 * several lines. It is removed from the others.
 */
static void take_comment(struct asked *o, int *argc, char **argv)
{
	const char *last = argv[*argc - 1];

	if (*argc < 2 || strncmp(last, "--", 2) ||
	    (last[2] != ' ' && last[2] != '\t' && !strchr(last, '\n')))
		return;
	o->sql.query = last;
	argv[--*argc] = NULL;
}

/* The last operand is the query, unless it is a trace. Return: -1, or the exit status */
static int find_query(struct asked *o, int argc, char **argv)
{
	o->sql.traces = argv;
	if (argc && !o->sql.query && !is_directory(argv[argc - 1])) {
		o->sql.query = argv[argc - 1];
		argv[--argc] = NULL;
	}
	if (!argc)
		return usage_error("sql", "which trace? Name its directory");
	if (!o->sql.query && !o->sql.output)
		return usage_error("sql", "which query? For example 'select count(*) from sections'");
	return -1;
}

static int print_schema(void)
{
	database_schema(stdout);
	return flush_output(FT_EXIT_OK);
}

/* Return: -1 to go on, else the exit status */
static int take_arguments(struct asked *o, int *argc, char ***argv)
{
	int ret;

	take_comment(o, argc, *argv);
	ret = options_parse(&sql_command, o, argc, argv);

	if (ret < 0)
		ret = symbols_options_check(&o->sql.symbols, "sql");
	if (ret >= 0)
		return ret;
	if (o->tsv + o->csv + o->json > 1)
		return usage_error("sql", "--tsv, --csv or --json: one of them");
	o->sql.format = o->tsv ? ROWS_TSV : o->csv ? ROWS_CSV : o->json ? ROWS_JSON : ROWS_TEXT;
	return o->schema ? print_schema() : find_query(o, *argc, *argv);
}

static int sql_main(int argc, char **argv)
{
	struct asked o = { 0 };
	int ret = take_arguments(&o, &argc, &argv);

	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	if (ret < 0)
		ret = sql_ask(&o.sql);
	filter_options_exit(&o.sql.filter);
	return ret;
}

const struct command sql_command = {
	.name = "sql",
	.about = "Answers SQL queries over sections, waits and records of traces",
	.usage = "[OPTION]... TRACE... QUERY\n"
		 "-o FILE [OPTION]... TRACE... [QUERY]\n"
		 "--schema",
	.text = "Reads critical sections, waits and records of traces into tables of SQLite, as far\n"
		"as the query uses them, and prints what it selects. Each trace has a number,\n"
		"from 1 on, in the column trace. A directory with the parts of a rotated\n"
		"recording is one trace. quantile(x, q) is there beside SQLite's functions:\n"
		"  ft sql TRACE 'select class, quantile(length_ns, 0.99) from sections group by 1'\n",
	.options = options,
	.notes = "Exit status: 0 all well, 1 error, 2 usage or bad SQL, 3 records were lost.\n",
	.complete = COMPLETE_DIRECTORY,
	.max = OPERANDS_ANY,
	.main = sql_main,
};
