/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What ft record and ft run share: signals, and the head of a session file. */
#ifndef FT_RECORD_SHARE_H
#define FT_RECORD_SHARE_H

#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "record/child.h"
#include "trace/directory.h"

/**
 * record_share_signals - receive by a descriptor what ends a recording, SIGCHLD and SIGUSR1
 * @old:	out: the previous mask, for the command
 *
 * Ignored signals stay ignored. Return: the descriptor, or -1 with a message.
 */
int record_share_signals(sigset_t *old);

/** record_share_refuse_snapshot - say that this recording has none: it goes on */
void record_share_refuse_snapshot(void);

/** record_share_restore - restore the signals, in the command's process */
void record_share_restore(const sigset_t *old);

/** record_share_system - write the system, and when the recording began */
void record_share_system(FILE *f, time_t start);

/** record_share_command - write the command, and how it ended if @ended */
void record_share_command(FILE *f, const struct record_child *child, bool ended);

/**
 * record_share_write - rewrite the session file
 * @dir:	its directory
 * @put:	writes its lines
 *
 * In place, so that a full disk has room for it. Return: false after a message.
 */
bool record_share_write(const struct record_dir *dir, int fd,
			void (*put)(FILE *f, const void *arg), const void *arg);

#endif /* FT_RECORD_SHARE_H */
