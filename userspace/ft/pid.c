// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft enable, disable, list --pid: the events of a program that runs. */
#include <err.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "base/file.h"
#include "base/json.h"
#include "base/number.h"
#include "base/output.h"
#include "ft/pid.h"
#include "record/share.h"

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

/* --- what is told --------------------------------------------------------- */

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
		warnx("nobody records it: only callbacks of its own are called; to "
		      "record it: ft attach %d -e EVENTS", t->pid);
}

/* --- the subcommands ------------------------------------------------------ */

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

/* Until a signal comes, or the process has ended. Return: false if it has. */
static bool wait_for_end(pid_t pid, int signals)
{
	struct pollfd pfd[2] = {
		{ .fd = signals, .events = POLLIN },
		{ .fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN },
	};
	struct signalfd_siginfo info;
	bool alive = true;

	printf("Ctrl-C turns them off again\n");
	flush_output(FT_EXIT_OK);
	do {
		poll(pfd, pfd[1].fd < 0 ? 1 : 2, -1);
		if (pfd[1].fd >= 0 && pfd[1].revents)
			alive = false;
	} while (alive && (read(signals, &info, sizeof(info)) != sizeof(info) ||
			   info.ssi_signo == SIGCHLD));
	if (pfd[1].fd >= 0)
		close(pfd[1].fd);
	return alive;
}

int pid_enable(pid_t pid, char **names, bool persist)
{
	sigset_t signals, old;
	struct target t;
	int fd = -1;
	bool ok;

	if (!persist) {
		fd = record_share_signals(&signals, &old);
		if (fd < 0)
			return FT_EXIT_ERROR;
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
	return ok ? flush_output(FT_EXIT_OK) : FT_EXIT_ERROR;
}

static bool remove_all(struct target *t, char **names)
{
	(void)names;
	return target_set(t, "") >= 0;
}

int pid_disable(pid_t pid, char **names, bool all)
{
	struct target t;
	bool ok;

	ok = target_open(&t, pid) &&
	     change(&t, names, all ? remove_all : target_remove);
	target_close(&t);
	return ok ? FT_EXIT_OK : FT_EXIT_ERROR;
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

int pid_list(pid_t pid, enum output_format format)
{
	struct target t;
	bool ok;

	ok = target_open(&t, pid) && target_hold(&t);
	target_release(&t);
	if (ok && format == OUTPUT_JSON) {
		list_json(&t);
	} else if (ok) {
		puts(format == OUTPUT_TSV ? "id\tname\tenabled\ttriggers" :
					    "   id  on  places  event");
		for (size_t i = 0; i < t.n_events; i++) {
			const struct target_event *e = &t.events[i];

			if (format == OUTPUT_TSV)
				printf("%u\t%s\t%d\t%u\n", e->id, e->name, e->on,
				       e->triggers);
			else
				printf("%5u  %-2s  %6u  %s\n", e->id,
				       e->on ? "on" : "-", e->triggers, e->name);
		}
	}
	target_close(&t);
	return ok ? flush_output(FT_EXIT_OK) : FT_EXIT_ERROR;
}
