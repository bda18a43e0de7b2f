// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft dump: the records of a trace, a line each, in the order of time. */
#include <err.h>
#include <errno.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/filter.h"
#include "base/exit_status.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/usage.h"
#include "ft/commands.h"
#include "ft/dump_live.h"
#include "locks/reading.h"
#include "symbols/symbols.h"
#include "symbols/tasks.h"
#include "trace/trace.h"
#include "view/text/record_lines.h"

struct dump {
	struct trace		trace;
	struct symbols		*symbols;
	struct record_lines	lines;

	char		**patterns;	/* of events */
	size_t		n_patterns;
	bool		wanted[METADATA_CLASSES][FT_ID_MAX + 1];	/* by id */
	uint8_t		kinds[METADATA_CLASSES][FT_ID_MAX + 1];		/* the same */
	struct filter	filter;
	int		write_error;	/* errno of it, or 0 */
};

struct asked {
	struct dump		dump;
	struct symbols_options	symbols;
	struct filter_options	filter;
	bool			live;
};

static void dump_item(struct dump *d, const struct stream *s)
{
	const struct filter *f = &d->filter;
	uint64_t since = s->ts > d->trace.start ? s->ts : d->trace.start;

	if (s->item == STREAM_GAP && filter_at(f, since, s->cpu))
		record_lines_gap(&d->lines, s->ts, s->cpu, stream_lost(s));
	if (s->item == STREAM_RECORD && d->wanted[s->class][s->rec->id] &&
	    (!f->active || filter_record(f, s->ts, s->cpu, s->rec,
					 d->kinds[s->class][s->rec->id])))
		record_lines_put(&d->lines, s->ts, s->cpu, stream_event(&d->trace, s),
				 s->rec);
}

/* Return: 0, -1 the trace cannot be read */
static int dump_all(struct dump *d)
{
	struct reading reading;
	struct stream *s;

	if (reading_begin(&reading, &d->trace, NULL, stdout))
		return -1;
	record_lines_begin(&d->lines);
	while (!d->write_error && reading_next(&reading, &s)) {
		dump_item(d, s);
		if (ferror(stdout))
			d->write_error = errno;
	}
	return reading_end(&reading);
}

/* Choosing. */

static int no_such_event(const struct dump *d, const char *pattern)
{
	const struct event_types *types = d->trace.meta.events;
	const char **names, *near;
	unsigned int class;
	size_t n = 0;
	uint32_t id;

	names = mem_zalloc(types[0].n + types[1].n, sizeof(*names));
	for (class = 0; class < METADATA_CLASSES; class++) {
		for (id = 0; id < types[class].n; id++) {
			if (types[class].at[id])
				names[n++] = types[class].at[id]->name;
		}
	}
	near = nearest(pattern, names, n);
	warnx("%s: no event '%s' in this trace%s%s%s", d->trace.dir, pattern,
	      near ? "; do you mean '" : "", near ? near : "", near ? "'?" : "");
	free(names);
	return -1;
}

/* Return: is there one? */
static bool choose_pattern(struct dump *d, const char *pattern)
{
	const struct event_types *types = d->trace.meta.events;
	unsigned int class;
	bool any = false;
	uint32_t id;

	for (class = 0; class < METADATA_CLASSES; class++) {
		for (id = 0; id < types[class].n; id++) {
			if (!types[class].at[id] ||
			    fnmatch(pattern, types[class].at[id]->name, 0))
				continue;
			d->wanted[class][id] = any = true;
		}
	}
	return any;
}

static int choose_events(struct dump *d)
{
	size_t i;

	if (!d->n_patterns)
		memset(d->wanted, true, sizeof(d->wanted));
	for (i = 0; i < d->n_patterns; i++) {
		if (!choose_pattern(d, d->patterns[i]))
			return no_such_event(d, d->patterns[i]);
	}
	return 0;
}

/* Losses of a CPU that is not wanted are of no interest either. */
static void choose_cpus(struct dump *d)
{
	unsigned int i;

	for (i = 0; i < d->trace.n_streams; i++)
		d->trace.streams[i].skipped = !filter_cpu(&d->filter,
							  d->trace.streams[i].cpu);
}

static int choose_records(struct dump *d, const struct asked *o)
{
	struct names *names = names_open(d->trace.dir);
	int ret = filter_bind(&d->filter, &o->filter, &d->trace, d->symbols, names);

	names_free(names);
	locks_find_kinds(d->kinds, &d->trace.meta);
	choose_cpus(d);
	return ret;
}

static int take_events(void *to, const struct option_given *given)
{
	char *list = mem_strdup(given->value), *rest = list, *pattern;
	struct dump *d = to;

	while ((pattern = strsep(&rest, ","))) {
		d->patterns = mem_resize(d->patterns, d->n_patterns + 1, sizeof(*d->patterns));
		d->patterns[d->n_patterns++] = mem_strdup(pattern);
	}
	free(list);
	return -1;
}

static const struct option_row options[] = {
	{ 0, "live", NULL, "records of the kernel as they come, until Ctrl-C: turns on the "
	  "events named with -e, as 'ft enable' does; without -e those that are on already",
	  OPTION_FLAG(struct asked, live) },
	{ 'e', "event", "NAME", "only these events: names or patterns like 'spin_*', with commas "
	  "between them; may be given again", OPTION_CALL(struct asked, dump, take_events) },
	OPTION_GROUP(struct asked, dump.lines, record_lines_options),
	OPTION_GROUP(struct asked, symbols, symbols_option_table),
	OPTION_TITLE("Only records:"),
	OPTION_GROUP(struct asked, filter, filter_option_table),
	{ }
};

/* Return: -1 to go on, else the exit status */
static int parse_options(struct asked *o, int *argc, char ***argv)
{
	int ret = options_parse(&dump_command, o, argc, argv);

	if (ret < 0)
		ret = symbols_options_check(&o->symbols, "dump");
	if (ret >= 0)
		return ret;
	if (o->live && *argc)
		return usage_error("dump", "--live reads the running trace, not '%s'", **argv);
	if (!o->live && !*argc)
		return usage_error("dump", "which trace? Name its directory");
	if (o->live && (o->filter.has_from || o->filter.has_to))
		return usage_error("dump", "--from and --to select in a trace that is recorded: "
				   "--live has no end");
	if (o->dump.lines.raw)
		o->dump.lines.clock = RECORD_CLOCK_TICKS;
	return -1;
}

static int dump_run(struct dump *d, const struct asked *o)
{
	int ret;

	if (!d->lines.raw || o->filter.n_names)
		d->symbols = symbols_open(d->trace.dir, &o->symbols);
	if (choose_records(d, o) || choose_events(d))
		return FT_EXIT_ERROR;
	d->lines.trace = &d->trace;
	if (!d->lines.raw)
		d->lines.symbols = d->symbols;
	ret = dump_all(d) ? FT_EXIT_ERROR : trace_status(&d->trace);
	return output_finish(stdout, d->write_error, ret);
}

static int dump_main(int argc, char **argv)
{
	struct asked *o = mem_zalloc(1, sizeof(*o));
	struct dump *d = &o->dump;
	int ret;

	ret = parse_options(o, &argc, &argv);
	signal(SIGPIPE, SIG_IGN);
	if (ret < 0 && o->live) {
		ret = dump_live(&(struct dump_live){
			.lines = &d->lines, .patterns = d->patterns,
			.n_patterns = d->n_patterns, .filter = &o->filter,
			.symbols = o->symbols });
	} else if (ret < 0) {
		ret = FT_EXIT_ERROR;
		if (!trace_open(&d->trace, argv[0]))
			ret = dump_run(d, o);
		symbols_free(d->symbols);
		trace_close(&d->trace);
	}
	filter_exit(&d->filter);
	filter_options_exit(&o->filter);
	while (d->n_patterns)
		free(d->patterns[--d->n_patterns]);
	free(d->patterns);
	free(o);
	return ret;
}

const struct command dump_command = {
	.name = "dump",
	.about = "Prints the records of a trace",
	.usage = "[OPTION]... TRACE\n"
		 "--live [-e EVENT]... [OPTION]...",
	.text = "Prints the records of a trace in the order of time: when, how long after\n"
		"the line before, CPU (t0: the first ring of programs), context (t task,\n"
		"s softirq, h hardirq, n NMI), task, event and its two words.\n",
	.options = options,
	.notes = "Exit status: 0 all well, 1 error, 2 usage, 3 records were lost.\n",
	.complete = COMPLETE_DIRECTORY,
	.max = 1,
	.excess = "one trace at a time",
	.main = dump_main,
};
