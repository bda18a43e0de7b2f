/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ft record --stacks: asks the module for call stacks, and writes TRACE/info/stacks: with those of
 * programs, if these are recorded beside the kernel.
 */
#ifndef FT_RECORD_KERNEL_STACKS_H
#define FT_RECORD_KERNEL_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <linux/feather_trace.h>

#include "base/options.h"
#include "record/program/run.h"
#include "record/stack_choice.h"
#include "trace/directory.h"

#define RECORD_STACKS_ROOM	4096

/**
 * struct record_stacks - what was asked for, and what has come of it
 * @what:	as it was given; NULL: no stacks
 * @room:	different stacks that the module keeps; 0: RECORD_STACKS_ROOM
 * @programs:	NULL: no program's locks are recorded
 * @known:	@books and @different are known
 * @different:	how many stacks there are
 * @before:	what of @books is in parts of a rotated recording that are complete
 */
struct record_stacks {
	const char		*what;
	struct stack_choice	choice;
	__u32			room;
	struct run		*programs;

	bool			known;
	struct ft_stacks_read	books;
	uint32_t		different;
	struct ft_stacks_read	before;
};

/** record_stacks_take - an option --stacks, for OPTION_CALL() */
int record_stacks_take(void *to, const struct option_given *given);

/** record_stacks_take_room - the same of --stacks-room; its target is a __u32 */
int record_stacks_take_room(void *to, const struct option_given *given);

/** record_stacks_check - do the options fit? Return: -1, or the exit status after a message */
int record_stacks_check(const struct record_stacks *stacks);

/**
 * record_stacks_set - let the module take them
 * @control:	a descriptor of the session, whose events are on
 *
 * Return: false after a message.
 */
bool record_stacks_set(const struct record_stacks *stacks, int control);

/**
 * record_stacks_read - the file, from the module
 * @control:	any descriptor of the session
 *
 * Return: to be freed; NULL where the session has none, or after a message.
 */
char *record_stacks_read(struct record_stacks *stacks, int control, size_t *len);

/** record_stacks_save - read and write it; false after a message */
bool record_stacks_save(struct record_stacks *stacks, int control, const struct record_dir *dir);

/**
 * record_stacks_next - a part of a rotated recording is complete
 *
 * The next one has all stacks, too, so that it can be read alone, but a count of its own.
 */
void record_stacks_next(struct record_stacks *stacks);

/** record_stacks_put - facts for the session file */
void record_stacks_put(FILE *f, const struct record_stacks *stacks);

/** record_stacks_tell - how many there were, and what is missing */
void record_stacks_tell(const struct record_stacks *stacks, bool quiet);

#endif /* FT_RECORD_KERNEL_STACKS_H */
