// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The events of a running program, while it is held. This changes its triggers as the
 * library does in apply() (libfeathertrace/trigger.c).
 */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <feather_trace/trigger.h>

#include "base/nearest.h"
#include "libfeathertrace/notes.h"
#include "libfeathertrace/process.h"
#include "process/target.h"

#define MAX_EVENTS	65536u

/* --- reading -------------------------------------------------------------- */

static bool read_event(struct target *t, uint64_t at, uint64_t *next)
{
	struct target_event *events, *e;
	struct ft_event event;
	char name[FT_NAME_LEN + 1] = "";

	if (target_read(t, at, &event, sizeof(event)))
		return false;
	/* byte by byte: it may end where the mapping ends */
	for (size_t i = 0; i < FT_NAME_LEN; i++) {
		if (target_read(t, (uintptr_t)event.name + i, name + i, 1))
			return false;
		if (!name[i])
			break;
	}
	events = realloc(t->events, (t->n_events + 1) * sizeof(*events));
	if (!events)
		return false;
	t->events = events;
	e = &events[t->n_events++];
	*e = (struct target_event){ .at = at, .id = event.id, .on = event.on };
	memcpy(e->name, name, FT_NAME_LEN - 1);
	*next = (uintptr_t)event.next;
	return true;
}

static bool read_events(struct target *t)
{
	uint64_t at;

	t->n_events = 0;
	if (target_read(t, t->remote.events_at, &at, sizeof(at)))
		return false;
	while (at && t->n_events < MAX_EVENTS) {
		if (!read_event(t, at, &at))
			return false;
	}
	return true;
}

static struct target_event *find_event(const struct target *t, uint64_t at)
{
	for (size_t i = 0; i < t->n_events; i++) {
		if (t->events[i].at == at)
			return &t->events[i];
	}
	return NULL;
}

/* Calls @each for every trigger, until it returns an error. Return: that, or 0. */
static int each_trigger(struct target *t,
			int (*each)(struct target *t, uint64_t code,
				    struct target_event *event, unsigned int id))
{
	int ret = 0;

	for (size_t i = 0; i < t->n_tables && !ret; i++) {
		const struct target_table *table = &t->tables[i];
		size_t size = table->n * sizeof(struct ft_trigger);
		struct ft_trigger *triggers = malloc(size + 1);

		ret = triggers ? target_read(t, table->at, triggers, size) :
				 -ENOMEM;
		for (size_t k = 0; k < table->n && !ret; k++) {
			const struct ft_trigger *g = &triggers[k];
			uint64_t at = table->at + k * sizeof(*g);
			uint64_t event = at + offsetof(struct ft_trigger, event) +
					 (uint64_t)(int64_t)g->event;

			ret = each(t, at + (uint64_t)(int64_t)g->code,
				   g->event ? find_event(t, event) : NULL, g->id);
		}
		free(triggers);
	}
	return ret;
}

static int count_trigger(struct target *t, uint64_t code,
			 struct target_event *event, unsigned int id)
{
	(void)t;
	(void)code;
	(void)id;
	if (event)
		event->triggers++;
	return 0;
}

bool target_look(struct target *t)
{
	if (!target_files(t))
		return false;
	if (target_read(t, t->remote_at, &t->remote, sizeof(t->remote)))
		goto err;
	if (t->remote.version != FT_REMOTE_VERSION) {
		warnx("process %d has another version of libfeathertrace than this ft",
		      t->pid);
		return false;
	}
	t->remote.patterns[sizeof(t->remote.patterns) - 1] = '\0';
	t->remote.session[sizeof(t->remote.session) - 1] = '\0';
	if (!target_read(t, t->remote.wanted_at, t->wanted, sizeof(t->wanted)) &&
	    read_events(t) && !each_trigger(t, count_trigger))
		return true;
err:
	warnx("cannot read the events of process %d", t->pid);
	return false;
}

bool target_has(const struct target *t, const char *pattern)
{
	char hint[NEAREST_HINT] = "";
	const char **names;

	for (size_t i = 0; i < t->n_events; i++) {
		if (!fnmatch(pattern, t->events[i].name, 0) ||
		    ft_is_number(pattern, t->events[i].id))
			return true;
	}
	if (!t->n_events) {
		warnx("process %d has no events", t->pid);
		return false;
	}
	names = calloc(t->n_events, sizeof(*names));
	for (size_t i = 0; names && i < t->n_events; i++)
		names[i] = t->events[i].name;
	if (names)
		nearest_hint(hint, pattern, names, t->n_events);
	warnx("process %d has no event '%s'%s; to see all: ft list --pid %d", t->pid, pattern,
	      hint, t->pid);
	free(names);
	return false;
}

/* The path has its number; check that it leads to a session. */
pid_t target_recorder(const struct target *t)
{
	static const char memory[] = "/memfd:" FT_SESSION_MEMORY;
	char link[64] = "";
	int pid;

	if (sscanf(t->remote.session, "/proc/%d/fd/", &pid) != 1 ||
	    readlink(t->remote.session, link, sizeof(link) - 1) < 0 ||
	    strncmp(link, memory, sizeof(memory) - 1))
		return 0;
	return (pid_t)pid;
}

/* --- changing ------------------------------------------------------------- */

static bool wants(const struct target *t, const char *name, unsigned int id)
{
	return ft_is_wanted(t->wanted, t->remote.patterns, name, id);
}

static int changed;

/* One byte; all threads are stopped. */
static int set_trigger(struct target *t, uint64_t code,
		       struct target_event *event, unsigned int id)
{
	unsigned char opcode, value;
	int ret;

	ret = target_read(t, code, &opcode, sizeof(opcode));
	if (ret)
		return ret;
	if (opcode != FT_TRIGGER_OFF && opcode != FT_TRIGGER_ON)
		return -EILSEQ;
	value = (event ? event->on : wants(t, NULL, id)) ? FT_TRIGGER_ON :
							  FT_TRIGGER_OFF;
	if (opcode == value)
		return 0;
	changed++;
	return target_write(t, code, &value, 1);
}

static int set_events(struct target *t)
{
	for (size_t i = 0; i < t->n_events; i++) {
		struct target_event *e = &t->events[i];
		unsigned int on = wants(t, e->name, e->id);
		int ret;

		if (e->on == on)
			continue;
		ret = target_write(t, e->at + offsetof(struct ft_event, on), &on,
				   sizeof(on));
		if (ret)
			return ret;
		e->on = on;
	}
	return 0;
}

int target_set(struct target *t, const char *patterns)
{
	size_t len = strlen(patterns);
	int ret;

	if (len >= sizeof(t->remote.patterns)) {
		warnx("these are too many events: use a pattern ('*')");
		return -1;
	}
	memset(t->remote.patterns, 0, sizeof(t->remote.patterns));
	memcpy(t->remote.patterns, patterns, len);
	changed = 0;
	ret = target_write(t, t->remote_at + offsetof(struct ft_remote, patterns),
			   t->remote.patterns, sizeof(t->remote.patterns));
	ret = ret ? ret : set_events(t);
	ret = ret ? ret : each_trigger(t, set_trigger);
	if (!ret)
		return changed;
	warnx("cannot change the triggers of process %d: %s", t->pid,
	      strerror(-ret));
	return -1;
}

/* Its threads take a new ring, of the new session, at their next event. */
static int drop_rings(const struct target *t)
{
	uint64_t at, none = 0;
	uint32_t places;
	int ret;

	ret = target_read(t, t->remote.private_at, &at, sizeof(at));
	ret = ret ? ret : target_read(t, t->remote.places_at, &places,
				      sizeof(places));
	at += offsetof(struct ft_private, threads);
	for (uint32_t i = 0; !ret && i < places && i < FT_SESSION_RINGS; i++)
		ret = target_write(t, at + i * sizeof(none), &none, sizeof(none));
	return ret;
}

bool target_join(struct target *t, const char *session)
{
	struct ft_remote *r = &t->remote;
	int ret;

	memset(r->session, 0, sizeof(r->session));
	memcpy(r->session, session, strnlen(session, sizeof(r->session) - 1));
	r->wanted++;
	ret = target_write(t, t->remote_at + offsetof(struct ft_remote, session),
			   r->session, sizeof(r->session));
	ret = ret ? ret : target_write(t, t->remote_at +
				       offsetof(struct ft_remote, wanted),
				       &r->wanted, sizeof(r->wanted));
	ret = ret ? ret : drop_rings(t);
	if (ret)
		warnx("cannot attach to process %d: %s", t->pid, strerror(-ret));
	return !ret;
}

int target_error(const struct target *t)
{
	struct ft_remote r;

	if (target_read(t, t->remote_at, &r, sizeof(r)) ||
	    r.joined != t->remote.wanted)
		return 0;
	return r.error;
}
