// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The selected records of a trace: see records.h. */
#include <err.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/records.h"
#include "base/exit_status.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "locks/locks.h"
#include "symbols/tasks.h"

static bool no_such_event(const struct trace *t, const char *pattern)
{
	const struct event_types *types = t->meta.events;
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
	warnx("%s: no event '%s' in this trace%s", t->title, pattern,
	      nearest_hint(hint, pattern, names, n));
	free(names);
	return false;
}

/* Return: is there one? */
static bool choose_pattern(struct records *r, const char *pattern)
{
	const struct event_types *types = r->trace.meta.events;
	unsigned int class;
	bool any = false;
	uint32_t id;

	for (class = 0; class < METADATA_CLASSES; class++) {
		for (id = 0; id < types[class].n; id++) {
			if (!types[class].at[id] ||
			    fnmatch(pattern, types[class].at[id]->name, 0))
				continue;
			r->wanted[class][id] = any = true;
		}
	}
	return any;
}

/* Return: false after a message. */
static bool choose_events(struct records *r, const struct records_question *q)
{
	size_t i;

	if (!q->n_patterns)
		memset(r->wanted, true, sizeof(r->wanted));
	for (i = 0; i < q->n_patterns; i++) {
		if (!choose_pattern(r, q->patterns[i]))
			return no_such_event(&r->trace, q->patterns[i]);
	}
	return true;
}

/* Leaves out losses of other CPUs, too. */
static void choose_cpus(struct records *r)
{
	unsigned int i;

	for (i = 0; i < r->trace.n_streams; i++)
		r->trace.streams[i].skipped = !filter_cpu(&r->filter, r->trace.streams[i].cpu);
}

/* Return: false after a message. */
static bool choose_records(struct records *r, const struct records_question *q)
{
	struct names *names = names_open(r->trace.dir);
	int ret = filter_bind(&r->filter, &q->filter, &r->trace, r->symbols, names);

	names_free(names);
	if (q->filter.has_from || q->filter.has_to)
		trace_only(&r->trace, r->filter.first, r->filter.end);
	locks_find_kinds(r->kinds, &r->trace.meta);
	choose_cpus(r);
	return !ret;
}

static void free_all(struct records *r)
{
	symbols_free(r->symbols);
	trace_close(&r->trace);
	crew_free(r->crew);
	filter_exit(&r->filter);
	free(r);
}

/* When it is known which streams are read. Return: 0, or -1 with a message */
static int begin(struct records *r, FILE *out)
{
	trace_read_ahead(&r->trace, r->crew);
	return reading_begin(&r->reading, &r->trace, NULL, out);
}

struct records *records_open(const struct records_question *q, char *const *dirs, FILE *out)
{
	struct records *r = mem_zalloc(1, sizeof(*r));

	if (!trace_open(&r->trace, dirs)) {
		r->crew = jobs_crew(&q->jobs, r->trace.size);
		if (q->named || q->filter.n_names)
			r->symbols = symbols_open(r->trace.dir, &q->symbols);
		if (r->crew)
			symbols_share(r->symbols);
		if (choose_records(r, q) && choose_events(r, q) && !begin(r, out))
			return r;
	}
	free_all(r);
	return NULL;
}

static bool is_selected(const struct records *r, const struct stream *s)
{
	uint64_t since = s->ts > r->trace.start ? s->ts : r->trace.start;

	if (s->item == STREAM_GAP)
		return filter_at(&r->filter, since, s->cpu);
	return s->item == STREAM_RECORD && r->wanted[s->class][s->rec->id] &&
	       (!r->filter.active || filter_record(&r->filter, s->ts, s->cpu, s->rec,
						   r->kinds[s->class][s->rec->id]));
}

bool records_next(struct records *r, struct stream **s)
{
	while (reading_next(&r->reading, s)) {
		if (is_selected(r, *s))
			return true;
	}
	return false;
}

void records_tell_unread(const struct records *r)
{
	const struct event_types *types = &r->trace.meta.events[0];

	for (uint32_t id = 0; id < types->n && id <= FT_ID_MAX; id++) {
		uint64_t unread = types->at[id] && r->wanted[0][id] ?
			metadata_unread(&r->trace.meta, types->at[id]) : 0;

		if (unread)
			warnx("%s: %s: %" PRIu64 " words could not be read, and are 0",
			      r->trace.title, types->at[id]->name, unread);
	}
}

int records_close(struct records *r)
{
	int status = FT_EXIT_ERROR;

	if (!r)
		return status;
	if (!reading_end(&r->reading))
		status = trace_status(&r->trace);
	free_all(r);
	return status;
}

void records_question_exit(struct records_question *q)
{
	while (q->n_patterns)
		free(q->patterns[--q->n_patterns]);
	free(q->patterns);
	filter_options_exit(&q->filter);
}
