// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The records of a trace, a line each, in the order of time. */
#include <err.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "locks/reading.h"
#include "symbols/symbols.h"
#include "symbols/tasks.h"
#include "trace/trace.h"
#include "view/text/dump.h"

struct dump {
	struct trace		trace;
	struct symbols		*symbols;
	struct record_lines	*lines;
	bool		wanted[METADATA_CLASSES][FT_ID_MAX + 1];	/* by id */
	uint8_t		kinds[METADATA_CLASSES][FT_ID_MAX + 1];		/* the same */
	struct filter	filter;
	int		write_error;	/* errno of it, or 0 */
};

static void dump_item(struct dump *d, const struct stream *s)
{
	const struct filter *f = &d->filter;
	uint64_t since = s->ts > d->trace.start ? s->ts : d->trace.start;

	if (s->item == STREAM_GAP && filter_at(f, since, s->cpu))
		record_lines_gap(d->lines, s->ts, s->cpu, stream_lost(s));
	if (s->item == STREAM_RECORD && d->wanted[s->class][s->rec->id] &&
	    (!f->active || filter_record(f, s->ts, s->cpu, s->rec,
					 d->kinds[s->class][s->rec->id])))
		record_lines_put(d->lines, s->ts, s->cpu, stream_event(&d->trace, s),
				 s->rec);
}

/* Return: 0, -1 the trace cannot be read */
static int dump_all(struct dump *d)
{
	struct reading reading;
	struct stream *s;

	if (reading_begin(&reading, &d->trace, NULL, stdout))
		return -1;
	record_lines_begin(d->lines);
	while (!d->write_error && reading_next(&reading, &s)) {
		dump_item(d, s);
		if (ferror(stdout))
			d->write_error = errno;
	}
	return reading_end(&reading);
}

static int no_such_event(const struct dump *d, const char *pattern)
{
	const struct event_types *types = d->trace.meta.events;
	char hint[NEAREST_HINT];
	const char **names;
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
	warnx("%s: no event '%s' in this trace%s", d->trace.title, pattern,
	      nearest_hint(hint, pattern, names, n));
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

static int choose_events(struct dump *d, const struct dump_question *q)
{
	size_t i;

	if (!q->n_patterns)
		memset(d->wanted, true, sizeof(d->wanted));
	for (i = 0; i < q->n_patterns; i++) {
		if (!choose_pattern(d, q->patterns[i]))
			return no_such_event(d, q->patterns[i]);
	}
	return 0;
}

/* Losses of other CPUs are left out, too. */
static void choose_cpus(struct dump *d)
{
	unsigned int i;

	for (i = 0; i < d->trace.n_streams; i++)
		d->trace.streams[i].skipped = !filter_cpu(&d->filter,
							  d->trace.streams[i].cpu);
}

static int choose_records(struct dump *d, const struct dump_question *q)
{
	struct names *names = names_open(d->trace.dir);
	int ret = filter_bind(&d->filter, &q->filter, &d->trace, d->symbols, names);

	names_free(names);
	locks_find_kinds(d->kinds, &d->trace.meta);
	choose_cpus(d);
	return ret;
}

static int dump_run(struct dump *d, const struct dump_question *q)
{
	int ret;

	if (!d->lines->raw || q->filter.n_names)
		d->symbols = symbols_open(d->trace.dir, &q->symbols);
	if (choose_records(d, q) || choose_events(d, q))
		return FT_EXIT_ERROR;
	d->lines->trace = &d->trace;
	if (!d->lines->raw)
		d->lines->symbols = d->symbols;
	ret = dump_all(d) ? FT_EXIT_ERROR : trace_status(&d->trace);
	return output_finish(stdout, d->write_error, ret);
}

int dump_trace(struct dump_question *q, char *const *dirs)
{
	struct dump *d = mem_zalloc(1, sizeof(*d));
	int ret = FT_EXIT_ERROR;

	d->lines = &q->lines;
	if (!trace_open(&d->trace, dirs))
		ret = dump_run(d, q);
	symbols_free(d->symbols);
	trace_close(&d->trace);
	filter_exit(&d->filter);
	free(d);
	return ret;
}

void dump_question_exit(struct dump_question *q)
{
	while (q->n_patterns)
		free(q->patterns[--q->n_patterns]);
	free(q->patterns);
	filter_options_exit(&q->filter);
}
