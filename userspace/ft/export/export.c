// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ft export: critical sections for other programs.
 *
 * One pass: a section is written at its end, so they come in the order of their ends.
 * Sorting by the beginning would need memory for all sections within the longest.
 */
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/crew/jobs.h"
#include "base/exit_status.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/message.h"
#include "base/usage.h"
#include "ft/commands.h"
#include "ft/export/clickhouse.h"
#include "ft/export/folded.h"
#include "ft/export/heap.h"
#include "ft/export/rows.h"
#include "ft/export/threads.h"
#include "libfttrace/handle.h"
#include "packed/pack.h"
#include "trace/convert.h"
#include "trace/outside.h"
#include "trace/progress.h"
#include "view/data/export.h"

static const struct export_format *const formats[] = {
	&export_csv, &export_chrome,
};

/* Return: errno of a failed write, or 0 */
static int put_section(struct export *x, struct export_rows *rows, const struct section *section)
{
	if (rows)
		return export_rows_put(rows, section);
	if (x->format->apart)
		x->class = class_index_known(x->classes, section->lock);
	x->format->section(x, section);
	return 0;
}

/* Return: the same */
static int each_item(struct export *x, struct export_rows *rows, const struct filter *f,
		     const struct ft_reader_item *item)
{
	uint32_t stream = item->ring >= 0 ? TRACE_THREADS + (uint32_t)item->ring :
					    (uint32_t)item->cpu;
	const struct section *section;

	if (item->kind == FT_READER_SECTIONS) {
		section = reader_section(x->reader);
		if (!f->active || filter_section(f, section))
			return put_section(x, rows, section);
	} else if (!filter_at(f, item->time, stream)) {
		return 0;
	} else if (item->kind == FT_READER_GAPS) {
		x->format->gap(x, item);
	} else if (item->record.event && !strcmp(item->record.event->name, "mark")) {
		x->format->mark(x, item);
	}
	return 0;
}

/* *@error: errno of a write that failed, or 0. Return: the exit status */
static int export_all(struct export *x, char *const *dirs, const struct filter *f,
		      struct crew *crew, int *error)
{
	struct export_rows *rows = NULL;
	const struct ft_reader_item *item;
	int ret = 1;

	reading_progress(&x->reader->reading, x->out);
	x->format->begin(x);
	if (crew && x->format->apart)
		rows = export_rows_new(x, crew);
	while (!*error && (ret = ft_reader_next(x->reader, &item)) > 0) {
		*error = each_item(x, rows, f, item);
		if (ferror(x->out) && !*error)
			*error = errno;
	}
	*error = export_rows_end(rows, *error);
	if (*error && x->reader->reading.shown)
		progress_end();
	if (!*error && ret >= 0 && x->format->threads)
		ret = export_threads(x, dirs, f);
	if (ferror(x->out) && !*error)
		*error = errno;
	x->format->end(x);
	message_lines(ft_reader_notes(x->reader));
	if (ret < 0 && ret != -EBADMSG)		/* that is among the notes */
		message_lines(ft_reader_error(x->reader));
	return ret < 0 ? FT_EXIT_ERROR : trace_status(x->trace);
}

/* Behind the formats that are written section by section. */
#define FOLDED	ARRAY_SIZE(formats)
#define CTF	(FOLDED + 1)
#define COMPRESSED (FOLDED + 2)
#define CLICKHOUSE (FOLDED + 3)
#define NONE	(FOLDED + 4)

struct asked {
	struct export		export;
	unsigned int		format;
	unsigned int		of;		/* enum stack_value; STACK_VALUES: not given */
	unsigned int		table, schema;	/* of export_clickhouse.h */
	bool			heap;		/* instead of sections */
	const char		*output;
	struct filter_options	filter;
	struct symbols_options	symbols;
	struct jobs		jobs;
};

static int export_run(struct export *x, char *const *dirs, struct filter *f,
		      const struct asked *o, struct crew *crew)
{
	int error = 0, ret;

	trace_read_ahead(&x->reader->trace, crew);
	x->symbols = symbols_open(x->trace->dir, &o->symbols);
	if (crew)
		symbols_share(x->symbols);
	x->classes = class_index_new(x->symbols);
	x->names = names_open(x->trace->dir);
	if (filter_bind(f, &o->filter, x->trace, x->symbols, x->names))
		return FT_EXIT_ERROR;
	x->out = o->output ? fopen(o->output, "we") : stdout;
	if (!x->out) {
		warn("cannot write %s", o->output);
		return FT_EXIT_ERROR;
	}
	ret = export_all(x, dirs, f, crew, &error);
	ret = output_finish(x->out, error, ret);
	if (o->output && fclose(x->out)) {
		warn("cannot write %s", o->output);
		ret = FT_EXIT_ERROR;
	}
	return ret;
}

static int export_open(struct export *x, char *const *dirs)
{
	unsigned int kinds = FT_READER_SECTIONS;

	if (x->format->gap)
		kinds |= FT_READER_GAPS;
	if (x->format->mark)
		kinds |= FT_READER_RECORDS;
	trace_allow_files(UINT16_MAX);
	x->reader = mem_check(ft_reader_new());
	if (reader_open(x->reader, dirs, kinds)) {
		message_lines(ft_reader_error(x->reader));
		return -1;
	}
	x->trace = &x->reader->trace;
	return 0;
}

static const char *format_name(unsigned int i)
{
	static const char *const others[] = { "folded", "ctf", "compressed", "clickhouse" };

	if (i < FOLDED)
		return formats[i]->name;
	return i < NONE ? others[i - FOLDED] : NULL;
}

static const struct option_row options[] = {
	{ 'f', "format", "FORMAT", "csv: a row for each section, for R, pandas, a spreadsheet; "
	  "chrome: JSON for Perfetto (ui.perfetto.dev) and chrome://tracing, a track for each CPU "
	  "and each task; folded: a line for each path of functions, for flame graphs; "
	  "ctf: the whole trace, plain; compressed: the whole trace, compressed; "
	  "clickhouse: rows of tables, for many traces in a server, see --schema",
	  OPTION_CHOICE(struct asked, format, format_name) },
	{ 0, "of", "WHAT", "with folded: sum up hold (the default) or wait",
	  OPTION_CHOICE(struct asked, of, stack_paths_name) },
	{ 0, "table", "NAME", "with clickhouse: only this table: sections, waits, records or trace",
	  OPTION_CHOICE(struct asked, table, export_table_name) },
	{ 0, "schema", "SERVER", "print the statements that make the tables: clickhouse, or "
	  "clickhouse-18 for servers that lack DateTime64 and LowCardinality",
	  OPTION_CHOICE(struct asked, schema, export_schema_name) },
	{ 0, "heap", NULL, "with csv: a row for each allocation and each release that 'ft run "
			   "--heap' has recorded, instead of sections",
	  OPTION_FLAG(struct asked, heap) },
	{ 'o', "output", "FILE", "write to FILE (default: standard output); with ctf, "
				 "compressed, and clickhouse without --table: the new directory",
	  OPTION_PATH(struct asked, output, COMPLETE_FILE) },
	OPTION_GROUP(struct asked, jobs, jobs_options),
	OPTION_TITLE("Only sections that began:"),
	OPTION_GROUP(struct asked, filter, filter_option_table),
	OPTION_TITLE("Names:"),
	OPTION_GROUP(struct asked, symbols, symbols_option_table),
	{ }
};

static int run_folded(const struct asked *o, char *const *dirs)
{
	const struct folded_asked asked = {
		.output = o->output, .of = o->of == STACK_VALUES ? STACK_HOLD : o->of,
		.filter = o->filter, .symbols = o->symbols, .jobs = o->jobs,
	};

	return export_folded(&asked, dirs);
}

static int run_clickhouse(const struct asked *o, char *const *dirs)
{
	const struct clickhouse_asked asked = {
		.dirs = dirs, .table = o->table, .output = o->output,
		.source = { .filter = &o->filter, .symbols = &o->symbols, .jobs = &o->jobs },
	};

	return clickhouse_export(&asked);
}

static int run_heap(const struct asked *o, char *const *dirs)
{
	const struct heap_asked asked = { .symbols = o->symbols, .jobs = o->jobs };

	return export_heap(&asked, o->output, dirs);
}

static int run_sections(struct asked *o, char *const *dirs)
{
	struct export *x = &o->export;
	struct filter f = { 0 };
	struct crew *crew = NULL;
	int ret = FT_EXIT_ERROR;

	x->format = formats[o->format];
	if (!export_open(x, dirs)) {
		crew = jobs_crew(&o->jobs, x->trace->size);
		ret = export_run(x, dirs, &f, o, crew);
	}
	class_index_free(x->classes);
	symbols_free(x->symbols);
	names_free(x->names);
	ft_reader_free(x->reader);
	crew_free(crew);
	map_free(&x->named);
	filter_exit(&f);
	return ret;
}

/* Return: -1 to go on, else the exit status */
static int check_options(const struct asked *o, int operands)
{
	bool whole = o->format == CTF || o->format == COMPRESSED;

	if (!operands)
		return usage_error("export", "which trace? Name its directory");
	if (o->format == NONE)
		return usage_error("export", "in which format? --format csv, chrome, folded, ctf, "
				   "compressed or clickhouse");
	if (o->of != STACK_VALUES && o->format != FOLDED)
		return usage_error("export", "--of is for --format folded");
	if (o->table != export_table_none() && o->format != CLICKHOUSE)
		return usage_error("export", "--table is for --format clickhouse");
	if (o->format == CLICKHOUSE && o->table == export_table_none() && !o->output)
		return usage_error("export", "which table? --table NAME; or all: -o DIR is their new directory");
	if (o->heap && (o->format >= FOLDED || formats[o->format] != &export_csv ||
			filter_options_any(&o->filter)))
		return usage_error("export", "--heap is for --format csv, without filters");
	if (whole && !o->output)
		return usage_error("export", "where to? -o DIR is the directory of the new trace");
	if (whole && operands != 1)
		return usage_error("export", "--format %s copies one trace at a time",
				   format_name(o->format));
	if (whole && filter_options_any(&o->filter))
		return usage_error("export", "--format %s copies the whole trace: it has no filters",
				   format_name(o->format));
	return -1;
}

static int run(struct asked *o, char *const *dirs)
{
	signal(SIGPIPE, SIG_IGN);
	if (o->format == CTF || o->format == COMPRESSED)
		return convert_trace(dirs[0], o->output, o->format == CTF ? 0 : PACKED_LEVEL,
				     &o->jobs);
	if (!outside_traces(o->output))
		return FT_EXIT_ERROR;
	if (o->format == CLICKHOUSE)
		return run_clickhouse(o, dirs);
	if (o->heap)
		return run_heap(o, dirs);
	return o->format == FOLDED ? run_folded(o, dirs) : run_sections(o, dirs);
}

static int export_main(int argc, char **argv)
{
	struct asked o = {
		.format = NONE, .of = STACK_VALUES, .schema = SCHEMA_NONE,
		.table = export_table_none(),
	};
	int ret = options_parse(&export_command, &o, &argc, &argv);

	if (ret < 0)
		ret = symbols_options_check(&o.symbols, "export");
	if (ret < 0 && o.schema != SCHEMA_NONE)
		ret = export_schema(o.schema);
	if (ret < 0)
		ret = check_options(&o, argc);
	if (ret < 0)
		ret = run(&o, argv);
	filter_options_exit(&o.filter);
	return ret;
}

const struct command export_command = {
	.name = "export",
	.about = "Writes critical sections as CSV, for Perfetto, for flame graphs; or the trace",
	.usage = "-f FORMAT [OPTION]... TRACE...\n"
		 "--schema SERVER",
	.text = "Writes the critical sections of a trace for other programs.\n"
		"Reads the parts of a rotated recording, or their directory, as one trace.\n"
		"Or copies the trace, compressed or plain: no record changes.\n",
	.options = options,
	.notes = "Sections come in the order of their ends.\n"
		 "\n"
		 "Exit status: 0 all well, 1 error, 2 usage, 3 records were lost.\n",
	.complete = COMPLETE_DIRECTORY,
	.max = OPERANDS_ANY,
	.main = export_main,
};
