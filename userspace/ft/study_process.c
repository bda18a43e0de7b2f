// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft study: running other programs, and what that needs. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/exit_status.h"
#include "ft/study.h"

#define PATIENCE	5.0	/* seconds for a workload to end */

static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
	interrupted = sig;
}

void study_catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal };

	/* no SA_RESTART: waits end */
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &action, NULL);
}

bool study_interrupted(void)
{
	return interrupted;
}

const char *study_path(char *path, size_t len, const char *dir, const char *name)
{
	if ((size_t)snprintf(path, len, "%s/%s", dir, name) >= len)
		errx(FT_EXIT_ERROR, "the name is too long: '%s/%s'", dir, name);
	return path;
}

bool study_has_program(const char *name)
{
	const char *path = getenv("PATH");
	char file[4096];

	while (path && *path) {
		size_t len = strcspn(path, ":");

		snprintf(file, sizeof(file), "%.*s/%s", (int)len, path, name);
		if (!access(file, X_OK))
			return true;
		path += len + !!path[len];
	}
	return false;
}

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void study_remove(const char *path)
{
	if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) && errno != ENOENT)
		warn("cannot remove all of %s", path);
}

/* --- in the child --- */

static void redirect(const char *log)
{
	int null = open("/dev/null", O_RDONLY);
	int fd = open(log, O_WRONLY | O_CREAT | O_APPEND, 0644);

	if (fd < 0)
		err(FT_EXIT_ERROR, "cannot write %s", log);
	dup2(null, STDIN_FILENO);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
}

static void execute(const char *const *argv)
{
	execvp(argv[0], (char *const *)argv);
	err(FT_EXIT_ERROR, "cannot run '%s'", argv[0]);
}

/* Until it fails, or somebody ends us. */
static void execute_again(const char *const *argv)
{
	int status = 0;
	pid_t pid;

	while (WIFEXITED(status) && !WEXITSTATUS(status)) {
		pid = fork();
		if (!pid)
			execute(argv);
		if (pid < 0 || waitpid(pid, &status, 0) < 0)
			err(FT_EXIT_ERROR, "cannot run '%s'", argv[0]);
	}
	warnx("'%s' failed", argv[0]);
	_exit(FT_EXIT_ERROR);
}

/* --- in the parent --- */

int study_start(const char *const *argv, const char *log, bool again)
{
	pid_t parent = getpid(), pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0) {
		warn("cannot run '%s'", argv[0]);
		return -1;
	}
	if (pid) {
		/* here as well: whichever of us comes first */
		if (log)
			setpgid(pid, pid);
		return pid;
	}
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(FT_EXIT_ERROR);
	if (log) {
		setpgid(0, 0);
		redirect(log);
	}
	if (again)
		execute_again(argv);
	execute(argv);
	return -1;
}

int study_wait(int pid)
{
	bool told = false;
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -1;
		if (interrupted && !told)
			kill(pid, SIGTERM);
		told = interrupted;
	}
	return status;
}

bool study_ended(int pid)
{
	siginfo_t info = { 0 };

	return !waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) &&
	       info.si_pid == pid;
}

void study_stop(int pid)
{
	const struct timespec moment = { .tv_nsec = 50000000 };
	double end = monotonic_now() + PATIENCE;

	if (pid <= 0)
		return;
	kill(-pid, SIGTERM);
	while (!study_ended(pid) && monotonic_now() < end)
		nanosleep(&moment, NULL);
	/* also what its leader has left behind */
	kill(-pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
