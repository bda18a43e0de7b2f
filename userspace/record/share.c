// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What ft record and ft run share. */
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/array.h"
#include "base/end_signals.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/virtual.h"
#include "record/share.h"
#include "trace/session_file.h"

/* The C library uses it: the first thread installs its handler, and sigaction() refuses it. */
#define SIGNAL_SETXID	33

/* Signal actions that we change. The command gets those that we inherited. */
static struct {
	int		signal;
	sighandler_t	ours;		/* NULL: the default */
	bool		ignored;	/* by our caller */
} changes[] = {
	/* a failed write is an error to report, not a reason to die */
	{ .signal = SIGPIPE, .ours = SIG_IGN }, { .signal = SIGXFSZ, .ours = SIG_IGN },
	/* we wait for the command's end */
	{ .signal = SIGCHLD },
	{ .signal = SIGNAL_SETXID },
};

/* The kernel's struct sigaction. */
struct action {
	sighandler_t	handler;
	unsigned long	flags;
	void		*restorer;
	uint64_t	mask;
};

static long action(int sig, const struct action *to, struct action *from)
{
	return syscall(SYS_rt_sigaction, sig, to, from, sizeof(to->mask));
}

static void change_signals(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		struct action ours = { .handler = changes[i].ours }, inherited;

		changes[i].ignored = !action(changes[i].signal, &ours, &inherited) &&
				     inherited.handler == SIG_IGN;
	}
}

void record_share_restore(const sigset_t *old)
{
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		struct action inherited = {
			.handler = changes[i].ignored ? SIG_IGN : SIG_DFL,
		};

		action(changes[i].signal, &inherited, NULL);
	}
	sigprocmask(SIG_SETMASK, old, NULL);
}

int record_share_signals(sigset_t *old)
{
	sigset_t signals;
	int fd;

	change_signals();
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGUSR1);
	end_signals_add(&signals);
	sigprocmask(SIG_BLOCK, &signals, old);
	fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		warn("cannot wait for signals");
	return fd;
}

void record_share_refuse_snapshot(void)
{
	warnx("SIGUSR1: no snapshot, as this is no flight recorder (--flight); "
	      "the recording goes on");
}

/* Which boot of the host: traces of one have one clock. */
static void put_boot_id(FILE *f)
{
	char *text;

	if (read_path("/proc/sys/kernel/random/boot_id", &text) < 0)
		return;
	text[strcspn(text, "\n")] = '\0';
	session_put(f, "boot_id", "%s", text);
	mem_free(text);
}

void record_share_system(FILE *f, time_t start)
{
	char text[64], virtual[64];
	struct utsname uts;
	struct tm tm;

	if (!uname(&uts)) {
		session_put(f, "host", "%s", uts.nodename);
		session_put(f, "kernel_release", "%s", uts.release);
		session_put(f, "kernel_version", "%s", uts.version);
		session_put(f, "machine", "%s", uts.machine);
	}
	put_boot_id(f);
	if (virtual_find(virtual, sizeof(virtual)))
		session_put(f, "virtual", "%s", virtual);
	localtime_r(&start, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S%z", &tm);
	session_put(f, "start", "%s", text);
	session_put(f, "ft_version", "%s", FT_VERSION);
}

void record_share_command(FILE *f, const struct record_child *child, bool ended)
{
	char *text = NULL, status[32];
	size_t len;
	FILE *words = open_memstream(&text, &len);

	if (words) {
		record_child_print(child, words);
		fclose(words);
	}
	session_put(f, "command", "%s", text ? text : child->argv[0]);
	free(text);
	if (ended)
		session_put(f, "command_status", "%s",
			    record_child_text(child, status, sizeof(status)));
}

/* Return: 0 or -errno */
static int write_anew(int fd, void (*put)(FILE *f, const void *arg),
		      const void *arg)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	int ret;

	if (!f)
		return -errno;
	put(f, arg);
	if (fclose(f)) {
		ret = -errno;
		free(text);
		return ret;
	}
	ret = lseek(fd, 0, SEEK_SET) < 0 ? -errno : write_full(fd, text, len, NULL);
	if (!ret && ftruncate(fd, (off_t)len))
		ret = -errno;
	free(text);
	return ret;
}

bool record_share_write(const struct record_dir *dir, int fd,
			void (*put)(FILE *f, const void *arg), const void *arg)
{
	int ret = write_anew(fd, put, arg);

	if (ret)
		warnx("cannot write %s/" SESSION_FILE ": %s", dir->path,
		      strerror(-ret));
	return !ret;
}
