/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ft record: one recording, from the options to the summary. */
#ifndef FT_RECORD_KERNEL_RECORD_H
#define FT_RECORD_KERNEL_RECORD_H

#include <signal.h>
#include <stdbool.h>
#include <time.h>

#include <linux/feather_trace.h>

#include "control/events.h"
#include "record/child.h"
#include "record/locks/names.h"
#include "record/kernel/rings.h"
#include "record/kernel_stacks.h"
#include "record/kernel/tasks.h"
#include "record/kernel/user.h"
#include "record/kernel/when.h"
#include "record/part.h"
#include "record/rotation.h"

/* Why a recording ended. */
enum record_end {
	RECORD_UNFINISHED,
	RECORD_BY_TIME,
	RECORD_BY_COMMAND,
	RECORD_BY_SIGNAL,
	RECORD_BY_OTHERS,	/* others disabled the events */
	RECORD_BY_ERROR,
	RECORD_BY_CONDITION,	/* of a flight recorder was fulfilled */
	RECORD_BY_ROTATION,	/* of this part; the recording goes on */
};

struct record {
	/* what was asked for */
	const char		*path;
	char			default_path[RECORD_DIR_DEFAULT];
	const char		**chosen;	/* arguments of -e */
	size_t			nchosen;
	bool			locks;
	bool			force;
	bool			quiet;
	bool			ordered;	/* acquisitions read the clock in order */
	bool			flight;		/* flight_record() */
	bool			apart;		/* in its own session */
	const char		*session;	/* NULL: it has no name */
	__u32			slots;		/* 0: as configured */
	__u32			headroom;	/* of a flight recorder; 0: the default */
	__u32			user_slots;	/* 0: the default */
	double			seconds;	/* 0: no limit */
	int			compress;	/* level; 0: plain */
	struct rotation		rotation;
	struct record_when	when;
	struct record_stacks	stacks;

	/* what it uses */
	int			control;
	int			holder;		/* keeps the events enabled */
	struct ft_info		info;		/* at the start */
	int64_t			early;		/* record_early_measure() */
	struct ft_config	config;
	__u32			old_slots;	/* 0: nothing to restore */
	struct events		events;
	struct record_part	parts[2];	/* a rotated recording prepares the next one */
	struct record_part	*part;		/* which is being written */
	struct rings		rings;
	struct record_child	child;
	struct record_tasks	tasks;
	struct record_locks	lock_names;
	struct record_user	user;
	char			*metadata;
	size_t			metadata_len;

	/* how it goes */
	sigset_t		old_signals;
	int			signal_fd;
	double			began;		/* monotonic_now() */
	double			settled;	/* names of tasks from before the seam are known */
	double			seconds_done;
	bool			still_active;	/* others keep the trace running */
	__u64			clock_flags;	/* FT_INFO_CLOCK_*, at the end */
	enum record_end		end;
};

/* events.c */

/** record_events - find the chosen events. Return: false after a message */
bool record_events(struct record *rec);

/**
 * record_events_missed - tell which could not be recorded, and which have words that could not be
 * read. Return: whether there are any of the former
 */
bool record_events_missed(const struct record *rec);

/* run.c: prepare - run - finish */

/** record_prepare - do all that can fail before the first event; false after a message */
bool record_prepare(struct record *rec);

/** record_run - record until the end. Return: exit status. */
int record_run(struct record *rec);

/** record_cleanup - undo record_prepare(); @discard: also remove the directory */
void record_cleanup(struct record *rec, bool discard);

/* summary.c: the session file, and messages to the user */

/**
 * record_metadata_save - write the metadata of the current part, if it has changed
 *
 * Return: false after a message.
 */
bool record_metadata_save(struct record *rec);

/**
 * record_session_write - write what is known to the session file
 *
 * @end:	why the part ended, or RECORD_UNFINISHED
 *
 * Called at the start, and again at the end. It writes in place, so that a full disk has
 * room for it. Return: false after a message.
 */
bool record_session_write(const struct record *rec, const struct record_part *part,
			  enum record_end end);

void record_progress(const struct record *rec);
void record_summary(struct record *rec);

#endif /* FT_RECORD_KERNEL_RECORD_H */
