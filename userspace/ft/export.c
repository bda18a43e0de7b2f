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
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/exit_status.h"
#include "base/file.h"
#include "base/usage.h"
#include "ft/commands.h"
#include "locks/reading.h"
#include "view/data/export.h"

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

struct asked {
	struct export		export;
	unsigned int		format;
	const char		*output;
	struct filter_options	filter;
	struct symbols_options	symbols;
};

static int export_run(struct export *x, const struct asked *o)
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

static const char *format_name(unsigned int i)
{
	return i < ARRAY_SIZE(formats) ? formats[i]->name : NULL;
}

static const struct option_row options[] = {
	{ 'f', "format", "FORMAT", "csv: a row a section, for R, pandas, a spreadsheet; chrome: "
	  "JSON for Perfetto (ui.perfetto.dev) and chrome://tracing, a track a CPU and a task",
	  OPTION_CHOICE(struct asked, format, format_name) },
	{ 'o', "output", "FILE", "write to FILE (default: standard output)",
	  OPTION_PATH(struct asked, output, COMPLETE_FILE) },
	OPTION_TITLE("Only sections that began:"),
	OPTION_GROUP(struct asked, filter, filter_option_table),
	OPTION_TITLE("Names:"),
	OPTION_GROUP(struct asked, symbols, symbols_option_table),
	{ }
};

static int export_main(int argc, char **argv)
{
	struct asked o = { .format = ARRAY_SIZE(formats) };
	struct export *x = &o.export;
	int ret = options_parse(&export_command, &o, &argc, &argv);

	if (ret < 0)
		ret = symbols_options_check(&o.symbols, "export");
	if (ret < 0 && o.format == ARRAY_SIZE(formats))
		ret = usage_error("export", "in which format? --format csv or chrome");
	if (ret < 0) {
		x->format = formats[o.format];
		signal(SIGPIPE, SIG_IGN);
		ret = FT_EXIT_ERROR;
		if (!trace_open(&x->trace, argv[0]))
			ret = export_run(x, &o);
		symbols_free(x->symbols);
		names_free(x->names);
		trace_close(&x->trace);
		map_free(&x->named);
	}
	filter_exit(&x->filter);
	filter_options_exit(&o.filter);
	return ret;
}

const struct command export_command = {
	.name = "export",
	.about = "Writes critical sections as CSV or for Perfetto",
	.usage = "-f FORMAT [OPTION]... TRACE",
	.text = "Writes the critical sections of a trace for other programs.\n",
	.options = options,
	.notes = "Sections come in the order of their ends.\n"
		 "\n"
		 "Exit status: 0 all well, 1 error, 2 usage, 3 records were lost.\n",
	OPERAND_TRACE,
	.main = export_main,
};
