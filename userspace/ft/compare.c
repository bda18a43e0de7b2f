// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft compare: its options, and the order of things. */
#include <err.h>
#include <stdio.h>

#include "base/array.h"
#include "base/exit_status.h"
#include "base/file.h"
#include "base/number.h"
#include "base/output.h"
#include "ft/commands.h"
#include "overheads/versus.h"
#include "trace/outside.h"
#include "view/compare_views.h"

#define TOP	20	/* call sites, classes of locks */

struct asked {
	struct compare_question	question;
	struct output		output;
	unsigned int		by;		/* enum digest_table */
	const char		*html;
};

static int take_percent(void *to, const struct option_given *given)
{
	double percent;

	if (parse_seconds(given->value, &percent))
		return option_error(given, "is not a number of percent above 0: '%s'",
				    given->value);
	*(double *)to = percent / 100;
	return -1;
}

static const char *by_name(unsigned int by)
{
	static const char *const names[] = {
		[DIGEST_SITES] = "site", [DIGEST_LOCK_CLASSES] = "class",
	};

	return by < ARRAY_SIZE(names) ? names[by] : NULL;
}

static const struct option_row options[] = {
	{ 0, "by", "site|class", "compare by call site, or by class of lock (default: both, where "
	  "all traces have names of locks)", OPTION_CHOICE(struct asked, by, by_name) },
	{ 'n', "top", "N", "show N call sites, and N classes (default: 20; 0: all)",
	  OPTION_ROWS(struct asked, question.top) },
	{ 0, "limit", "PERCENT", "only a difference of this size is a change (default: 10)",
	  OPTION_CALL(struct asked, question.limit, take_percent) },
	{ 0, "html", "FILE", "write a page with tables and figures to FILE",
	  OPTION_PATH(struct asked, html, COMPLETE_FILE) },
	{ 0, "tsv", NULL, "print a line for each value: table, row, trace, column, value",
	  OPTION_SET(struct asked, output.format, OUTPUT_TSV) },
	{ 0, "json", NULL, "print the same as one JSON object",
	  OPTION_SET(struct asked, output.format, OUTPUT_JSON) },
	OPTION_GROUP(struct asked, question.jobs, jobs_options),
	OPTION_TITLE("Only sections that began:"),
	OPTION_GROUP(struct asked, question.filter, filter_option_table),
	{ }
};

static int show(const struct compare *c, const struct asked *o)
{
	int status = compare_lost(c) ? FT_EXIT_LOST : FT_EXIT_OK;
	unsigned int i;

	for (i = 0; i < c->n; i++) {
		if (trace_status(&c->trace[i].trace) == FT_EXIT_ERROR)
			status = FT_EXIT_ERROR;
	}

	if (o->html && compare_page(c, o->html))
		return FT_EXIT_ERROR;
	if (o->output.format == OUTPUT_TSV)
		compare_tsv(c);
	else if (o->output.format == OUTPUT_JSON)
		compare_json(c);
	else if (!o->html)
		compare_text(c);
	return flush_output(status);
}

static int compare_traces(const struct asked *o, char **dirs, unsigned int n)
{
	const struct compare *c;
	int status;

	if (!outside_traces(o->html))
		return FT_EXIT_ERROR;
	c = compare_read(&o->question, dirs, n);
	status = c ? show(c, o) : FT_EXIT_ERROR;
	compare_free(c);
	return status;
}

/* Those of ft overheads, which have no critical sections. */
static int compare_experiments(const struct asked *o, char **dirs, unsigned int n)
{
	struct versus *v;
	int status;

	if (o->html || o->question.top != TOP || o->by != DIGEST_TABLES ||
	    filter_options_any(&o->question.filter))
		return usage_error("compare", "--html, --top, --by and the options that select "
					      "sections are for traces of locks, not for "
					      "experiments of ft overheads");
	v = versus_read(dirs, n, o->question.limit);
	if (!v)
		return FT_EXIT_ERROR;
	status = versus_lost(v) ? FT_EXIT_LOST : FT_EXIT_OK;
	if (o->output.format == OUTPUT_TSV)
		versus_tsv(v);
	else if (o->output.format == OUTPUT_JSON)
		versus_json(v);
	else
		versus_text(v);
	versus_free(v);
	return flush_output(status);
}

static int compare_dirs(const struct asked *o, char **dirs, unsigned int n)
{
	unsigned int experiments = 0;

	for (unsigned int i = 0; i < n; i++)
		experiments += experiment_is(dirs[i]);
	if (!experiments)
		return compare_traces(o, dirs, n);
	if (experiments == n)
		return compare_experiments(o, dirs, n);
	warnx("traces and experiments of ft overheads cannot be compared with each other; the "
	      "trace of an experiment is DIR/trace");
	return FT_EXIT_ERROR;
}

static int compare_main(int argc, char **argv)
{
	struct asked o = { .question = { .top = TOP, .limit = 0.1 }, .by = DIGEST_TABLES };
	int ret = options_parse(&compare_command, &o, &argc, &argv);

	o.question.by = (enum digest_table)o.by;
	if (ret < 0)
		ret = compare_dirs(&o, argv, (unsigned int)argc);
	filter_options_exit(&o.question.filter);
	return ret;
}

_Static_assert(COMPARE_TRACES == 8, "as .excess says");

const struct command compare_command = {
	.name = "compare",
	.about = "Compares traces, or experiments: what changed by more than chance",
	.usage = "[OPTION]... A B [C]...",
	.text = "Shows the critical sections of two or more traces side by side: how each\n"
		"trace differs from the first one, by how much, and whether that is a change\n"
		"or within the variation of the traces themselves. Of experiments of ft\n"
		"overheads it compares the overheads, with equal numbers of samples.\n",
	.options = options,
	.notes = "Exit status: 0 all well, 1 error, 2 usage, 3 records were lost.\n",
	.complete = COMPLETE_DIRECTORY,
	.min = 2,
	.max = COMPARE_TRACES,
	.missing = "two traces at least: name their directories",
	.excess = "8 traces at most",
	.main = compare_main,
};
