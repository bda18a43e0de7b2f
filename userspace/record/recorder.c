// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft record beside a measurement: see recorder.h. Its command says that it has begun. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "record/child.h"
#include "record/kernel/tasks.h"
#include "record/recorder.h"

/*
 * A signal to all of us (the terminal's) ends the measurement; then the command's input ends.
 * Return: 0 or errno, after a message
 */
static int start(struct recorder *r, int in, int out, const struct recorder_asked *asked)
{
	static const char *const command[] = {
		"--", "sh", "-c", "trap '' INT TERM HUP; echo begun; exec cat", NULL
	};
	const char *argv[24] = {
		asked->ft, "record", "-o", asked->dir, "-e", asked->events,
	};
	struct record_child child = { .argv = (char **)argv };
	size_t n = 0;
	sigset_t signals;
	int error;

	while (argv[n])
		n++;
	if (asked->locks)
		argv[n++] = "--locks";
	if (asked->force)
		argv[n++] = "--force";
	if (asked->quiet)
		argv[n++] = "--quiet";
	if (asked->slots) {
		argv[n++] = "--slots";
		argv[n++] = asked->slots;
	}
	memcpy(&argv[n], command, sizeof(command));
	sigprocmask(SIG_BLOCK, NULL, &signals);
	error = record_child_start_with(&child, in, out,
					asked->signals ? asked->signals : &signals);
	r->pid = child.pid;
	return error;
}

bool recorder_ended(struct recorder *r)
{
	if (!r->ended)
		r->ended = waitpid(r->pid, &r->status, WNOHANG) == r->pid;
	return r->ended;
}

int recorder_stop(struct recorder *r)
{
	close(r->end);
	while (!r->ended && waitpid(r->pid, &r->status, 0) < 0) {
		if (errno != EINTR)
			return FT_EXIT_FAILED;
	}
	r->ended = true;
	return WIFEXITED(r->status) ? WEXITSTATUS(r->status) : FT_EXIT_FAILED;
}

/* Return: has it begun? Else it has ended, after a message. */
static bool wait_for_it(int said)
{
	char text[16];
	ssize_t n;

	do
		n = read(said, text, sizeof(text));
	while (n < 0 && errno == EINTR);
	return n > 0;
}

bool recorder_start(struct recorder *r, const struct recorder_asked *asked)
{
	int in[2], out[2], error;

	if (!record_tasks_are_ours()) {
		warnx("recording the kernel's events beside it works in the first PID namespace "
		      "alone: records have its numbers");
		return false;
	}
	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) {
		warn("pipe");
		return false;
	}
	*r = (struct recorder){ .end = in[1] };
	error = start(r, in[0], out[1], asked);
	close(in[0]);
	close(out[1]);
	if (!error && wait_for_it(out[0])) {
		close(out[0]);
		return true;
	}
	close(out[0]);
	if (!error)
		recorder_stop(r);
	warnx("nothing was measured, as ft record did not start");
	return false;
}
