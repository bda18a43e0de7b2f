// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft dump: the records of a trace, a line each, in the order of time. */
#include <err.h>
#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/number.h"
#include "base/usage.h"
#include "ft/commands.h"
#include "ft/dump_live.h"
#include "symbols/symbols.h"
#include "trace/merge.h"
#include "trace/trace.h"
#include "view/text/record_lines.h"

static const char help[] =
	"Usage: ft dump [OPTION]... TRACE\n"
	"       ft dump --live [-e EVENT]... [OPTION]...\n"
	"\n"
	"Prints the records of a trace in the order of time: when, how long after\n"
	"the line before, CPU (t0: the first ring of programs), context (t task,\n"
	"s softirq, h hardirq, n NMI), task, event and its two words.\n"
	"\n"
	"      --live           records of the kernel as they come, until Ctrl-C: turns\n"
	"                       on the events named with -e, as 'ft enable' does; without\n"
	"                       -e those that are on already\n"
	"  -c, --cpu N          only this CPU; may be given again\n"
	"  -e, --event NAME     only these events: names or patterns like 'spin_*',\n"
	"                       with commas between them; may be given again\n"
	RECORD_LINES_HELP
	SYMBOLS_HELP
	"      --tsv            tabs between columns, the first line names them\n"
	"      --help           show this text\n"
	"\n"
	"Exit status: 0 all well, 1 error, 2 usage, 3 records were lost.\n";

struct dump {
	struct trace		trace;
	struct symbols		*symbols;
	struct record_lines	lines;

	char		**patterns;	/* of events */
	size_t		n_patterns;
	uint32_t	*cpus;
	size_t		n_cpus;
	bool		wanted[METADATA_CLASSES][FT_ID_MAX + 1];	/* by id */
	bool		live;
	int		write_error;	/* errno of it, or 0 */
};

/* Return: 0 at the end, -1 the trace or the output fails */
static int dump_all(struct dump *d)
{
	struct record_lines *l = &d->lines;
	struct stream *s;
	struct merge m;
	int ret;

	if (merge_init(&m, &d->trace))
		return -1;
	record_lines_begin(l);
	while ((ret = merge_next(&m, &s)) > 0) {
		if (s->item == STREAM_GAP)
			record_lines_gap(l, s->ts, s->cpu, stream_lost(s));
		else if (s->item == STREAM_RECORD && d->wanted[s->class][s->rec->id])
			record_lines_put(l, s->ts, s->cpu, stream_event(&d->trace, s),
					 s->rec);
		else
			continue;
		if (ferror(stdout)) {
			d->write_error = errno;
			break;
		}
	}
	merge_exit(&m);
	return ret < 0 ? -1 : 0;
}

/* Choosing. */

static void add_patterns(struct dump *d, char *list)
{
	char *pattern;

	while ((pattern = strsep(&list, ","))) {
		d->patterns = mem_resize(d->patterns, d->n_patterns + 1,
					 sizeof(*d->patterns));
		d->patterns[d->n_patterns++] = pattern;
	}
}

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

static int choose_cpus(struct dump *d)
{
	unsigned int s;
	size_t i;

	for (s = 0; d->n_cpus && s < d->trace.n_streams; s++)
		d->trace.streams[s].skipped = true;
	for (i = 0; i < d->n_cpus; i++) {
		for (s = 0; s < d->trace.n_streams; s++) {
			if (d->trace.streams[s].cpu == d->cpus[i])
				break;
		}
		if (s == d->trace.n_streams) {
			warnx("%s: no CPU %u in this trace", d->trace.dir,
			      d->cpus[i]);
			return -1;
		}
		d->trace.streams[s].skipped = false;
	}
	return 0;
}

static int set_clock(struct dump *d, const char *name)
{
	if (!strcmp(name, "relative"))
		d->lines.clock = RECORD_CLOCK_RELATIVE;
	else if (!strcmp(name, "wall"))
		d->lines.clock = RECORD_CLOCK_WALL;
	else if (!strcmp(name, "ticks"))
		d->lines.clock = RECORD_CLOCK_TICKS;
	else
		return usage_error("dump", "--clock is neither relative, wall nor ticks: '%s'",
				   name);
	return -1;
}

static int add_cpu(struct dump *d, const char *text)
{
	uint64_t cpu;

	if (parse_u64(text, &cpu) || cpu > INT32_MAX)
		return usage_error("dump", "--cpu is not a number: '%s'", text);
	d->cpus = mem_resize(d->cpus, d->n_cpus + 1, sizeof(*d->cpus));
	d->cpus[d->n_cpus++] = (uint32_t)cpu;
	return -1;
}

/* Return: -1 to go on, else the exit status */
static int parse_option(struct dump *d, struct symbols_options *o, int c,
			char **argv)
{
	switch (c) {
	case 'c':
		return add_cpu(d, optarg);
	case 'e':
		add_patterns(d, optarg);
		return -1;
	case 'C':
		return set_clock(d, optarg);
	case 'l':
		d->live = true;
		return -1;
	case 'r':
		d->lines.raw = true;
		return -1;
	case 't':
		d->lines.tsv = true;
		return -1;
	case 'h':
		fputs(help, stdout);
		return flush_output(FT_EXIT_OK);
	default:
		if (!symbols_is_option(c))
			return usage_bad_option(c, argv);
		symbols_option(o, c, optarg);
		return -1;
	}
}

static int parse_options(struct dump *d, struct symbols_options *o, int argc,
			 char **argv)
{
	static const struct option longopts[] = {
		{ "cpu", required_argument, NULL, 'c' },
		{ "event", required_argument, NULL, 'e' },
		{ "clock", required_argument, NULL, 'C' },
		{ "live", no_argument, NULL, 'l' },
		{ "raw", no_argument, NULL, 'r' },
		SYMBOLS_LONGOPTS,
		{ "tsv", no_argument, NULL, 't' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	int c, ret = -1;

	while (ret < 0 &&
	       (c = getopt_long(argc, argv, ":c:e:h", longopts, NULL)) != -1)
		ret = parse_option(d, o, c, argv);
	if (ret < 0)
		ret = symbols_options_check(o, "dump");
	if (ret >= 0)
		return ret;
	if (d->live && optind < argc)
		return usage_error("dump", "--live reads the running trace, not '%s'",
				   argv[optind]);
	if (!d->live && optind == argc)
		return usage_error("dump", "which trace? Name its directory");
	if (optind + 1 < argc)
		return usage_error("dump", "one trace at a time: '%s' is too much",
				   argv[optind + 1]);
	if (d->lines.raw)
		d->lines.clock = RECORD_CLOCK_TICKS;
	return -1;
}

static int dump_run(struct dump *d, const struct symbols_options *o)
{
	int ret;

	if (choose_cpus(d) || choose_events(d))
		return FT_EXIT_ERROR;
	d->lines.trace = &d->trace;
	if (!d->lines.raw)
		d->lines.symbols = d->symbols = symbols_open(d->trace.dir, o);
	ret = dump_all(d) ? FT_EXIT_ERROR : trace_status(&d->trace);
	return output_finish(stdout, d->write_error, ret);
}

int dump_main(int argc, char **argv)
{
	struct dump *d = mem_zalloc(1, sizeof(*d));
	struct symbols_options o = { 0 };
	int ret;

	ret = parse_options(d, &o, argc, argv);
	signal(SIGPIPE, SIG_IGN);
	if (ret < 0 && d->live) {
		ret = dump_live(&(struct dump_live){
			.lines = &d->lines, .patterns = d->patterns,
			.n_patterns = d->n_patterns, .cpus = d->cpus,
			.n_cpus = d->n_cpus, .symbols = o });
	} else if (ret < 0) {
		ret = FT_EXIT_ERROR;
		if (!trace_open(&d->trace, argv[optind]))
			ret = dump_run(d, &o);
		symbols_free(d->symbols);
		trace_close(&d->trace);
	}
	free(d->patterns);
	free(d->cpus);
	free(d);
	return ret;
}
