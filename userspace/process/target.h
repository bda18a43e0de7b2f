/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A running program with libfeathertrace: its memory, its events, and holding it for a
 * moment to change these.
 *
 *	target.c		the process: its threads, its memory
 *	files.c		the files that it has loaded: where its triggers are
 *	events.c		its events; turning them on and off
 *	patterns.c	which of them are on
 *
 * The library's part is userspace/libfeathertrace/remote.h. All functions that can fail say why.
 */
#ifndef FT_PROCESS_TARGET_H
#define FT_PROCESS_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libfeathertrace/remote.h"

struct target_thread {
	pid_t	tid;
	int	signal;		/* pending: delivered when it continues */
};

/* A table of triggers: of one file that is loaded. */
struct target_table {
	uint64_t	at;
	size_t		n;
};

struct target_event {
	uint64_t	at;		/* its struct ft_event */
	char		name[FT_NAME_LEN];
	unsigned int	id;
	bool		on;
	unsigned int	triggers;
};

struct target {
	pid_t			pid;
	int			mem;
	struct target_thread	*threads;	/* that are held */
	size_t			n_threads, room_threads;

	/* Valid after target_look(), as long as the process is held. */
	uint64_t		remote_at;
	bool			is32;		/* has files of 32 bits */
	struct ft_remote	remote;
	struct ft_wanted	wanted[FT_WANTED_MAX];
	struct target_table	*tables;
	size_t			n_tables;
	struct target_event	*events;
	size_t			n_events;
};

/* --- target.c ------------------------------------------------------------- */

/** target_open - open its memory; false with a message */
bool target_open(struct target *t, pid_t pid);
void target_close(struct target *t);

/**
 * target_hold - stop all threads, none of them in the middle of changing triggers
 *
 * If this program dies meanwhile, the kernel lets them continue. Calls target_look().
 */
bool target_hold(struct target *t);
void target_release(struct target *t);

/* Return: 0 or -errno; all of it or an error. */
int target_read(const struct target *t, uint64_t at, void *buf, size_t len);
int target_write(const struct target *t, uint64_t at, const void *buf,
		 size_t len);

/* --- files.c ------------------------------------------------------- */

/** target_files - find the tables of triggers and struct ft_remote. Return: has it the library? */
bool target_files(struct target *t);

/* --- events.c ------------------------------------------------------ */

/** target_look - read its events and triggers */
bool target_look(struct target *t);

/** target_has - does a pattern or number match an event? If not: false, with a message */
bool target_has(const struct target *t, const char *pattern);

/**
 * target_set - turn on events that match @patterns, beside those the program turned on
 *
 * Return: how many triggers were changed, or -1.
 */
int target_set(struct target *t, const char *patterns);

/** target_recorder - the process that records this one, or 0 */
pid_t target_recorder(const struct target *t);

/** target_join - make it join a session at its next event */
bool target_join(struct target *t, const char *session);

/**
 * target_error - errno of a failure to join the session of the last target_join()
 *
 * Needs no hold. Return: 0 if it has joined, or not tried yet.
 */
int target_error(const struct target *t);

/* --- patterns.c ---------------------------------------------------- */

/**
 * target_add, target_remove - turn on, turn off, events of the process, which is held
 * @names:	names, patterns, numbers; ends with NULL. All of them, or none
 *
 * Events that were on already stay on. Return: false with a message.
 */
bool target_add(struct target *t, char **names);
bool target_remove(struct target *t, char **names);

#endif /* FT_PROCESS_TARGET_H */
