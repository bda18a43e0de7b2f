// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The arguments of ft report. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/exit_status.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/number.h"
#include "base/usage.h"
#include "ft/report_options.h"

static const char help[] =
	"Usage: ft report [OPTION]... TRACE\n"
	"\n"
	"Shows the critical sections of the kernel's locks in a trace: how many,\n"
	"how long, how deeply nested, the call sites, locks and tasks where the most\n"
	"time was spent in them, who waited for whom, the longest of them, and in\n"
	"which order locks were taken.\n"
	"\n"
	"What is shown:\n"
	"  -n, --top N          show N rows of each table (default: 20; 0: all)\n"
	"      --sort COLUMN    order of the tables by site, lock and task: total (the\n"
	"                       default), count, min, mean, p50, p90, p99, p999, max,\n"
	"                       wait_total, wait_count, wait_mean, wait_p99, wait_max,\n"
	"                       family, address\n"
	"      --below US[,...] shares of sections shorter than that (default: 5,13)\n"
	"      --longest N      show the N longest sections (default: 10)\n"
	"      --internal       locks that sleeping locks take inside themselves count\n"
	"                       in the nesting depth\n"
	"      --balance        show acquisitions and releases per CPU\n"
	"\n"
	"Only sections that began:\n"
	FILTER_HELP
	"\n"
	"Names, and output:\n"
	SYMBOLS_HELP
	"      --debug PATH     debug information, for lines of source code: vmlinux,\n"
	"                       a module's .ko, or a directory with them\n"
	"      --tsv            a line a value: table, row, column, value\n"
	"      --json           the same as one JSON object\n"
	"      --distributions  with --tsv or --json: lengths, and rates over time, which\n"
	"                       'ft plot' draws\n"
	"      --html FILE      write a page with tables and figures to FILE\n"
	"      --help           show this text\n"
	"\n"
	"Exit status: 0 all well, 1 error, 2 usage, 3 records were lost.\n";

enum option_key {
	KEY_SORT = 0x300, KEY_BELOW, KEY_LONGEST, KEY_INTERNAL, KEY_BALANCE,
	KEY_DEBUG, KEY_TSV, KEY_JSON,
	KEY_HTML, KEY_DISTRIBUTIONS,
};

static const struct option longopts[] = {
	{ "top", required_argument, NULL, 'n' },
	{ "sort", required_argument, NULL, KEY_SORT },
	{ "below", required_argument, NULL, KEY_BELOW },
	{ "longest", required_argument, NULL, KEY_LONGEST },
	{ "internal", no_argument, NULL, KEY_INTERNAL },
	{ "balance", no_argument, NULL, KEY_BALANCE },
	FILTER_LONGOPTS,
	SYMBOLS_LONGOPTS,
	{ "debug", required_argument, NULL, KEY_DEBUG },
	{ "tsv", no_argument, NULL, KEY_TSV },
	{ "json", no_argument, NULL, KEY_JSON },
	{ "html", required_argument, NULL, KEY_HTML },
	{ "distributions", no_argument, NULL, KEY_DISTRIBUTIONS },
	{ "help", no_argument, NULL, 'h' },
	{ 0 }
};

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

static int parse_below(struct report_question *q, const char *list)
{
	char *copy = mem_strdup(list), *rest = copy, *part;
	int ret = 0;

	q->n_limits = 0;
	while (!ret && (part = strsep(&rest, ","))) {
		if (q->n_limits == REPORT_LIMITS)
			ret = usage_error("report", "--below takes at most %u limits",
					  REPORT_LIMITS);
		else if (parse_limit(part, &q->limit[q->n_limits++]))
			ret = usage_error("report", "--below is not a time in microseconds: '%s'",
					  part);
	}
	free(copy);
	return ret ? ret : -1;
}

/* A number of rows, of which 0 can stand for all. */
static int parse_number(const char *option, const char *text, bool zero_is_all,
			size_t *number)
{
	uint64_t n;

	if (parse_u64(text, &n))
		return usage_error("report", "--%s is not a number: '%s'",
				   option, text);
	*number = n || !zero_is_all ? n : SIZE_MAX;
	return -1;
}

static int parse_sort(struct report_question *q, const char *name)
{
	const char *names[TABLE_COLUMNS], *near;
	unsigned int i;

	q->sort = table_column(name);
	if (q->sort != TABLE_COLUMNS)
		return -1;
	for (i = 0; i < TABLE_COLUMNS; i++)
		names[i] = table_column_name(i);
	near = nearest(name, names, TABLE_COLUMNS);
	if (near)
		return usage_error("report", "--sort: no column '%s': '%s'?",
				   name, near);
	return usage_error("report", "--sort: no column '%s'", name);
}

static int parse_option(int c, char **argv, struct report_options *o)
{
	struct report_question *q = &o->question;

	switch (c) {
	case 'n':
		return parse_number("top", optarg, true, &q->top);
	case KEY_SORT:
		return parse_sort(q, optarg);
	case KEY_BELOW:
		return parse_below(q, optarg);
	case KEY_LONGEST:
		return parse_number("longest", optarg, false, &q->n_longest);
	case KEY_INTERNAL:
		q->internal = true;
		return -1;
	case KEY_BALANCE:
		o->balance = true;
		return -1;
	case KEY_DEBUG:
		q->debug = optarg;
		return -1;
	case KEY_TSV:
		o->tsv = true;
		return -1;
	case KEY_JSON:
		o->json = true;
		return -1;
	case KEY_HTML:
		o->html = optarg;
		return -1;
	case KEY_DISTRIBUTIONS:
		o->distributions = true;
		return -1;
	case 'h':
		fputs(help, stdout);
		return flush_output(FT_EXIT_OK);
	case '?':
	case ':':
		return usage_bad_option(c, argv);
	default:
		if (filter_is_option(c))
			return filter_option(&q->filter, "report", c, optarg);
		symbols_option(&q->symbols, c, optarg);
		return -1;
	}
}

static int check_options(const struct report_options *o)
{
	if (o->tsv && o->json)
		return usage_error("report", "--tsv and --json exclude each other");
	if (o->distributions && !o->tsv && !o->json)
		return usage_error("report", "--distributions needs --tsv or --json");
	return symbols_options_check(&o->question.symbols, "report");
}

int report_options(int argc, char **argv, struct report_options *o)
{
	struct report_question *q = &o->question;
	int c, ret = -1;

	q->top = 20;
	q->n_longest = 10;
	q->n_limits = 2;
	q->limit[0] = (struct report_limit){ .name = "5", .ns = 5000 };
	q->limit[1] = (struct report_limit){ .name = "13", .ns = 13000 };
	while (ret < 0 &&
	       (c = getopt_long(argc, argv, ":n:" FILTER_SHORTOPTS "h", longopts, NULL)) != -1)
		ret = parse_option(c, argv, o);
	if (ret < 0)
		ret = check_options(o);
	if (ret >= 0)
		return ret;
	if (optind == argc)
		return usage_error("report", "which trace? Name its directory");
	if (optind + 1 < argc)
		return usage_error("report", "one trace at a time: '%s' is too much",
				   argv[optind + 1]);
	return -1;
}
