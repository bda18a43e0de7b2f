/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ft record --user: records the command and its children beside the kernel. One trace has
 * both: streams of CPUs and of programs in one directory, with one metadata and one
 * clock. It is the module's clock; programs read the same one.
 *
 * One thread reads all rings of programs.
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
	bool		wanted;		/* otherwise the rest is unused */
	struct run	run;
	pthread_t	thread;
	bool		started;
	_Atomic bool	stop;
	int		event_fd;	/* becomes readable when it fails */
};

#define RECORD_USER_INIT	{ .run = RUN_INIT("ft record --user-slots") }

/* Without --user, these functions do nothing. */

/**
 * record_user_prepare - do all that can fail before the command runs; set its environment
 *
 * Call it when the kernel's clock and the events are known. Return: false after a
 * message.
 */
bool record_user_prepare(struct record *rec);

/**
 * record_user_start - start the thread, after the trace has started. Return: false after
 * a message
 */
bool record_user_start(struct record *rec);

/** record_user_stop - stop the programs' events and the thread */
void record_user_stop(struct record *rec);

/** record_user_finish - then read the rest of the records, and names of threads */
void record_user_finish(struct record *rec);

/** record_user_save - save what is needed to name addresses. Return: false after a message */
bool record_user_save(struct record *rec);

/**
 * record_user_metadata - append the metadata of programs to the kernel's
 * @text:	the kernel's metadata; it is freed or returned
 * @len:	in, out: its length
 *
 * Return: NULL after a message.
 */
char *record_user_metadata(struct record *rec, char *text, ssize_t *len);

void record_user_free(struct record *rec);

#endif /* FT_RECORD_KERNEL_USER_H */
