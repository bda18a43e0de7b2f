// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft compare: its options, and the order of things. */
#include <err.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>

#include "base/exit_status.h"
#include "base/file.h"
#include "base/number.h"
#include "base/output.h"
#include "base/usage.h"
#include "ft/commands.h"
#include "view/compare_views.h"

static const char help[] =
	"Usage: ft compare [OPTION]... A B [C]...\n"
	"\n"
	"Shows the critical sections of two or more traces side by side, what is\n"
	"different from the first one, by how much, and whether that is a change\n"
	"or what the traces vary by themselves.\n"
	"\n"
	"  -n, --top N          show N call sites (default: 20; 0: all)\n"
	"      --limit PERCENT  call a difference a change from here on (default: 10)\n"
	"      --html FILE      write a page with tables and figures to FILE\n"
	"      --tsv            a line a value: table, row, trace, column, value\n"
	"      --json           the same as an object\n"
	"      --help           show this text\n"
	"\n"
	"Only sections that began:\n"
	FILTER_HELP
	"\n"
	"Exit status: 0 all well, 1 error, 2 usage, 3 records were lost.\n";

struct options {
	struct compare_question	question;
	enum output_format	format;
	const char		*html;
};

/* Return: -1 to go on, else the exit status */
static int apply_option(struct options *o, int opt, char **argv)
{
	double percent;
	uint64_t n;

	switch (opt) {
	case 'n':
		if (parse_u64(optarg, &n))
			return usage_error("compare", "--top is not a number: '%s'",
					   optarg);
		o->question.top = n ? n : SIZE_MAX;
		return -1;
	case 'l':
		if (parse_seconds(optarg, &percent))
			return usage_error("compare", "--limit is not a number of "
					   "percent above 0: '%s'", optarg);
		o->question.limit = percent / 100;
		return -1;
	case 'H':
		o->html = optarg;
		return -1;
	case 't':
		o->format = OUTPUT_TSV;
		return -1;
	case 'j':
		o->format = OUTPUT_JSON;
		return -1;
	case 'h':
		fputs(help, stdout);
		return flush_output(FT_EXIT_OK);
	default:
		if (filter_is_option(opt))
			return filter_option(&o->question.filter, "compare", opt, optarg);
		return usage_bad_option(opt, argv);
	}
}

/* Return: -1 to go on, else the exit status */
static int parse_options(int argc, char **argv, struct options *o)
{
	static const struct option longopts[] = {
		{ "top", required_argument, NULL, 'n' },
		{ "limit", required_argument, NULL, 'l' },
		{ "html", required_argument, NULL, 'H' },
		{ "tsv", no_argument, NULL, 't' },
		{ "json", no_argument, NULL, 'j' },
		FILTER_LONGOPTS,
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	int opt, ret;

	while ((opt = getopt_long(argc, argv, ":n:" FILTER_SHORTOPTS "h", longopts, NULL)) != -1) {
		ret = apply_option(o, opt, argv);
		if (ret >= 0)
			return ret;
	}
	if (argc - optind < 2)
		return usage_error("compare", "two traces at least: name their "
				   "directories");
	if (argc - optind > COMPARE_TRACES)
		return usage_error("compare", "%d traces at most: '%s' is too much",
				   COMPARE_TRACES, argv[optind + COMPARE_TRACES]);
	return -1;
}

static int show(const struct compare *c, const struct options *o)
{
	int status = compare_lost(c) ? FT_EXIT_LOST : FT_EXIT_OK;
	unsigned int i;

	for (i = 0; i < c->n; i++) {
		if (trace_status(&c->trace[i].trace) == FT_EXIT_ERROR)
			status = FT_EXIT_ERROR;
	}

	if (o->html && compare_html(c, o->html))
		return FT_EXIT_ERROR;
	if (o->format == OUTPUT_TSV)
		compare_tsv(c);
	else if (o->format == OUTPUT_JSON)
		compare_json(c);
	else if (!o->html)
		compare_text(c);
	return flush_output(status);
}

int compare_main(int argc, char **argv)
{
	struct options o = {
		.question = { .top = 20, .limit = 0.1 },
		.format = OUTPUT_TEXT,
	};
	const struct compare *c;
	int ret = parse_options(argc, argv, &o);

	if (ret < 0) {
		c = compare_read(&o.question, argv + optind, (unsigned int)(argc - optind));
		ret = c ? show(c, &o) : FT_EXIT_ERROR;
		compare_free(c);
	}
	filter_options_exit(&o.question.filter);
	return ret;
}
