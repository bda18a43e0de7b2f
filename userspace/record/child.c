// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Runs the command that is being recorded. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "record/child.h"
#include "record/share.h"

/* Runs in the child. Like a shell, passes a file that is no program to sh. */
static void execute(char **argv, const sigset_t *signals, int tell)
{
	int error;

	record_share_restore(signals);
	execvp(argv[0], argv);
	error = errno;
	if (write(tell, &error, sizeof(error)) < 0)
		_exit(FT_EXIT_FAILED);
	_exit(FT_EXIT_NOT_FOUND);
}

/* The shell's parent ends at once: init reaps the shell. */
void record_child_run_apart(const char *command, const sigset_t *signals)
{
	pid_t pid = fork();

	if (pid < 0) {
		warn("cannot run '%s'", command);
	} else if (pid) {
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	} else {
		pid = fork();
		if (pid < 0)
			warn("cannot run '%s'", command);
		if (pid)
			_exit(0);
		record_share_restore(signals);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		warn("cannot run '%s': /bin/sh", command);
		_exit(FT_EXIT_NOT_FOUND);
	}
}

/*
 * The only place where ft starts a program other than its own scripts. posix_spawn() will
 * not do: it leaves two signals of the C library ignored, and refuses scripts without
 * "#!". Return: 0 or errno.
 */
static int start(struct record_child *child, const sigset_t *signals)
{
	int pair[2], error = 0;

	if (pipe2(pair, O_CLOEXEC))
		return errno;
	child->pid = fork();
	if (!child->pid)
		execute(child->argv, signals, pair[1]);
	if (child->pid < 0)
		error = errno;
	close(pair[1]);
	/* end of file without data: exec() succeeded */
	if (!error && read(pair[0], &error, sizeof(error)) == sizeof(error))
		waitpid(child->pid, NULL, 0);
	close(pair[0]);
	return error;
}

int record_child_start(struct record_child *child, const sigset_t *signals)
{
	int error = start(child, signals);

	if (error) {
		child->pid = 0;
		warnx("cannot run '%s': %s", child->argv[0], strerror(error));
	}
	return error;
}

int record_child_start_with(struct record_child *child, int in, int out, const sigset_t *signals)
{
	int old_in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	int old_out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	int error = EBADF;

	if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0)
		error = record_child_start(child, signals);
	else
		warn("dup2");
	dup2(old_in, STDIN_FILENO);
	dup2(old_out, STDOUT_FILENO);
	close(old_in);
	close(old_out);
	return error;
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

/* Quotes a word for a shell, unless it is plain. */
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
