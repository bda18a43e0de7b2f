// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A running program: its memory, and holding all of its threads. See target.h. */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "libfeathertrace/process.h"
#include "process/target.h"

/* Time for a thread to stop that sleeps in the kernel and cannot be woken. */
#define STOP_SECONDS	3.0

/* Tries, if a thread is changing triggers at the moment. */
#define HOLD_TRIES	1000
#define HOLD_AGAIN_US	1000

/* --- memory --------------------------------------------------------------- */

int target_read(const struct target *t, uint64_t at, void *buf, size_t len)
{
	ssize_t n = pread(t->mem, buf, len, (off_t)at);

	return n == (ssize_t)len ? 0 : n < 0 ? -errno : -EIO;
}

int target_write(const struct target *t, uint64_t at, const void *buf,
		 size_t len)
{
	ssize_t n = pwrite(t->mem, buf, len, (off_t)at);

	return n == (ssize_t)len ? 0 : n < 0 ? -errno : -EIO;
}

static void tell_no_rights(pid_t pid, int error)
{
	warnx("may not access process %d: %s", pid, strerror(error));
	warnx("it must be yours, and kernel.yama.ptrace_scope must be 0; root may access any");
}

bool target_open(struct target *t, pid_t pid)
{
	char path[32];

	*t = (struct target){ .pid = pid, .mem = -1 };
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	t->mem = open(path, O_RDWR | O_CLOEXEC);
	if (t->mem >= 0)
		return true;
	if (errno == ENOENT)
		warnx("there is no process %d", pid);
	else
		tell_no_rights(pid, errno);
	return false;
}

void target_close(struct target *t)
{
	if (t->mem >= 0)
		close(t->mem);
	t->mem = -1;
	free(t->threads);
	free(t->tables);
	free(t->events);
	*t = (struct target){ .mem = -1 };
}

/* --- its threads ---------------------------------------------------------- */

static bool is_held(const struct target *t, pid_t tid)
{
	for (size_t i = 0; i < t->n_threads; i++) {
		if (t->threads[i].tid == tid)
			return true;
	}
	return false;
}

static bool add_thread(struct target *t, pid_t tid)
{
	struct target_thread *threads;
	size_t room = t->room_threads ? 2 * t->room_threads : 64;

	if (t->n_threads == t->room_threads) {
		threads = realloc(t->threads, room * sizeof(*threads));
		if (!threads)
			return false;
		t->threads = threads;
		t->room_threads = room;
	}
	t->threads[t->n_threads++] = (struct target_thread){ .tid = tid };
	return true;
}

/* Return: 0, or errno; ESRCH: it has ended. */
static int seize(struct target *t, pid_t tid)
{
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL))
		return errno;
	if (!add_thread(t, tid))
		return ENOMEM;
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	return 0;
}

/* Waits until it has stopped. Return: 0; ESRCH it has ended; ETIMEDOUT. */
static int wait_stopped(struct target_thread *thread, double until)
{
	int status;
	pid_t ret;

	while ((ret = waitpid(thread->tid, &status, __WALL | WNOHANG)) == 0) {
		if (monotonic_now() > until)
			return ETIMEDOUT;
		usleep(100);
	}
	if (ret < 0 || !WIFSTOPPED(status))
		return ESRCH;
	/* stopped by us, or before a signal, which it gets when it continues */
	thread->signal = status >> 16 ? 0 : WSTOPSIG(status);
	return 0;
}

/* Seizes threads that are not held yet. Return: how many, or -errno. */
static int seize_new(struct target *t)
{
	char path[32];
	struct dirent *entry;
	int n = 0, error;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", t->pid);
	dir = opendir(path);
	if (!dir)
		return -ESRCH;
	while ((entry = readdir(dir))) {
		pid_t tid = (pid_t)atoi(entry->d_name);

		if (tid <= 0 || is_held(t, tid))
			continue;
		error = seize(t, tid);
		if (error && error != ESRCH) {
			n = -error;
			break;
		}
		n += !error;
	}
	closedir(dir);
	return n;
}

/* Waits for threads from @first on, and drops those that have ended. */
static int wait_new(struct target *t, size_t first)
{
	double until = monotonic_now() + STOP_SECONDS;
	size_t to = first;
	int error = 0;

	for (size_t i = first; i < t->n_threads; i++) {
		int ret = wait_stopped(&t->threads[i], until);

		if (ret == ESRCH)
			continue;
		error = ret ? ret : error;
		t->threads[to++] = t->threads[i];
	}
	t->n_threads = to;
	return error;
}

/* Once all threads have stopped, there can be no new ones. */
static bool stop_all(struct target *t)
{
	size_t first;
	int n, error = 0;

	do {
		first = t->n_threads;
		n = seize_new(t);
		error = wait_new(t, first);
	} while (n > 0 && !error);
	if (n < 0)
		error = -n;
	if (!error && t->n_threads)
		return true;
	if (error == EPERM)
		tell_no_rights(t->pid, error);
	else if (error == ETIMEDOUT)
		warnx("a thread of process %d sleeps in the kernel and does not "
		      "stop: try again", t->pid);
	else
		warnx("process %d has ended, or cannot be stopped%s%s", t->pid,
		      error ? ": " : "", error ? strerror(error) : "");
	target_release(t);
	return false;
}

void target_release(struct target *t)
{
	for (size_t i = 0; i < t->n_threads; i++)
		ptrace(PTRACE_DETACH, t->threads[i].tid, NULL,
		       (void *)(long)t->threads[i].signal);
	t->n_threads = 0;
}

/* Return: 1 it is changing triggers, 0 it is not, -1 error. */
static int is_busy(const struct target *t)
{
	uint64_t private;
	uint32_t lock;

	if (target_read(t, t->remote.private_at, &private, sizeof(private)) ||
	    target_read(t, private + offsetof(struct ft_private, lock), &lock,
			sizeof(lock))) {
		warnx("cannot read the memory of process %d", t->pid);
		return -1;
	}
	return lock != 0;
}

bool target_hold(struct target *t)
{
	for (int i = 0; i < HOLD_TRIES; i++) {
		int busy;

		if (!stop_all(t))
			return false;
		busy = target_look(t) ? is_busy(t) : -1;
		if (!busy)
			return true;
		target_release(t);
		if (busy < 0)
			return false;
		usleep(HOLD_AGAIN_US);
	}
	warnx("process %d is always turning events on or off: try again", t->pid);
	return false;
}
