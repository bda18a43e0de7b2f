// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft report: the critical sections of a trace. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report.h"
#include "base/array.h"
#include "base/exit_status.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/usage.h"
#include "ft/commands.h"
#include "trace/outside.h"
#include "ft/report_heap.h"
#include "view/data/fields.h"
#include "view/page/page.h"
#include "view/text/text.h"
#include "why/requests.h"
#include "why/show.h"

struct asked {
	struct report_question	question;
	const char		*html;		/* a file, or NULL */
	bool			tsv, json;
	bool			balance;	/* for people */
	bool			distributions;	/* for programs */
	bool			heap;		/* instead of critical sections */
};

/* The trace is read again for it. */
struct page_why {
	const struct report	*report;
	const struct asked	*asked;
	char *const		*dirs;
	bool			failed;		/* it could not be read again */
};

static bool has_event(const struct trace *t, unsigned int class, const char *name)
{
	for (uint32_t id = 0; id < t->meta.events[class].n; id++) {
		const struct event_type *type = metadata_event(&t->meta, class, id);

		if (type && !strcmp(type->name, name))
			return true;
	}
	return false;
}

/* Of the whole trace: a request that a filter cuts short would not be one. */
static void put_requests(FILE *f, struct page_why *page)
{
	const struct requests_asked asked = {
		.part = true, .given = page->report->symbols,
		.before = trace_books(&page->report->trace),
		.event = REQUEST_EVENTS, .limit = 10, .top = 10,
	};
	const struct trace *t = &page->report->trace;
	bool marked = page->report->request_marks;
	const struct requests *r;

	for (unsigned int class = 0; class < METADATA_CLASSES; class++)
		marked |= has_event(t, class, asked.event[REQUEST_BEGIN]);
	r = marked ? requests_read(&asked, page->dirs) : NULL;
	if (r && requests_any(r))
		requests_page_section(f, r);
	else if (marked && !r)
		requests_page_none(f);
	page->failed |= marked && !r;
	requests_free(r);
}

static void put_why(FILE *f, void *arg)
{
	struct page_why *page = arg;
	const struct why_asked asked = {
		.part = true, .given = page->report->symbols,
		.before = trace_books(&page->report->trace),
		.filter = page->asked->question.filter,
		.limit = 10, .top = 10, .holds = true, .waits = true,
		.by = symbols_locks(page->report->symbols) ? WHY_BY_CLASS : WHY_BY_LOCK,
	};
	bool worth = has_event(&page->report->trace, 0, "sched_switch");
	const struct why *w = worth ? why_read(&asked, page->dirs) : NULL;

	if (w && why_has_events(w))
		why_page_sections(f, w);
	else
		why_page_none(f, worth && !w);
	page->failed |= worth && !w;
	why_free(w);
	put_requests(f, page);
}

/* Files where they were asked for, else text. Return: 0, or -1 with a message */
static int show(const struct report *r, const struct asked *o, char *const *dirs)
{
	struct page_why why = { .report = r, .asked = o, .dirs = dirs };

	if (o->html && page_report(r, o->html, put_why, &why))
		return -1;
	if (o->json)
		fields_json(r, o->distributions);
	else if (o->tsv)
		fields_tsv(r, o->distributions);
	else if (!o->html)
		text_report(r, o->balance);
	return why.failed ? -1 : 0;
}

/* "5": a positive number of microseconds, down to nanoseconds. */
static int parse_limit(const char *text, struct report_limit *limit)
{
	double us, ns;

	if (parse_seconds(text, &us))
		return -1;
	ns = us * 1000;
	if (ns < 1 || ns > 1e15 || fabs(ns - round(ns)) > 1e-6 * ns)
		return -1;
	limit->ns = (uint64_t)llround(ns);
	/* as a number is written everywhere, however it was given */
	snprintf(limit->name, sizeof(limit->name), "%.12g", us);
	return 0;
}

static int take_below(void *to, const struct option_given *given)
{
	char *copy = mem_strdup(given->value), *rest = copy, *part;
	struct report_question *q = to;
	int ret = -1;

	q->n_limits = 0;
	while (ret < 0 && (part = strsep(&rest, ","))) {
		if (q->n_limits == REPORT_LIMITS)
			ret = option_error(given, "takes at most %u limits", REPORT_LIMITS);
		else if (parse_limit(part, &q->limit[q->n_limits++]))
			ret = option_error(given, "is not a time in microseconds: '%s'", part);
	}
	free(copy);
	return ret;
}

static const char *const tables[REPORT_TABLES] = {
	[TABLE_SITE] = "site", [TABLE_LOCK] = "lock", [TABLE_TASK] = "task",
	[TABLE_CLASS] = "class", [TABLE_STACK] = "stack",
};

static int take_by(void *to, const struct option_given *given)
{
	char *copy = mem_strdup(given->value), *rest = copy, *part;
	struct report_question *q = to;
	int ret = -1;

	q->by = 0;
	while (ret < 0 && (part = strsep(&rest, ","))) {
		unsigned int t = 0;

		while (t < REPORT_TABLES && strcmp(part, tables[t]))
			t++;
		if (t == REPORT_TABLES)
			ret = option_error(given, "is not class, lock, site, stack or task: '%s'",
					   part);
		else
			q->by |= 1u << t;
	}
	free(copy);
	return ret;
}

static const char *by_word(unsigned int i)
{
	return i < REPORT_TABLES ? tables[i] : NULL;
}

static const struct option_row options[] = {
	OPTION_TITLE("What is shown:"),
	{ 'n', "top", "N", "show N rows of each table (default: 20; 0: all)",
	  OPTION_ROWS(struct asked, question.top) },
	{ 0, "by", "WHAT[,...]", "show these tables: class, lock, site, stack, task (default: all; "
	  "classes of locks and stacks where the trace has them)",
	  OPTION_CALL(struct asked, question, take_by), .word = by_word },
	{ 0, "sort", "COLUMN", "order of the tables by site, class, lock, stack and task: total (the "
	  "default), count, min, mean, p50, p90, p99, p999, max, wait_total, wait_count, wait_mean, "
	  "wait_p99, wait_max, family, address",
	  OPTION_CHOICE(struct asked, question.sort, table_column_name) },
	{ 0, "below", "US[,...]", "show the share of sections shorter than each (default: 5,13)",
	  OPTION_CALL(struct asked, question, take_below) },
	{ 0, "longest", "N", "show the N longest sections (default: 10)",
	  OPTION_NUMBER(struct asked, question.n_longest) },
	{ 0, "no-fold", NULL, "show calls in helpers such as try_to_wake_up as they are; by "
			      "default, the call in their caller is shown if the stack is known",
	  OPTION_FLAG(struct asked, question.no_fold) },
	{ 0, "internal", NULL, "count the internal locks of sleeping locks in the nesting depth",
	  OPTION_FLAG(struct asked, question.internal) },
	{ 0, "balance", NULL, "show acquisitions and releases per CPU",
	  OPTION_FLAG(struct asked, balance) },
	{ 0, "rt", NULL, "show what real-time tasks did: running, preempted, blocked by whom, "
	  "asleep; priority inversions; time without preemption",
	  OPTION_FLAG(struct asked, question.realtime) },
	{ 0, "heap", NULL, "show the heaps of programs, from 'ft run --heap', instead of locks: "
			   "only with --top, --tsv, --json, --html, --jobs and options of names",
	  OPTION_FLAG(struct asked, heap) },
	OPTION_TITLE("Only sections that began:"),
	OPTION_GROUP(struct asked, question.filter, filter_option_table),
	OPTION_TITLE("Names, and output:"),
	OPTION_GROUP(struct asked, question.jobs, jobs_options),
	OPTION_GROUP(struct asked, question.symbols, symbols_option_table),
	{ 0, "debug", "PATH", "debug information, for lines of source code: vmlinux, a module's "
	  ".ko, or a directory with them",
	  OPTION_PATH(struct asked, question.debug, COMPLETE_FILE) },
	{ 0, "tsv", NULL, "print a line for each value: table, row, column, value",
	  OPTION_FLAG(struct asked, tsv) },
	{ 0, "json", NULL, "print the same as one JSON object", OPTION_FLAG(struct asked, json) },
	{ 0, "distributions", NULL, "with --tsv or --json: print the distributions of lengths, and "
	  "the rates over time, for 'ft plot'", OPTION_FLAG(struct asked, distributions) },
	{ 0, "html", "FILE", "write a page with tables and figures to FILE",
	  OPTION_PATH(struct asked, html, COMPLETE_FILE) },
	{ }
};

#define LONGEST		10
#define NOT_GIVEN	SIZE_MAX

/* None of the options is given that are of critical sections. */
static bool heap_is_alone(const struct asked *o)
{
	const struct report_question *q = &o->question;

	return !q->by && q->sort == TABLE_COLUMNS && q->n_longest == NOT_GIVEN &&
	       !q->n_limits && !q->no_fold && !q->internal && !q->realtime && !q->debug &&
	       !o->balance && !o->distributions && !filter_options_any(&q->filter);
}

static void set_defaults(struct report_question *q)
{
	static const struct report_limit limits[] = {
		{ .name = "5", .ns = 5000 }, { .name = "13", .ns = 13000 },
	};

	if (q->sort == TABLE_COLUMNS)
		q->sort = COLUMN_TOTAL;
	if (q->n_longest == NOT_GIVEN)
		q->n_longest = LONGEST;
	if (q->n_limits)
		return;
	memcpy(q->limit, limits, sizeof(limits));
	q->n_limits = ARRAY_SIZE(limits);
}

/* Return: -1 to go on, else the exit status */
static int parse_options(struct asked *o, int *argc, char ***argv)
{
	int ret = options_parse(&report_command, o, argc, argv);

	if (ret >= 0)
		return ret;
	o->question.filter.no_fold = o->question.no_fold;
	if (o->tsv && o->json)
		return usage_error("report", "--tsv and --json exclude each other");
	if (o->distributions && !o->tsv && !o->json)
		return usage_error("report", "--distributions needs --tsv or --json");
	if (o->heap && !heap_is_alone(o))
		return usage_error("report", "--heap shows no critical sections: it takes only "
					     "--top, --tsv, --json, --html, --jobs and options "
					     "of names");
	if (o->question.realtime && o->question.filter.cpus.given)
		return usage_error("report", "--rt and --cpu exclude each other: a task may run on "
				   "any CPU; --task selects tasks");
	set_defaults(&o->question);
	return symbols_options_check(&o->question.symbols, "report");
}

static int run_heap(const struct asked *o, char *const *dirs)
{
	const struct report_heap heap = {
		.asked = { .symbols = o->question.symbols, .top = o->question.top,
			   .jobs = o->question.jobs },
		.html = o->html, .tsv = o->tsv, .json = o->json,
	};

	return report_heap(&heap, dirs);
}

static int report_main(int argc, char **argv)
{
	struct asked o = { .question = {
		.top = 20,
		.sort = TABLE_COLUMNS,
		.n_longest = NOT_GIVEN,
	} };
	const struct report *r;
	int ret = parse_options(&o, &argc, &argv);

	if (ret < 0 && !outside_traces(o.html))
		ret = FT_EXIT_ERROR;
	if (ret < 0 && o.heap) {
		ret = run_heap(&o, argv);
	} else if (ret < 0) {
		o.question.series = o.html || o.distributions;
		r = report_read(&o.question, argv);
		ret = FT_EXIT_ERROR;
		if (r && !show(r, &o, argv))
			ret = flush_output(trace_status(&r->trace));
		report_free(r);
	}
	filter_options_exit(&o.question.filter);
	return ret;
}

const struct command report_command = {
	.name = "report",
	.about = "Analyses a trace: locks, distributions",
	.usage = "[OPTION]... TRACE...",
	.text = "Shows the critical sections of locks, of the kernel and of programs: how many,\n"
		"how long, how deeply nested; the call sites, locks and tasks with the longest\n"
		"total hold times; who waited for whom; the longest sections; and the order in\n"
		"which locks were taken.\n"
		"Reads the parts of a rotated recording, or their directory, as one trace.\n",
	.options = options,
	.notes = "Exit status: 0 all well, 1 error, 2 usage, 3 records were lost.\n",
	OPERAND_TRACES,
	.main = report_main,
};
