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

#include "process/proc.h"
#include "record/program/run.h"

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

/* Has any process the session mapped? One that begins to fork or execute has. */
static bool is_open(const struct run *run)
{
	/* without leases: who has joined, as far as can be seen */
	return run->leases ? !is_mine_alone(run) : run->alive;
}

static bool may_open(const struct run *run, pid_t pid)
{
	return proc_has_variable(pid, FT_SESSION_ENV, run->name) || proc_executes(pid);
}

/* The number that a process or thread got last. Return: 0: it cannot be told */
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

/* Numbers are given in turn, and begin again behind the highest one. */
static bool is_between(pid_t pid, pid_t first, pid_t last)
{
	return first <= last ? pid >= first && pid <= last : pid >= first || pid <= last;
}

/* @last: only those with numbers from @first to this one; 0: all */
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

/* Return: true also where it cannot be told now. */
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
 * In this order, and once more at the end: one that has the session mapped can execute a
 * program, and one that has executed it maps the session.
 */
bool run_goes_on(struct run *run, pid_t first)
{
	return is_open(run) || is_any_left(run, first) || is_open(run);
}
