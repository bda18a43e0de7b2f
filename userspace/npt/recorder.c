// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ft record, which records events of the kernel while the loop runs: its command says that
 * it has begun, and ends with its input.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "base/mem.h"
#include "npt/recorder.h"
#include "record/child.h"

/* What says why a task did not run. */
#define USUAL	"sched_switch,irq_handler_*,softirq_entry,softirq_exit,hrtimer_expire_*," \
		"local_timer_*,reschedule_*"

/* A pipe of which the program that is started gets the end @theirs. Return: 0, or -1 */
static int make_pipe(int ends[2], int theirs)
{
	if (!pipe2(ends, O_CLOEXEC) && !fcntl(ends[theirs], F_SETFD, 0))
		return 0;
	warn("pipe");
	return -1;
}

/* What ft prints of itself is not what was asked for. Return: 0 or errno, after a message */
static int start(struct recorder *r, int in, int out, const struct recorder_asked *asked)
{
	static const char *const command[] = { "--", "sh", "-c", "echo begun; exec cat", NULL };
	char *script = mem_format("exec \"$@\" <&%d >&%d", in, out);
	const char *argv[24] = {
		/* of ft, which started this program; or by hand */
		"sh", "-c", script, "sh", getenv("FT") ? getenv("FT") : "ft",
		"record", "-o", asked->dir, "-e", asked->events ? asked->events : USUAL,
	};
	struct record_child child = { .argv = (char **)argv };
	sigset_t signals;
	size_t n = 0;
	int error;

	while (argv[n])
		n++;
	if (asked->locks)
		argv[n++] = "--locks";
	if (asked->force)
		argv[n++] = "--force";
	memcpy(&argv[n], command, sizeof(command));
	sigprocmask(SIG_BLOCK, NULL, &signals);
	error = record_child_start(&child, &signals);
	r->pid = child.pid;
	free(script);
	return error;
}

int recorder_stop(struct recorder *r)
{
	int status;

	close(r->end);
	while (waitpid(r->pid, &status, 0) < 0) {
		if (errno != EINTR)
			return FT_EXIT_FAILED;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : FT_EXIT_FAILED;
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

	if (make_pipe(in, 0) || make_pipe(out, 1))
		return false;
	r->end = in[1];
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
