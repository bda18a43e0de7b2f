// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Events of a running program: turning them on and off, listing them. */
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/end_signals.h"
#include "base/exit_status.h"
#include "base/file.h"
#include "base/json.h"
#include "base/number.h"
#include "base/output.h"
#include "process/by_hand.h"
#include "process/target.h"

pid_t pid_parse(const char *text)
{
	uint64_t pid;

	return !parse_u64(text, &pid) && pid > 0 && pid <= INT32_MAX ?
	       (pid_t)pid : 0;
}

int pid_take(void *to, const struct option_given *given)
{
	pid_t pid = pid_parse(given->value);

	if (!pid)
		return option_error(given, "is not the number of a process: '%s'", given->value);
	*(pid_t *)to = pid;
	return -1;
}

static void tell_on(const struct target *t)
{
	unsigned int places = 0;

	printf("on in process %d:", t->pid);
	for (size_t i = 0; i < t->n_events; i++) {
		if (!t->events[i].on)
			continue;
		printf(" %s", t->events[i].name);
		places += t->events[i].triggers;
	}
	printf(" (%u place%s in its code)\n", places, places == 1 ? "" : "s");
	fflush(stdout);
	if (!target_recorder(t))
		warnx("nothing records it: only its own callbacks are called; to "
		      "record it: ft attach %d -e EVENTS", t->pid);
}

static bool change(struct target *t, char **names,
		   bool (*how)(struct target *t, char **names))
{
	bool ok;

	if (!target_hold(t))
		return false;
	ok = how(t, names);
	target_release(t);
	return ok;
}

/* Waits for a signal, or the end of the process. Return: false if it has ended. */
static bool wait_for_end(pid_t pid, int signals)
{
	struct pollfd pfd[2] = {
		{ .fd = signals, .events = POLLIN },
		{ .fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN },
	};

	printf("Ctrl-C turns them off again\n");
	flush_output(FT_EXIT_OK);
	while (poll(pfd, pfd[1].fd < 0 ? 1 : 2, -1) < 0 && errno == EINTR)
		;
	if (pfd[1].fd >= 0)
		close(pfd[1].fd);
	return pfd[1].fd < 0 || !pfd[1].revents;
}

/* Return: a descriptor for SIGINT, SIGTERM, SIGHUP; -1 after a message */
static int open_signals(void)
{
	sigset_t signals;
	int fd;

	/* the events are turned off even if output fails: a closed pipe, a full disk */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	end_signals_block(&signals);
	fd = signalfd(-1, &signals, SFD_CLOEXEC);
	if (fd < 0)
		warn("cannot wait for signals");
	return fd;
}

bool program_enable(pid_t pid, char **names, bool persist)
{
	struct target t;
	int fd = -1;
	bool ok;

	if (!persist) {
		fd = open_signals();
		if (fd < 0)
			return false;
	}
	ok = target_open(&t, pid) && change(&t, names, target_add);
	if (ok) {
		tell_on(&t);
		if (!persist && wait_for_end(pid, fd))
			ok = change(&t, names, target_remove);
	}
	target_close(&t);
	if (fd >= 0)
		close(fd);
	return ok;
}

static bool remove_all(struct target *t, char **names)
{
	(void)names;
	return target_set(t, "") >= 0;
}

bool program_disable(pid_t pid, char **names, bool all)
{
	struct target t;
	bool ok;

	ok = target_open(&t, pid) &&
	     change(&t, names, all ? remove_all : target_remove);
	target_close(&t);
	return ok;
}

static void list_json(const struct target *t)
{
	struct json j = { .f = stdout };

	json_array(&j, NULL);
	for (size_t i = 0; i < t->n_events; i++) {
		const struct target_event *e = &t->events[i];

		json_object(&j, NULL);
		json_number(&j, "id", "%u", e->id);
		json_text(&j, "name", e->name);
		json_bool(&j, "enabled", e->on);
		json_number(&j, "triggers", "%u", e->triggers);
		json_end(&j);
	}
	json_end(&j);
}

static void list_lines(const struct target *t, bool tsv)
{
	puts(tsv ? "id\tname\tenabled\ttriggers" : "   id  on  places  event");
	for (size_t i = 0; i < t->n_events; i++) {
		const struct target_event *e = &t->events[i];

		if (tsv)
			printf("%u\t%s\t%d\t%u\n", e->id, e->name, e->on, e->triggers);
		else
			printf("%5u  %-2s  %6u  %s\n", e->id, e->on ? "on" : "-", e->triggers,
			       e->name);
	}
}

bool program_list(pid_t pid, enum output_format format)
{
	struct target t;
	bool ok;

	ok = target_open(&t, pid) && target_hold(&t);
	target_release(&t);
	if (ok && format == OUTPUT_JSON)
		list_json(&t);
	else if (ok)
		list_lines(&t, format == OUTPUT_TSV);
	target_close(&t);
	return ok;
}
