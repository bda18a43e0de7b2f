// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The status as text, TSV and JSON. */
#include <stdio.h>

#include "base/json.h"
#include "base/number.h"
#include "base/output.h"
#include "control/config.h"
#include "control/device.h"
#include "control/status.h"

static bool is_stopped(const struct status *st)
{
	return st->info.flags & FT_INFO_STOPPED;
}

static __u64 ring_waiting(const struct ft_stats *s)
{
	__u64 gone = s->read + s->overwritten;

	/* the counters move while they are read */
	return s->written > gone ? s->written - gone : 0;
}

static void text_rings(const struct status *st)
{
	bool flight = st->config.mode == FT_MODE_OVERWRITE;

	if (st->hidden) {
		printf("\nthe counts of the rings are unknown: reading them needs write "
		       "permission for " DEVICE_CONTROL "<cpu>\n");
		return;
	}
	printf("\n%5s  %-6s %14s %14s %12s %12s %10s", "CPU", "online",
	       "written", "read", "lost", "waiting", "slots");
	puts(flight ? "    overwritten" : "");
	for (size_t i = 0; i < st->nrings; i++) {
		const struct ft_stats *s = &st->rings[i].stats;

		printf("%5u  %-6s %14llu %14llu %12llu %12llu %10u",
		       st->rings[i].cpu, s->online ? "yes" : "no", s->written,
		       s->read, s->lost, ring_waiting(s), s->slots);
		if (flight)
			printf(" %14llu", s->overwritten);
		putchar('\n');
	}
}

static void text_events(const struct status *st)
{
	const char *title = "\nevents on: ";

	for (size_t i = 0; i < st->events.n; i++) {
		const struct ft_event_info *e = &st->events.info[i];

		if (!e->enabled)
			continue;
		printf("%s%s%s", title, e->name,
		       e->persistent ? " (persistent)" : "");
		title = ", ";
	}
	puts(title[0] == '\n' ? "\nno event is on" : "");
}

/* Also for events that are on for sensors alone, or off by now. */
static void text_unread(const struct status *st)
{
	const char *title = "words that could not be read, and are 0: ";

	for (size_t i = 0; i < st->events.n; i++) {
		const struct ft_event_info *e = &st->events.info[i];

		if (!e->unread)
			continue;
		printf("%s%s %u", title, e->name, e->unread);
		title = ", ";
	}
	if (title[0] == ',')
		putchar('\n');
}

static void text_wrapped(const struct status *st)
{
	unsigned int inside = st->wrapped.inside, stuck = st->wrapped.stuck;

	if (stuck)
		printf("stuck:   %u function%s that ftrace does not let go of: the module "
		       "stays until the machine is restarted\n", stuck,
		       stuck == 1 ? "" : "s");
	if (st->wrapped.attached)
		printf("wrapped: %u functions\n", st->wrapped.attached);
	else if (st->leaving && inside)
		printf("leaving: %u task%s inside wrapped functions: the module "
		       "stays until %s\n", inside, inside == 1 ? "" : "s",
		       inside == 1 ? "it returns" : "they return");
	else if (st->leaving)
		printf("leaving: functions are being unwrapped\n");
}

/* All sessions but the default one. */
static void text_sessions(const struct status *st)
{
	for (size_t i = 1; i < st->nsessions; i++) {
		const struct ft_session_info *s = &st->sessions[i];

		if (i == 1)
			printf("\n%8s  %-20s %10s %10s %10s %10s %8s\n", "session", "name",
			       "trace", "events on", "slots", "mode", "joined");
		printf("%8u  %-20s %10u %10u %10u %10s %8u\n", s->number,
		       s->name[0] ? s->name : "-", s->trace, s->events, s->slots,
		       device_mode_name(s->mode), s->joined);
	}
}

static void status_text(const struct status *st)
{
	char size[32];

	format_size(size, sizeof(size),
		    (__u64)st->config.slots * sizeof(struct ft_record));
	printf("module:  " DEVICE_MODULE ", ABI %u\n", st->info.abi);
	printf("clock:   %s, %.6f MHz, acquisitions %s\n",
	       device_clock_name(st->info.clock), st->info.clock_hz / 1e6,
	       device_acquire_clock(&st->info));
	printf("locks:   %s\n", device_locks_name(st->info.lock_source));
	text_wrapped(st);
	if (st->session)
		printf("session: %s\n", st->session);
	printf("rings:   %u slots (%s) for each CPU, mode %s, wake %u us\n",
	       st->config.slots, size, device_mode_name(st->config.mode),
	       st->config.wake_us);
	if (st->info.trace)
		printf("trace:   number %u, %s, uuid %s\n", st->info.trace,
		       st->info.active ? "running" : "ended", st->uuid);
	else
		printf("trace:   none yet\n");
	if (is_stopped(st))
		printf("         a condition closed the rings: nothing more is recorded until "
		       "the next trace\n");
	if (st->info.flags & FT_INFO_CLOCK_UNSTABLE)
		printf("         the TSC became unstable during the trace: times of "
		       "different CPUs cannot be compared\n");
	if (st->info.flags & FT_INFO_CLOCK_RESTARTED)
		printf("         the TSC restarted or stopped during a suspend, which "
		       "ended the trace\n");
	text_rings(st);
	text_events(st);
	text_unread(st);
	text_sessions(st);
}

static void status_tsv(const struct status *st)
{
	printf("abi\t%u\nclock\t%s\nclock_hz\t%llu\nlock_source\t%s\n",
	       st->info.abi, device_clock_name(st->info.clock),
	       st->info.clock_hz, device_locks_name(st->info.lock_source));
	printf("acquire_clock\t%s\nclock_state\t%s\n",
	       device_acquire_clock(&st->info),
	       device_clock_state(st->info.flags));
	printf("wrapped\t%u\nleaving\t%u\ninside\t%u\nstuck\t%u\n",
	       st->wrapped.attached, st->leaving, st->wrapped.inside,
	       st->wrapped.stuck);
	if (st->session)
		printf("session_name\t%s\n", st->session);
	printf("trace\t%u\nactive\t%u\nstopped\t%u\nuuid\t%s\ncpus\t%u\n", st->info.trace,
	       st->info.active, is_stopped(st), st->uuid, st->info.cpus);
	printf("slots\t%u\nwake_us\t%u\nmode\t%s\nheadroom\t%u\n", st->config.slots,
	       st->config.wake_us, device_mode_name(st->config.mode),
	       config_headroom(&st->config));
	printf("rings\t%s\n", st->hidden ? "unknown" : "known");
	puts("#cpu\tcpu\tonline\twritten\tread\tlost\twaiting\tslots\tbacksteps"
	     "\toverwritten");
	for (size_t i = 0; i < st->nrings; i++) {
		const struct ft_stats *s = &st->rings[i].stats;

		printf("cpu\t%u\t%u\t%llu\t%llu\t%llu\t%llu\t%u\t%llu\t%llu\n",
		       st->rings[i].cpu, s->online, s->written, s->read,
		       s->lost, ring_waiting(s), s->slots, s->backsteps,
		       s->overwritten);
	}
	puts("#event\tid\tname\tenabled\tpersistent\tunread");
	for (size_t i = 0; i < st->events.n; i++) {
		const struct ft_event_info *e = &st->events.info[i];

		if (e->enabled || e->unread)
			printf("event\t%u\t%s\t%u\t%u\t%u\n", e->id, e->name,
			       e->enabled, e->persistent, e->unread);
	}
	puts("#session\tnumber\tname\ttrace\tevents\tslots\tmode\tjoined");
	for (size_t i = 0; i < st->nsessions; i++) {
		const struct ft_session_info *s = &st->sessions[i];

		printf("session\t%u\t%s\t%u\t%u\t%u\t%s\t%u\n", s->number, s->name,
		       s->trace, s->events, s->slots, device_mode_name(s->mode),
		       s->joined);
	}
}

static void json_rings(struct json *j, const struct status *st)
{
	if (st->hidden) {
		json_null(j, "rings");
		return;
	}
	json_array(j, "rings");
	for (size_t i = 0; i < st->nrings; i++) {
		const struct ft_stats *s = &st->rings[i].stats;

		json_object(j, NULL);
		json_number(j, "cpu", "%u", st->rings[i].cpu);
		json_bool(j, "online", s->online);
		json_number(j, "written", "%llu", s->written);
		json_number(j, "read", "%llu", s->read);
		json_number(j, "lost", "%llu", s->lost);
		json_number(j, "waiting", "%llu", ring_waiting(s));
		json_number(j, "slots", "%u", s->slots);
		json_number(j, "backsteps", "%llu", s->backsteps);
		json_number(j, "overwritten", "%llu", s->overwritten);
		json_end(j);
	}
	json_end(j);
}

static void json_events(struct json *j, const struct status *st)
{
	json_array(j, "events");
	for (size_t i = 0; i < st->events.n; i++) {
		const struct ft_event_info *e = &st->events.info[i];

		if (!e->enabled && !e->unread)
			continue;
		json_object(j, NULL);
		json_number(j, "id", "%u", e->id);
		json_text(j, "name", e->name);
		json_number(j, "enabled", "%u", e->enabled);
		json_number(j, "persistent", "%u", e->persistent);
		json_number(j, "unread", "%u", e->unread);
		json_end(j);
	}
	json_end(j);
}

static void json_sessions(struct json *j, const struct status *st)
{
	json_array(j, "sessions");
	for (size_t i = 0; i < st->nsessions; i++) {
		const struct ft_session_info *s = &st->sessions[i];

		json_object(j, NULL);
		json_number(j, "number", "%u", s->number);
		json_text(j, "name", s->name);
		json_number(j, "trace", "%u", s->trace);
		json_number(j, "events", "%u", s->events);
		json_number(j, "slots", "%u", s->slots);
		json_text(j, "mode", device_mode_name(s->mode));
		json_number(j, "joined", "%u", s->joined);
		json_end(j);
	}
	json_end(j);
}

static void status_json(const struct status *st)
{
	struct json j = { .f = stdout, .flat = 2 };

	json_object(&j, NULL);
	json_number(&j, "abi", "%u", st->info.abi);
	json_text(&j, "clock", device_clock_name(st->info.clock));
	json_number(&j, "clock_hz", "%llu", st->info.clock_hz);
	json_text(&j, "lock_source", device_locks_name(st->info.lock_source));
	json_text(&j, "acquire_clock", device_acquire_clock(&st->info));
	json_text(&j, "clock_state", device_clock_state(st->info.flags));
	json_number(&j, "wrapped", "%u", st->wrapped.attached);
	json_bool(&j, "leaving", st->leaving);
	json_number(&j, "inside", "%u", st->wrapped.inside);
	json_number(&j, "stuck", "%u", st->wrapped.stuck);
	if (st->session)
		json_text(&j, "session_name", st->session);
	json_number(&j, "trace", "%u", st->info.trace);
	json_bool(&j, "active", st->info.active);
	json_bool(&j, "stopped", is_stopped(st));
	json_text(&j, "uuid", st->uuid);
	json_number(&j, "cpus", "%u", st->info.cpus);
	json_number(&j, "slots", "%u", st->config.slots);
	json_number(&j, "wake_us", "%u", st->config.wake_us);
	json_text(&j, "mode", device_mode_name(st->config.mode));
	json_number(&j, "headroom", "%u", config_headroom(&st->config));
	json_rings(&j, st);
	json_events(&j, st);
	json_sessions(&j, st);
	json_end(&j);
}

void status_print(const struct status *st, enum output_format format)
{
	if (format == OUTPUT_TSV)
		status_tsv(st);
	else if (format == OUTPUT_JSON)
		status_json(st);
	else
		status_text(st);
}
