// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft dump: its options, and its lines. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/usage.h"
#include "ft/commands.h"
#include "ft/dump_lines.h"
#include "ft/dump_live.h"
#include "view/text/stack_lines.h"

struct asked {
	struct dump_question	question;
	bool			live;
};

static int take_events(void *to, const struct option_given *given)
{
	char *list = mem_strdup(given->value), *rest = list, *pattern;
	struct records_question *q = to;

	while ((pattern = strsep(&rest, ","))) {
		q->patterns = mem_resize(q->patterns, q->n_patterns + 1, sizeof(*q->patterns));
		q->patterns[q->n_patterns++] = mem_strdup(pattern);
	}
	free(list);
	return -1;
}

static const struct option_row options[] = {
	{ 0, "live", NULL, "print the kernel's records as they come, until Ctrl-C; turns on the "
	  "events named with -e, as 'ft enable' does; without -e, those that are on already",
	  OPTION_FLAG(struct asked, live) },
	{ 'e', "event", "NAME", "only these events: names or patterns like 'spin_*', with commas "
	  "between them; may be given again",
	  OPTION_CALL(struct asked, question.records, take_events) },
	OPTION_GROUP(struct asked, question.lines, record_lines_options),
	OPTION_GROUP(struct asked, question.records.symbols, symbols_option_table),
	OPTION_GROUP(struct asked, question.records.jobs, jobs_options),
	OPTION_TITLE("Only records:"),
	OPTION_GROUP(struct asked, question.records.filter, filter_option_table),
	{ }
};

/* Return: -1 to go on, else the exit status */
static int parse_options(struct asked *o, int *argc, char ***argv)
{
	int ret = options_parse(&dump_command, o, argc, argv);

	if (ret < 0)
		ret = symbols_options_check(&o->question.records.symbols, "dump");
	if (ret >= 0)
		return ret;
	if (o->live && *argc)
		return usage_error("dump", "--live reads the running trace, not '%s'", **argv);
	if (!o->live && !*argc)
		return usage_error("dump", "which trace? Name its directory");
	if (o->live && (o->question.records.filter.has_from || o->question.records.filter.has_to))
		return usage_error("dump", "--from and --to need a recorded trace: they exclude "
				   "--live");
	if (o->live && o->question.records.jobs.n)
		return usage_error("dump", "--jobs is for recorded traces: it excludes --live");
	if (o->question.lines.raw)
		o->question.lines.clock = RECORD_CLOCK_TICKS;
	return -1;
}

static void put_record(struct record_lines *lines, const struct records *r,
		       const struct stream *s, const struct stack_lines *stacks)
{
	record_lines_put(lines, s->ts, s->cpu, stream_event(&r->trace, s), s->rec);
	if (s->rec->id == FT_ID_STACK)
		stack_lines_put(stacks, s->rec->a, s->rec->b, stdout);
}

/* Return: errno of a failed write, or 0 */
static int put_item(struct record_lines *lines, const struct records *r, const struct stream *s,
		    const struct stack_lines *stacks)
{
	if (s->item == STREAM_GAP)
		record_lines_gap(lines, s->ts, s->cpu, stream_lost(s));
	else
		put_record(lines, r, s, stacks);
	return ferror(stdout) ? errno : 0;
}

static int dump_trace(struct dump_question *q, char *const *dirs)
{
	struct record_lines *lines = &q->lines;
	struct stack_lines *stacks = NULL;
	struct dump_lines *many = NULL;
	struct records *r;
	struct stream *s;
	int error = 0;

	q->records.named = !lines->raw;
	r = records_open(&q->records, dirs, stdout);
	if (!r)
		return FT_EXIT_ERROR;
	lines->out = stdout;
	lines->trace = &r->trace;
	if (!lines->raw)
		lines->symbols = r->symbols;
	if (!lines->tsv)
		stacks = stack_lines_open(&r->trace.parts, lines->symbols);
	record_lines_begin(lines);
	if (r->crew && !stacks)		/* stacks below them are printed by this thread alone */
		many = dump_lines_new(lines, r->crew);
	while (!error && records_next(r, &s)) {
		if (many)
			error = dump_lines_put(many, s);
		else
			error = put_item(lines, r, s, stacks);
	}
	error = dump_lines_end(many, error);
	stack_lines_close(stacks);
	records_tell_unread(r);
	return output_finish(stdout, error, records_close(r));
}

static int dump_main(int argc, char **argv)
{
	struct asked o = { 0 };
	int ret = parse_options(&o, &argc, &argv);

	signal(SIGPIPE, SIG_IGN);
	if (ret < 0)
		ret = o.live ? dump_live(&o.question) : dump_trace(&o.question, argv);
	records_question_exit(&o.question.records);
	return ret;
}

const struct command dump_command = {
	.name = "dump",
	.about = "Prints the records of a trace",
	.usage = "[OPTION]... TRACE...\n"
		 "--live [-e EVENT]... [OPTION]...",
	.text = "Prints the records of a trace in the order of time: the time, the time since\n"
		"the line before, CPU (t0: the first ring of programs), context (t task,\n"
		"s softirq, h hardirq, n NMI), task, event and its words.\n"
		"Reads the parts of a rotated recording, or their directory, as one trace.\n",
	.options = options,
	.notes = "Exit status: 0 all well, 1 error, 2 usage, 3 records were lost.\n",
	.complete = COMPLETE_DIRECTORY,
	.max = OPERANDS_ANY,
	.main = dump_main,
};
