// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ft export: critical sections for other programs.
 *
 * One pass; what is known at some moment is written at that moment, so sections
 * come in the order of their ends. Sorting them by their beginning would need
 * memory for all that lie within the longest.
 */
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/exit_status.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/usage.h"
#include "ft/commands.h"
#include "locks/reading.h"
#include "view/data/export.h"

static const char help[] =
	"Usage: ft export -f FORMAT [OPTION]... TRACE\n"
	"\n"
	"Writes the critical sections of a trace for other programs.\n"
	"\n"
	"  -f, --format FORMAT  csv: a row a section, for R, pandas, a spreadsheet;\n"
	"                       chrome: JSON for Perfetto (ui.perfetto.dev) and\n"
	"                       chrome://tracing, a track a CPU and a task\n"
	"  -o, --output FILE    write to FILE (default: standard output)\n"
	"\n"
	"Only sections that began:\n"
	FILTER_HELP
	"\n"
	"Names:\n"
	SYMBOLS_HELP
	"      --help           show this text\n"
	"\n"
	"Sections come in the order of their ends.\n"
	"\n"
	"Exit status: 0 all well, 1 error, 2 usage, 3 records were lost.\n";

static const struct export_format *const formats[] = {
	&export_csv, &export_chrome,
};

static void each_section(void *arg, const struct section *s)
{
	struct export *x = arg;

	if (!x->filter.active || filter_section(&x->filter, s))
		x->format->section(x, s);
}

static void each_item(struct export *x, const struct stream *s)
{
	const struct event_type *type;
	uint64_t ts = s->ts > x->trace.start ? s->ts : x->trace.start;

	if (s->item == STREAM_GAP) {
		if (x->format->gap && filter_at(&x->filter, ts, s->cpu))
			x->format->gap(x, ts, s);
	} else if (s->item == STREAM_RECORD && x->format->mark) {
		type = stream_event(&x->trace, s);
		if (type && !strcmp(type->name, "mark") &&
		    filter_at(&x->filter, ts, s->cpu))
			x->format->mark(x, s);
	}
}

/* *@error: errno of a write that failed, or 0. Return: 0, -1 the trace cannot be read */
static int export_all(struct export *x, int *error)
{
	struct locks *locks = locks_new(&x->trace, each_section, x);
	struct reading reading;
	struct stream *s;
	int ret = reading_begin(&reading, &x->trace, locks, x->out);

	if (!ret) {
		x->format->begin(x);
		while (!*error && reading_next(&reading, &s)) {
			locks_feed(locks, s);
			each_item(x, s);
			if (ferror(x->out))
				*error = errno;
		}
		ret = reading_end(&reading);
		locks_finish(locks);
		x->format->end(x);
	}
	locks_free(locks);
	return ret;
}

struct options {
	const char *output;
	struct filter_options filter;
	struct symbols_options symbols;
};

static int set_format(struct export *x, const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		if (!strcmp(name, formats[i]->name)) {
			x->format = formats[i];
			return -1;
		}
	}
	return usage_error("export", "--format is neither csv nor chrome: '%s'",
			   name);
}

/* Return: -1 to go on, else the exit status */
static int parse_option(struct export *x, struct options *o, int c, char **argv)
{
	switch (c) {
	case 'f':
		return set_format(x, optarg);
	case 'o':
		o->output = optarg;
		return -1;
	case 'h':
		fputs(help, stdout);
		return flush_output(FT_EXIT_OK);
	default:
		if (filter_is_option(c))
			return filter_option(&o->filter, "export", c, optarg);
		if (!symbols_is_option(c))
			return usage_bad_option(c, argv);
		symbols_option(&o->symbols, c, optarg);
		return -1;
	}
}

static int parse_options(struct export *x, struct options *o, int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "format", required_argument, NULL, 'f' },
		{ "output", required_argument, NULL, 'o' },
		FILTER_LONGOPTS,
		SYMBOLS_LONGOPTS,
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	int c, ret = -1;

	while (ret < 0 &&
	       (c = getopt_long(argc, argv, ":f:o:" FILTER_SHORTOPTS "h", longopts, NULL)) != -1)
		ret = parse_option(x, o, c, argv);
	if (ret < 0)
		ret = symbols_options_check(&o->symbols, "export");
	if (ret >= 0)
		return ret;
	if (!x->format)
		return usage_error("export", "in which format? --format csv or chrome");
	if (optind == argc)
		return usage_error("export", "which trace? Name its directory");
	if (optind + 1 < argc)
		return usage_error("export", "one trace at a time: '%s' is too much",
				   argv[optind + 1]);
	return -1;
}

static int export_run(struct export *x, const struct options *o)
{
	int error = 0, ret;

	x->symbols = symbols_open(x->trace.dir, &o->symbols);
	x->names = names_open(x->trace.dir);
	if (filter_bind(&x->filter, &o->filter, &x->trace, x->symbols, x->names))
		return FT_EXIT_ERROR;
	x->out = o->output ? fopen(o->output, "we") : stdout;
	if (!x->out) {
		warn("cannot write %s", o->output);
		return FT_EXIT_ERROR;
	}
	ret = export_all(x, &error) ? FT_EXIT_ERROR : trace_status(&x->trace);
	ret = output_finish(x->out, error, ret);
	if (o->output && fclose(x->out)) {
		warn("cannot write %s", o->output);
		ret = FT_EXIT_ERROR;
	}
	return ret;
}

int export_main(int argc, char **argv)
{
	struct export x = { 0 };
	struct options o = { 0 };
	int ret = parse_options(&x, &o, argc, argv);

	if (ret < 0) {
		signal(SIGPIPE, SIG_IGN);
		ret = FT_EXIT_ERROR;
		if (!trace_open(&x.trace, argv[optind]))
			ret = export_run(&x, &o);
		symbols_free(x.symbols);
		names_free(x.names);
		trace_close(&x.trace);
		map_free(&x.named);
	}
	filter_exit(&x.filter);
	filter_options_exit(&o.filter);
	return ret;
}
