// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ft record, which records events of the kernel while the loop runs: it has a command that
 * says that it has begun, and ends with its input.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "npt/recorder.h"

#define BEGUN	"begun\n"

/* What says why a task did not run. */
#define USUAL	"sched_switch,irq_handler_*,softirq_entry,softirq_exit,hrtimer_expire_*," \
		"local_timer_*,reschedule_*"

__attribute__((noreturn))
static void become(int in, int out, const char *dir, const char *events, bool force)
{
	/* of ft, which started this program; or by hand */
	const char *ft = getenv("FT") ? getenv("FT") : "ft";
	const char *argv[] = {
		ft, "record", "-o", dir, "-e", events ? events : USUAL,
		"--", "sh", "-c", "echo begun; exec cat", NULL, NULL
	};

	if (force) {
		memmove(&argv[3], &argv[2], sizeof(argv) - 3 * sizeof(*argv));
		argv[2] = "--force";
	}

	/* what it prints of itself is not what was asked for */
	if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0)
		err(FT_EXIT_FAILED, "dup2");
	execvp(ft, (char **)argv);
	err(FT_EXIT_FAILED, "cannot run '%s'", ft);
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

bool recorder_start(struct recorder *r, const char *dir, const char *events, bool force)
{
	char said[sizeof(BEGUN)];
	int in[2], out[2];
	ssize_t n;

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) {
		warn("pipe");
		return false;
	}
	r->pid = fork();
	if (r->pid < 0) {
		warn("fork");
		return false;
	}
	if (!r->pid)
		become(in[0], out[1], dir, events, force);
	close(in[0]);
	close(out[1]);
	r->end = in[1];
	do
		n = read(out[0], said, sizeof(said));
	while (n < 0 && errno == EINTR);
	close(out[0]);
	if (n > 0)
		return true;
	recorder_stop(r);
	warnx("nothing was measured, as ft record did not start");
	return false;
}
