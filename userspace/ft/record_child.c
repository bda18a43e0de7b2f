// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The command that is run while a trace is recorded. */
#include <err.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record_child.h"

int record_child_start(struct record_child *child, const sigset_t *signals)
{
	posix_spawnattr_t attr;
	sigset_t defaults;
	int ret;

	ret = posix_spawnattr_init(&attr);
	if (ret)
		return ret;
	/* what we ignore for ourselves must not be ignored by the command */
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	sigaddset(&defaults, SIGXFSZ);
	posix_spawnattr_setsigdefault(&attr, &defaults);
	posix_spawnattr_setsigmask(&attr, signals);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF |
				 POSIX_SPAWN_SETSIGMASK);
	ret = posix_spawnp(&child->pid, child->argv[0], NULL, &attr,
			   child->argv, environ);
	posix_spawnattr_destroy(&attr);
	if (ret) {
		child->pid = 0;
		warnx("cannot run '%s': %s", child->argv[0], strerror(ret));
	}
	return ret;
}

bool record_child_reap(struct record_child *child)
{
	if (child->pid && !child->ended)
		child->ended = waitpid(child->pid, &child->status, WNOHANG) ==
			       child->pid;
	return child->ended;
}

void record_child_pass_on(const struct record_child *child,
			  const struct signalfd_siginfo *info)
{
	if (child->pid && !child->ended && info->ssi_code != SI_KERNEL)
		kill(child->pid, info->ssi_signo);
}

void record_child_stop(struct record_child *child)
{
	if (!child->pid || child->ended)
		return;
	child->stopped = true;
	kill(child->pid, SIGTERM);
}

const char *record_child_text(const struct record_child *child, char *buf,
			      size_t len)
{
	if (!child->ended)
		snprintf(buf, len, "running");
	else if (WIFSIGNALED(child->status))
		snprintf(buf, len, "signal %d", WTERMSIG(child->status));
	else
		snprintf(buf, len, "%d", WEXITSTATUS(child->status));
	return buf;
}

void record_child_tell(const struct record_child *child)
{
	char status[32];

	if (!child->ended)
		return;
	record_child_text(child, status, sizeof(status));
	if (WIFSIGNALED(child->status))
		warnx("'%s' was ended by %s", child->argv[0], status);
	else if (WEXITSTATUS(child->status))
		warnx("'%s' exited with %s", child->argv[0], status);
}

/* As a shell would take it: what is not plain stands in single quotes. */
static void print_word(const char *word, FILE *f)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-+=./:,@%";

	if (*word && strspn(word, plain) == strlen(word)) {
		fputs(word, f);
		return;
	}
	fputc('\'', f);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", f);
		else
			fputc(*word, f);
	}
	fputc('\'', f);
}

void record_child_print(const struct record_child *child, FILE *f)
{
	for (char **arg = child->argv; *arg; arg++) {
		if (arg != child->argv)
			fputc(' ', f);
		print_word(*arg, f);
	}
}
