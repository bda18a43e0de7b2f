/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The command that is being recorded. */
#ifndef FT_RECORD_CHILD_H
#define FT_RECORD_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/types.h>

struct record_child {
	char	**argv;		/* NULL: no command */
	pid_t	pid;		/* 0 while there is none */
	bool	ended;
	int	status;		/* from waitpid(), after it has ended */
	bool	stopped;	/* we asked it to end because the recording is over */
};

/* Return: 0 or errno (ENOENT: no such program), after a message. */
int record_child_start(struct record_child *child, const sigset_t *signals);

/** record_child_start_with - the same, with these as its standard input and output */
int record_child_start_with(struct record_child *child, int in, int out, const sigset_t *signals);

/**
 * record_child_run_apart - start a shell command and do not wait for it
 * @command:	what the shell gets
 * @signals:	its signal mask
 *
 * Prints a message if it cannot be started.
 */
void record_child_run_apart(const char *command, const sigset_t *signals);

/** record_child_reap - has it ended? Does not wait. */
bool record_child_reap(struct record_child *child);

/**
 * record_child_pass_on - forward the signal that ends the recording
 *
 * Not if the terminal has sent it to both of us.
 */
void record_child_pass_on(const struct record_child *child,
			  const struct signalfd_siginfo *info);

/** record_child_stop - the recording is over: ask the command to end */
void record_child_stop(struct record_child *child);

/** record_child_text - "0", "1", "signal 2", "running" */
const char *record_child_text(const struct record_child *child, char *buf,
			      size_t len);

/** record_child_tell - report how it ended, if it failed */
void record_child_tell(const struct record_child *child);

/** record_child_print - print the command, quoted for a shell */
void record_child_print(const struct record_child *child, FILE *f);

#endif /* FT_RECORD_CHILD_H */
