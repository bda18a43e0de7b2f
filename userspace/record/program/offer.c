// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Where programs find the session: it is a file in memory that has no name but
 * /proc/PID/fd/N of a process that has it open.
 *
 * The kernel lets a program open that if the process is no more than the program is:
 * of the same user, and without rights that the program has not. ft run needs no
 * rights and gives up those that it has from its file. ft record needs its own to the
 * end, for CPUs and modules that come later. So a child of it has the memory open: a
 * process that has nothing else, can do nothing, and ends when ft does, however that
 * ends. So does one where root attaches to a process of somebody else (ft attach): it
 * becomes that user. It must not have more than the memory before it gives up its rights: from
 * then on any process of the user may look into it.
 */
#include <err.h>
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/program/run.h"

static void drop_rights(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct none[2] = { 0 };

	syscall(SYS_capset, &head, none);
	prctl(PR_SET_DUMPABLE, 1);
}

static bool become(uid_t uid, gid_t gid)
{
	return !setgroups(0, NULL) && !setresgid(gid, gid, gid) &&
	       !setresuid(uid, uid, uid);
}

static void set_name(struct run *run, pid_t pid)
{
	snprintf(run->name, sizeof(run->name), "/proc/%d/fd/%d", pid,
		 run->memory);
}

void run_offer_own(struct run *run)
{
	if (geteuid())
		drop_rights();
	set_name(run, getpid());
}

static void close_all_but(unsigned int a, unsigned int b)
{
	unsigned int low = a < b ? a : b, high = a < b ? b : a;

	if (low)
		close_range(0, low - 1, 0);
	if (high > low + 1)
		close_range(low + 1, high - 1, 0);
	close_range(high + 1, ~0u, 0);
}

/* In the child. What comes from @end is its end; before that it says that it is there. */
static void hold(const struct run *run, int end, uid_t uid, gid_t gid)
{
	sigset_t all;
	char byte = 0;

	/* Ctrl-C is for ft and the command */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_NAME, "ft-session");
	if (chdir("/"))		/* a file system may be unmounted */
		_exit(1);
	close_all_but((unsigned int)run->memory, (unsigned int)end);
	if (uid != geteuid() && !become(uid, gid))
		_exit(1);
	drop_rights();
	if (write(end, &byte, 1) != 1)
		_exit(1);
	while (read(end, &byte, 1) < 0 && errno == EINTR)
		;
	_exit(0);
}

bool run_offer_held(struct run *run)
{
	return run_offer_as(run, geteuid(), getegid());
}

bool run_offer_as(struct run *run, uid_t uid, gid_t gid)
{
	int pair[2];
	char byte;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
		warn("cannot make the session known to programs");
		return false;
	}
	/* no program: the child holds this memory, which a program would not have */
	pid = fork();
	if (!pid)
		hold(run, pair[1], uid, gid);
	close(pair[1]);
	run->held = pair[0];
	run->holder = pid > 0 ? pid : 0;
	if (run->holder && read(pair[0], &byte, 1) == 1) {
		set_name(run, pid);
		return true;
	}
	warnx("cannot start the process that makes the session known to programs");
	return false;
}
