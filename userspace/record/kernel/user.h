/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ft record --user: what the command and its children do, beside what the kernel
 * does. One trace has both: streams of CPUs and of programs in one directory, one
 * metadata, and one clock in it, which is the module's; programs read the same.
 *
 * A thread reads the rings of programs, as one each reads that of a CPU.
 */
#ifndef FT_RECORD_KERNEL_USER_H
#define FT_RECORD_KERNEL_USER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "record/program/run.h"

struct record;

struct record_user {
	bool		wanted;		/* else nothing else is used */
	struct run	run;
	pthread_t	thread;
	bool		started;
	_Atomic bool	stop;
	int		event_fd;	/* made readable when it fails */
};

#define RECORD_USER_INIT	{ .run = RUN_INIT("ft record --user-slots") }

/* All of them may be called where no programs are wanted, and do nothing then. */

/**
 * record_user_prepare - all that can fail before the command runs; its environment
 *
 * The kernel's clock is known, and what is to be recorded. Return: false after a
 * message.
 */
bool record_user_prepare(struct record *rec);

/** record_user_start - the trace has begun: its thread. Return: false after a message */
bool record_user_start(struct record *rec);

/** record_user_stop - no record of programs any more; ends the thread */
void record_user_stop(struct record *rec);

/** record_user_finish - after that: the rest of the records, names of threads */
void record_user_finish(struct record *rec);

/** record_user_save - what names of addresses need. Return: false after a message */
bool record_user_save(struct record *rec);

/**
 * record_user_metadata - the kernel's metadata, and that of programs behind it
 * @text:	freed, or returned
 * @len:	of it
 *
 * Return: NULL after a message.
 */
char *record_user_metadata(struct record *rec, char *text, ssize_t *len);

void record_user_free(struct record *rec);

#endif /* FT_RECORD_KERNEL_USER_H */
