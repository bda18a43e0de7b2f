// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ft attach: instead of a command, a process that runs already.
 *
 * It opens the session's memory by a name, /proc/PID/fd/N, which the kernel allows
 * where PID is nothing more than it is. Where we are (root, and the process is not),
 * a child of ours becomes what the process is, and holds the memory for it.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pid.h"
#include "run.h"

/* How often it is looked whether the process is still there, and has joined. */
#define LOOK_SECONDS	0.05

#ifndef FALLOC_FL_PUNCH_HOLE
#include <linux/falloc.h>
#endif

/* The names of events as pid_add() takes them. Return: NULL without memory. */
static char **split_patterns(const struct run *run, char *text)
{
	char **names = calloc(strlen(run->patterns) + 2, sizeof(*names));
	size_t n = 0;
	char *name;

	strcpy(text, run->patterns);
	while (names && (name = strsep(&text, ","))) {
		if (*name)
			names[n++] = name;
	}
	return names;
}

static bool change_events(struct run *run,
			  bool (*how)(struct target *t, char **names))
{
	char text[sizeof(run->patterns)];
	char **names = split_patterns(run, text);
	bool ok = names && how(&run->target, names);

	free(names);
	return ok;
}

bool run_attach_open(struct run *run)
{
	pid_t other;
	bool ok;

	if (run->pid == getpid()) {
		warnx("process %d is this one", run->pid);
		return false;
	}
	if (!target_open(&run->target, run->pid) || !target_hold(&run->target))
		return false;
	other = target_recorder(&run->target);
	/* what was left on by one that was killed */
	ok = other || !*run->target.remote.session ||
	     target_set(&run->target, "") >= 0;
	target_release(&run->target);
	if (other)
		warnx("process %d is recorded already, by process %d; to turn on "
		      "more events there: ft enable --pid %d EVENT", run->pid, other,
		      run->pid);
	return ok && !other;
}

/* --- who holds the memory ------------------------------------------------- */

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
		/* the file system's, which is what counts for open() */
		found += sscanf(line, "Uid: %*u %*u %*u %u", uid) == 1;
		found += sscanf(line, "Gid: %*u %*u %*u %u", gid) == 1;
	}
	fclose(f);
	return found == 2;
}

/* As the process, until our end of the line is closed, however that happens. */
static _Noreturn void hold_memory(int line, unsigned int uid, unsigned int gid)
{
	char byte = 0;

	if (setgroups(0, NULL) || setresgid(gid, gid, gid) ||
	    setresuid(uid, uid, uid))
		_exit(1);
	/* the change has made us secret, to our kind, too */
	prctl(PR_SET_DUMPABLE, 1);
	if (write(line, &byte, 1) != 1)
		_exit(1);
	while (read(line, &byte, 1) < 0 && errno == EINTR)
		;
	_exit(0);
}

static bool start_holder(struct run *run)
{
	unsigned int uid, gid;
	int line[2];
	char byte;

	if (geteuid() || !status_ids(run->pid, &uid, &gid) || !uid)
		return true;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line))
		goto err;
	run->holder = fork();
	if (!run->holder) {
		close(line[1]);
		hold_memory(line[0], uid, gid);
	}
	close(line[0]);
	run->holder_line = line[1];
	snprintf(run->name, sizeof(run->name), "/proc/%d/fd/%d", run->holder,
		 run->memory);
	/* it says when it is what it shall be */
	if (run->holder > 0 && read(line[1], &byte, 1) == 1)
		return true;
err:
	warn("cannot become user %u, to whom process %d belongs", uid, run->pid);
	return false;
}

/* --- the recording -------------------------------------------------------- */

bool run_attach_begin(struct run *run)
{
	struct target *t = &run->target;
	bool ok;

	if (!start_holder(run))
		return false;
	run->target_fd = (int)syscall(SYS_pidfd_open, run->pid, 0);
	if (!target_hold(t))
		return false;
	/* the session first: the first event finds it */
	ok = target_join(t, run->name) && change_events(run, pid_add);
	target_release(t);
	if (ok)
		warnx("recording process %d; Ctrl-C ends it", run->pid);
	return ok;
}

static bool has_ended(const struct run *run)
{
	struct pollfd pfd = { .fd = run->target_fd, .events = POLLIN };
	struct stat st;
	char path[32];

	if (run->target_fd >= 0)
		return poll(&pfd, 1, 0) > 0;
	snprintf(path, sizeof(path), "/proc/%d", run->pid);
	return stat(path, &st) != 0;
}

const char *run_attach_look(struct run *run, double now)
{
	static double next;
	int error;

	if (run->seconds && now >= run->began + run->seconds)
		return "duration";
	if (now < next)
		return NULL;
	next = now + LOOK_SECONDS;
	error = target_error(&run->target);
	if (error) {
		warnx("process %d cannot open the memory for its records: %s",
		      run->pid, strerror(error));
		run->failed = true;
		return "error";
	}
	return has_ended(run) ? "process" : NULL;
}

void run_attach_end(struct run *run)
{
	if (has_ended(run) || !target_hold(&run->target))
		return;
	change_events(run, pid_remove);
	target_release(&run->target);
}

/* The process has the memory mapped for ever: it shall not cost anything. */
static void empty_memory(const struct run *run)
{
	if (run->session)
		fallocate(run->memory, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			  FT_SESSION_AT_SLOTS,
			  (off_t)(run->session->size - FT_SESSION_AT_SLOTS));
}

void run_attach_free(struct run *run)
{
	if (!run->pid)
		return;
	empty_memory(run);
	target_close(&run->target);
	if (run->target_fd >= 0)
		close(run->target_fd);
	if (run->holder_line >= 0)
		close(run->holder_line);
	if (run->holder > 0)
		waitpid(run->holder, NULL, 0);
}
