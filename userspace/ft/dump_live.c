// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft dump --live: turn events on, print what comes, turn them off. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/end_signals.h"
#include "base/exit_status.h"
#include "base/file.h"
#include "base/mem.h"
#include "control/config.h"
#include "control/device.h"
#include "control/events.h"
#include "ft/dump_live.h"
#include "record/kernel/live.h"

#define ROUND_NS	100000000	/* between two looks at the rings */
#define DRAIN_ROUNDS	20		/* of a trace that others keep on */

struct live_dump {
	struct dump_question	*asked;
	struct trace		trace;		/* its clock and events; no files */
	struct symbols		*symbols;
	uint8_t			kinds[METADATA_CLASSES][FT_ID_MAX + 1];
	struct filter		filter;
	struct events		events;
	struct live		live;
	int			control;	/* to close it turns our events off */
	uint64_t		told;		/* lost records that were shown */
	bool			began;
	int			write_error;	/* errno of it, or 0 */
};

static bool load_trace(struct live_dump *s)
{
	char *text;
	ssize_t len = device_read_meta(-1, &text);
	int ret;

	if (len < 0)
		return false;
	s->trace.title = (char *)DEVICE_META;
	ret = metadata_parse(&s->trace.meta, text, (size_t)len, DEVICE_META);
	free(text);
	return !ret;
}

static bool bind_filter(struct live_dump *s)
{
	const struct filter_options *o = &s->asked->records.filter;

	if (!s->asked->lines.raw || o->n_names)
		s->symbols = symbols_open_live(&s->asked->records.symbols);
	locks_find_kinds(s->kinds, &s->trace.meta);
	return !filter_bind(&s->filter, o, &s->trace, s->symbols, NULL);
}

static bool turn_on(struct live_dump *s, const struct ft_info *info)
{
	const struct records_question *d = &s->asked->records;
	size_t i;

	if (!d->n_patterns && !info->active) {
		warnx("no event is on: name some, as -e 'spin_*'; to see all: ft list");
		return false;
	}
	if (!d->n_patterns)
		return true;
	if (!events_load(&s->events, s->control))
		return false;
	for (i = 0; i < d->n_patterns; i++) {
		if (!events_choose(&s->events, d->patterns[i], info))
			return false;
	}
	return events_enable(&s->events, s->control, 0);
}

static bool open_rings(struct live_dump *s, unsigned int cpus)
{
	const struct records_question *d = &s->asked->records;
	struct ft_config config;
	bool *only;
	unsigned int i;
	int ret;

	if (!config_get(s->control, &config))
		return false;
	if (filter_last_cpu(&d->filter) >= cpus) {
		warnx("no CPU %" PRIu64 " on this machine", filter_last_cpu(&d->filter));
		return false;
	}
	only = mem_zalloc(cpus, sizeof(*only));
	for (i = 0; i < cpus; i++)
		only[i] = filter_cpu(&s->filter, i);
	ret = live_open(&s->live, cpus, only, config.wake_us);
	free(only);
	return !ret;
}

/* Other programs may have turned on more events of the same trace. */
static bool is_wanted(const struct live_dump *s, uint16_t id)
{
	ssize_t at = events_find(&s->events, id);

	return !s->asked->records.n_patterns || (at >= 0 && s->events.chosen[at]);
}

static void print(struct live_dump *s, const struct live_record *r)
{
	struct record_lines *lines = &s->asked->lines;
	const struct ft_record *rec = &r->record;

	if (!s->began && rec->id)
		s->trace.start = rec->ts;
	s->began |= rec->id;
	if (r->gap)
		record_lines_gap(lines, rec->ts, r->cpu, r->lost);
	if (rec->id && is_wanted(s, rec->id) &&
	    filter_record(&s->filter, rec->ts, r->cpu, rec, s->kinds[0][rec->id]))
		record_lines_put(lines, rec->ts, r->cpu,
				 metadata_event(&s->trace.meta, 0, rec->id), rec);
}

/*
 * Reports words of the shown events that could not be read since this began; says nothing if
 * another trace has begun meanwhile.
 */
static void tell_unread(const struct live_dump *s)
{
	const struct event_types *types = &s->trace.meta.events[0];
	struct metadata now = { 0 };
	char *text;
	ssize_t len = device_read_meta(-1, &text);
	bool ok;

	if (len < 0)
		return;
	ok = !metadata_parse(&now, text, (size_t)len, DEVICE_META) &&
	     !memcmp(now.uuid, s->trace.meta.uuid, sizeof(now.uuid));
	for (uint32_t id = 0; ok && id < types->n && id <= FT_ID_MAX; id++) {
		uint64_t unread = types->at[id] && is_wanted(s, (uint16_t)id) ?
			metadata_unread(&now, types->at[id]) -
			metadata_unread(&s->trace.meta, types->at[id]) : 0;

		if (unread)
			warnx("%s: %" PRIu64 " words could not be read, and are 0",
			      types->at[id]->name, unread);
	}
	metadata_free(&now);
	free(text);
}

/* Return: 1; 0 the trace has ended, or nobody reads any more; -1 after a message */
static int go_round(struct live_dump *s, bool all)
{
	const struct live_record *r;
	int ret = live_read(&s->live, all);

	while (ret >= 0 && (r = live_next(&s->live)))
		print(s, r);
	if (fflush(stdout) || ferror(stdout)) {
		s->write_error = errno;
		return 0;
	}
	return ret;
}

/* Return: false after a message */
static bool follow(struct live_dump *s)
{
	static const struct timespec pause = { .tv_nsec = ROUND_NS };
	unsigned int left = DRAIN_ROUNDS;
	int ret;

	record_lines_begin(&s->asked->lines);
	while ((ret = go_round(s, false)) > 0 && !end_signals_came())
		nanosleep(&pause, NULL);
	if (ret <= 0)
		return !ret;
	close(s->control);
	s->control = -1;
	while ((ret = go_round(s, left == 1)) > 0 && --left)
		nanosleep(&pause, NULL);
	return ret >= 0;
}

static int run(struct live_dump *s)
{
	struct ft_info info;

	s->control = device_open_control(&info);
	if (s->control < 0)
		return FT_EXIT_ERROR;
	/* Until records come a signal ends ft at once, which turns the events off. */
	if (!turn_on(s, &info) || !load_trace(s) || !bind_filter(s) ||
	    !open_rings(s, info.cpus))
		return FT_EXIT_ERROR;
	end_signals_catch();
	s->asked->lines.out = stdout;
	s->asked->lines.trace = &s->trace;
	if (!s->asked->lines.raw)
		s->asked->lines.symbols = s->symbols;
	if (!follow(s))
		return FT_EXIT_ERROR;
	tell_unread(s);
	if (!live_lost(&s->live))
		return FT_EXIT_OK;
	warnx("LOST %llu records: larger rings lose less (ft config slots=N), "
	      "and fewer events", (unsigned long long)live_lost(&s->live));
	return FT_EXIT_LOST;
}

int dump_live(struct dump_question *q)
{
	struct live_dump s = { .asked = q, .control = -1 };
	int ret = run(&s);

	if (s.control >= 0)
		close(s.control);
	live_close(&s.live);
	events_free(&s.events);
	filter_exit(&s.filter);
	symbols_free(s.symbols);
	metadata_free(&s.trace.meta);
	return output_finish(stdout, s.write_error, ret);
}
