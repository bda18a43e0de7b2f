/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The command that is run while a trace is recorded. */
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
	int	status;		/* of waitpid(), once it has ended */
	bool	stopped;	/* we have asked it to end, as the recording is over */
};

/* Return: 0 or errno (ENOENT: no such program), after a message. */
int record_child_start(struct record_child *child, const sigset_t *signals);

/**
 * record_child_run_apart - start a shell's command for which nobody waits
 * @command:	what the shell gets
 * @signals:	its mask
 *
 * Prints a message if it cannot be started.
 */
void record_child_run_apart(const char *command, const sigset_t *signals);

/** record_child_reap - has it ended? Does not wait. */
bool record_child_reap(struct record_child *child);

/**
 * record_child_pass_on - give it the signal that ends the recording
 *
 * Not where the terminal has given it to both of us.
 */
void record_child_pass_on(const struct record_child *child,
			  const struct signalfd_siginfo *info);

/** record_child_stop - the recording is over: the command is to end, too */
void record_child_stop(struct record_child *child);

/** record_child_text - "0", "1", "signal 2", "running" */
const char *record_child_text(const struct record_child *child, char *buf,
			      size_t len);

/** record_child_tell - how it has ended, if that was not well */
void record_child_tell(const struct record_child *child);

/** record_child_print - the command, quoted as for a shell */
void record_child_print(const struct record_child *child, FILE *f);

#endif /* FT_RECORD_CHILD_H */
