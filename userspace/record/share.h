/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What ft record and ft run do alike: signals, and what a session file says first. */
#ifndef FT_RECORD_SHARE_H
#define FT_RECORD_SHARE_H

#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "record/child.h"
#include "trace/directory.h"

/**
 * record_share_signals - signals that end a recording come by a descriptor
 * @signals:	which
 * @old:	what was blocked before: for the command
 *
 * Those that were ignored stay so. Return: the descriptor, or -1 with a message.
 */
int record_share_signals(sigset_t *signals, sigset_t *old);

/**
 * record_share_snapshot_signal - SIGUSR1 comes by the same descriptor
 *
 * Return: false with a message.
 */
bool record_share_snapshot_signal(int fd, sigset_t *signals);

/** record_share_restore - signals as they were before; in the command's process */
void record_share_restore(const sigset_t *old);

/** record_share_system - the system, and when the recording began */
void record_share_system(FILE *f, time_t start);

/** record_share_command - the command, and how it ended if the recording has */
void record_share_command(FILE *f, const struct record_child *child, bool ended);

/**
 * record_share_write - writes the session file anew
 * @dir:	that it is in
 * @put:	its lines
 *
 * In place: what is there needs no more room on a full disk. Return: false after a
 * message.
 */
bool record_share_write(const struct record_dir *dir, int fd,
			void (*put)(FILE *f, const void *arg), const void *arg);

#endif /* FT_RECORD_SHARE_H */
