// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft attach: instead of a command, a process that runs already. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/program/job.h"

/* How often to check whether the process is still there, and has joined. */
#define LOOK_SECONDS	0.05

#ifndef FALLOC_FL_PUNCH_HOLE
#include <linux/falloc.h>
#endif

/* The names of events as target_add() takes them. Return: NULL without memory. */
static char **split_patterns(const struct run_job *job, char *text)
{
	char **names = calloc(strlen(job->run.patterns) + 2, sizeof(*names));
	size_t n = 0;
	char *name;

	strcpy(text, job->run.patterns);
	while (names && (name = strsep(&text, ","))) {
		if (*name)
			names[n++] = name;
	}
	return names;
}

static bool change_events(struct run_job *job,
			  bool (*how)(struct target *t, char **names))
{
	char text[sizeof(job->run.patterns)];
	char **names = split_patterns(job, text);
	bool ok = names && how(&job->target, names);

	free(names);
	return ok;
}

bool run_attach_open(struct run_job *job)
{
	pid_t other;
	bool ok;

	if (job->pid == getpid()) {
		warnx("process %d is this one", job->pid);
		return false;
	}
	if (!target_open(&job->target, job->pid) || !target_hold(&job->target))
		return false;
	other = target_recorder(&job->target);
	/* a recorder that was killed has left the session set, and events enabled */
	ok = other || !*job->target.remote.session ||
	     target_set(&job->target, "") >= 0;
	target_release(&job->target);
	if (other)
		warnx("process %d is recorded already, by process %d; to turn on "
		      "more events there: ft enable --pid %d EVENT", job->pid, other,
		      job->pid);
	return ok && !other;
}

/* --- who offers the session ----------------------------------------------- */

static bool status_ids(pid_t pid, unsigned int *uid, unsigned int *gid)
{
	char path[32], line[128];
	int found = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	while (fgets(line, sizeof(line), f)) {
		/* the fourth is the file system ID: open() is checked against that */
		found += sscanf(line, "Uid: %*u %*u %*u %u", uid) == 1;
		found += sscanf(line, "Gid: %*u %*u %*u %u", gid) == 1;
	}
	fclose(f);
	return found == 2;
}

bool run_attach_offer(struct run_job *job)
{
	unsigned int uid, gid;

	if (!geteuid() && status_ids(job->pid, &uid, &gid) && uid)
		return run_offer_as(&job->run, uid, gid);
	run_offer_own(&job->run);
	return true;
}

/* --- the recording -------------------------------------------------------- */

bool run_attach_begin(struct run_job *job)
{
	struct target *t = &job->target;
	bool ok;

	job->target_fd = (int)syscall(SYS_pidfd_open, job->pid, 0);
	if (!target_hold(t))
		return false;
	/* the session first, so that the first event finds it */
	ok = target_join(t, job->run.name) && change_events(job, target_add);
	target_release(t);
	if (ok)
		warnx("recording process %d; Ctrl-C ends it", job->pid);
	return ok;
}

static bool has_ended(const struct run_job *job)
{
	struct pollfd pfd = { .fd = job->target_fd, .events = POLLIN };
	struct stat st;
	char path[32];

	if (job->target_fd >= 0)
		return poll(&pfd, 1, 0) > 0;
	snprintf(path, sizeof(path), "/proc/%d", job->pid);
	return stat(path, &st) != 0;
}

const char *run_attach_look(struct run_job *job, double now)
{
	static double next;
	int error;

	if (job->seconds && now >= job->began + job->seconds)
		return "duration";
	if (now < next)
		return NULL;
	next = now + LOOK_SECONDS;
	error = target_error(&job->target);
	if (error) {
		warnx("process %d cannot open the memory for its records: %s",
		      job->pid, strerror(error));
		job->run.failed = true;
		return "error";
	}
	return has_ended(job) ? "process" : NULL;
}

void run_attach_end(struct run_job *job)
{
	if (has_ended(job) || !target_hold(&job->target))
		return;
	change_events(job, target_remove);
	target_release(&job->target);
}

/* The process keeps the memory mapped as long as it lives: free the pages of the rings. */
static void empty_memory(const struct run_job *job)
{
	if (job->run.session)
		fallocate(job->run.memory, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			  FT_SESSION_AT_SLOTS,
			  (off_t)(job->run.size - FT_SESSION_AT_SLOTS));
}

void run_attach_free(struct run_job *job)
{
	if (!job->pid)
		return;
	empty_memory(job);
	target_close(&job->target);
	if (job->target_fd >= 0)
		close(job->target_fd);
}
