// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * How programs find the session: it is a file in memory that has no name but
 * /proc/PID/fd/N of a process that has it open.
 *
 * The kernel lets a program open that path only if the process has the same user and no
 * more privileges than the program. ft run needs none, and drops those that its file gives
 * it. ft record needs its privileges to the end, for CPUs and modules that come later: so
 * a child, the holder, keeps the memory open. The holder has no other file open, drops all
 * privileges, and ends with ft, however that ends. When root attaches to another user's
 * process (ft attach), the holder becomes that user. It closes all other files before it
 * drops its privileges: from then on, any process of that user may inspect it.
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

/* The holder. It reports on @end that it is ready, and exits when the other side closes. */
static void hold(const struct run *run, int end, uid_t uid, gid_t gid)
{
	sigset_t all;
	char byte = 0;

	/* Ctrl-C is meant for ft and the command */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_NAME, "ft-session");
	if (chdir("/"))		/* keep no file system busy */
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
	/* fork without exec: the child must have this descriptor, which closes on exec */
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
