// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ft record: finds the events that -e names.
 *
 * Names are those of the kernel's events. With --user, a name that the kernel does not
 * have is a program's, as programs' events are unknown before they run; so is any name
 * after "user:". A pattern selects both.
 */
#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "control/device.h"
#include "record/kernel/record.h"
#include "trace/metadata.h"

#define OF_PROGRAMS	"user:"

static bool choose_of_programs(struct record *rec, const char *word)
{
	const char *bad = NULL;

	if (!rec->user.wanted) {
		warnx("'%s%s' is an event of programs: to record these, too, add --user",
		      OF_PROGRAMS, word);
		return false;
	}
	if (!strcmp(word, EVENTS_LOCKS))
		rec->user.run.locks = true;
	else
		bad = run_add_patterns(&rec->user.run, word);
	if (bad)
		warnx("%s: '%s'", bad, word);
	return !bad;
}

static bool choose_word(void *arg, const char *word)
{
	struct record *rec = arg;
	size_t len = strlen(OF_PROGRAMS);
	bool pattern = strpbrk(word, "*?[");

	if (!strncmp(word, OF_PROGRAMS, len))
		return choose_of_programs(rec, word + len);
	if (rec->user.wanted && !events_know(&rec->events, word)) {
		warnx("the kernel has no event '%s': taken for %s of programs", word,
		      pattern ? "those" : "one");
		return choose_of_programs(rec, word);
	}
	if (rec->user.wanted && pattern && !choose_of_programs(rec, word))
		return false;
	return events_choose(&rec->events, word, &rec->info);
}

static bool check_user(const struct record *rec)
{
	const struct run *run = &rec->user.run;

	if (!rec->user.wanted)
		return true;
	if (!events_any_chosen(&rec->events)) {
		warnx("no event of the kernel is chosen: 'ft run' records programs "
		      "alone");
		return false;
	}
	if (run->locks || *run->patterns)
		return true;
	warnx("--user: record what of programs? Add --locks, or -e EVENTS (those "
	      "that they declare: user:NAME)");
	return false;
}

bool record_events(struct record *rec)
{
	if (!events_load(&rec->events, rec->control))
		return false;
	for (size_t i = 0; i < rec->nchosen; i++) {
		if (!events_each_word(rec->chosen[i], choose_word, rec))
			return false;
	}
	if (rec->locks && !events_each_word(EVENTS_LOCKS, choose_word, rec))
		return false;
	if (rec->locks && rec->user.wanted)
		rec->user.run.locks = true;
	if (rec->locks)
		warnx("lock events from: %s",
		      device_locks_name(rec->info.lock_source));
	return check_user(rec);
}

/*
 * Not a loss: the records are there, and an unreadable address may be normal. @before: how
 * many there were in a trace that others had begun.
 */
static void tell_unread(const char *name, uint64_t unread, uint32_t before)
{
	if (unread > before)
		warnx("%s: %" PRIu64 "%s words could not be read, and are 0", name,
		      unread - before, unread == UINT32_MAX ? " or more" : "");
}

/* The metadata names the words of an event whose module has gone meanwhile. */
static void tell_unread_of_gone(const struct record *rec, const struct ft_event_info *event,
				uint32_t before)
{
	struct metadata m = { 0 };
	char *text;
	ssize_t len = device_read_meta(rec->apart ? rec->control : -1, &text);

	if (len < 0)
		return;
	if (!metadata_parse(&m, text, (size_t)len, DEVICE_META) && metadata_event(&m, 0, event->id))
		tell_unread(event->name, metadata_unread(&m, metadata_event(&m, 0, event->id)),
			    before);
	metadata_free(&m);
	free(text);
}

bool record_events_missed(const struct record *rec)
{
	const struct events *events = &rec->events;
	bool any = false;

	for (size_t i = 0; i < events->n; i++) {
		struct ft_event_info now = { .id = events->info[i].id };
		uint32_t before = rec->rings.joined ? events->info[i].unread : 0;

		if (!events->chosen[i])
			continue;
		if (ioctl(rec->control, FT_IOC_EVENT, &now) < 0 || now.id != events->info[i].id) {
			tell_unread_of_gone(rec, &events->info[i], before);
			continue;
		}
		tell_unread(now.name, now.unread, before);
		if (now.missed <= events->info[i].missed)
			continue;
		warnx("%s: MISSED at least %" PRIu64 " times: the CPU was handling another kprobe",
		      now.name, (uint64_t)(now.missed - events->info[i].missed));
		any = true;
	}
	return any;
}
