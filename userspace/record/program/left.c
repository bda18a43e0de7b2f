// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Processes that outlive the command.
 *
 * They become children of init or a subreaper, as they would without ft, so ft cannot wait
 * for them. But a traced process has opened the session, and keeps it open until it ends
 * or executes another program; a file lease tells whether anyone has it open. A process
 * that has just executed a program, or that is not traced but may execute a program that
 * is, has at least the session's variable in its environment.
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

#include "process/proc.h"
#include "record/program/run.h"

/*
 * The kernel grants a write lease only while nobody else has the file open. memfd_create()
 * does not count as an open; opening /proc/PID/fd/N does, as this process and programs do.
 */
static int open_again(const struct run *run)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", run->memory);
	fd = open(path, O_RDWR | O_CLOEXEC);
	/*
	 * A program that opens it while the lease is held waits, and the kernel signals us:
	 * with SIGCHLD, which is blocked, instead of SIGIO, which would kill.
	 */
	if (fd >= 0)
		fcntl(fd, F_SETSIG, SIGCHLD);
	return fd;
}

static bool is_mine_alone(const struct run *run)
{
	return !fcntl(run->lease, F_SETLEASE, F_WRLCK) &&
	       !fcntl(run->lease, F_SETLEASE, F_UNLCK);
}

void run_left_begin(struct run *run)
{
	run->lease = open_again(run);
	run->leases = run->lease >= 0 && is_mine_alone(run);
}

/* Does any process have the session mapped? A traced one that forks or executes still does. */
static bool is_open(const struct run *run)
{
	/* without leases: the processes that have joined and are visible */
	return run->leases ? !is_mine_alone(run) : run->alive;
}

static bool has_session(const struct run *run, pid_t pid)
{
	return proc_has_variable(pid, FT_SESSION_ENV, run->name);
}

static bool may_open(const struct run *run, pid_t pid)
{
	return has_session(run, pid) || proc_executes(pid);
}

/* The PID that was assigned last, to a process or thread. Return: 0: unknown */
static pid_t last_number(void)
{
	FILE *f = fopen("/proc/loadavg", "re");
	int last = 0;

	if (f && fscanf(f, "%*s %*s %*s %*s %d", &last) != 1)
		last = 0;
	if (f)
		fclose(f);
	return last;
}

/* PIDs are assigned in turn, and wrap around after the highest. */
static bool is_between(pid_t pid, pid_t first, pid_t last)
{
	return first <= last ? pid >= first && pid <= last : pid >= first || pid <= last;
}

/* @last: look only at PIDs from @first to this one; 0: at all */
static void find_left(struct run *run, pid_t first, pid_t last)
{
	DIR *proc = opendir("/proc");
	struct dirent *e;
	pid_t pid;

	while (proc && !run->left && (e = readdir(proc))) {
		pid = isdigit((unsigned char)*e->d_name) ? atoi(e->d_name) : 0;
		if (pid && (!last || is_between(pid, first, last)) && may_open(run, pid))
			run->left = pid;
	}
	if (proc)
		closedir(proc);
}

/* Return: true also if processes were made meanwhile: they may have been missed. */
static bool is_any_left(struct run *run, pid_t first)
{
	pid_t last = first ? last_number() : 0;

	if (run->left && may_open(run, run->left))
		return true;
	run->left = 0;
	find_left(run, first, last);
	return run->left || (last && last_number() != last);
}

/*
 * The order matters, and so does the second is_open(): between two checks, a process that
 * has the session mapped can execute a program, and one that has executed it can map the
 * session.
 */
bool run_goes_on(struct run *run, pid_t first)
{
	return is_open(run) || is_any_left(run, first) || is_open(run);
}

bool run_goes_on_surely(const struct run *run)
{
	return is_open(run) || (run->left && has_session(run, run->left));
}
