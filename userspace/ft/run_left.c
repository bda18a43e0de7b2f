// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Processes that go on when the command has ended.
 *
 * They are children of whoever takes orphans, as they would be alone, so nobody tells us
 * of their end. But who is traced has opened the session, and has it until it ends or
 * executes another program: the kernel says whether anybody has. A program that has just
 * been executed, or is not traced but may execute one that is, has at least our variable
 * in its environment.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proc.h"
#include "run.h"

/*
 * The kernel gives a write lease to the only one who has a file open. What has no name
 * but /proc/PID/fd/N counts as open by those who have opened that: this one, and programs.
 */
static int open_again(const struct run *run)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", run->memory);
	fd = open(path, O_RDWR | O_CLOEXEC);
	/* a program that opens it at this moment waits; its signal is one that we have blocked */
	if (fd >= 0)
		fcntl(fd, F_SETSIG, SIGCHLD);
	return fd;
}

/* Has any process the session mapped? One that begins to fork or execute has. */
static bool is_open(struct run *run)
{
	if (run->lease < 0)
		run->lease = open_again(run);
	if (!fcntl(run->lease, F_SETLEASE, F_WRLCK)) {
		fcntl(run->lease, F_SETLEASE, F_UNLCK);
		return false;
	}
	/* without leases: who has joined, as far as can be seen */
	return errno == EAGAIN || run->alive;
}

static bool may_open(const struct run *run, pid_t pid)
{
	return proc_has_variable(pid, FT_SESSION_ENV, run->name) || proc_executes(pid);
}

void run_each_process(struct run *run, bool (*each)(struct run *run, pid_t pid))
{
	DIR *proc = opendir("/proc");
	struct dirent *e;

	while (proc && (e = readdir(proc))) {
		if (isdigit((unsigned char)*e->d_name) && !each(run, atoi(e->d_name)))
			break;
	}
	if (proc)
		closedir(proc);
}

static bool find_left(struct run *run, pid_t pid)
{
	if (may_open(run, pid))
		run->left = pid;
	return !run->left;
}

/*
 * In this order, and once more at the end: one that has the session mapped can execute a
 * program, and one that has executed it maps the session.
 */
bool run_goes_on(struct run *run)
{
	if (is_open(run))
		return true;
	if (run->left && may_open(run, run->left))
		return true;
	run->left = 0;
	run_each_process(run, find_left);
	return run->left || is_open(run);
}
