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
#include "record/kernel/part.h"
#include "record/kernel/rings.h"
#include "record/kernel/rotate.h"
#include "record/kernel/tasks.h"
#include "record/kernel/user.h"
#include "record/kernel/when.h"

/* Why a recording ended. */
enum record_end {
	RECORD_UNFINISHED,
	RECORD_BY_TIME,
	RECORD_BY_COMMAND,
	RECORD_BY_SIGNAL,
	RECORD_BY_OTHERS,	/* somebody disabled the events */
	RECORD_BY_ERROR,
	RECORD_BY_CONDITION,	/* of a flight recorder */
	RECORD_BY_ROTATION,	/* this part of it; the recording goes on */
};

struct record {
	/* what was asked for */
	const char		*path;
	char			default_path[RECORD_DIR_DEFAULT];
	const char		**chosen;	/* arguments of -e */
	size_t			nchosen;
	bool			locks;
	bool			force;
	bool			ordered;	/* acquisitions read the clock so */
	bool			flight;		/* flight_record() */
	bool			apart;		/* in a session of its own */
	const char		*session;	/* its name; NULL: it has none */
	__u32			slots;		/* 0: as configured */
	__u32			user_slots;	/* 0: the default */
	double			seconds;	/* 0: no limit */
	struct rotation		rotation;
	struct record_when	when;

	/* what it is done with */
	int			control;
	int			holder;		/* keeps the events enabled */
	struct ft_info		info;		/* as it was at the start */
	int64_t			early;		/* record_early_measure() */
	struct ft_config	config;
	__u32			old_slots;	/* 0: nothing to restore */
	struct events		events;
	struct record_part	parts[2];	/* one, and the next of a rotated recording */
	struct record_part	*part;		/* which of them is written */
	struct rings		rings;
	struct record_child	child;
	struct record_tasks	tasks;
	struct record_user	user;
	char			*metadata;
	size_t			metadata_len;

	/* how it goes */
	sigset_t		signals;	/* those that come by signal_fd */
	sigset_t		old_signals;
	int			signal_fd;
	double			began;		/* monotonic_now() */
	double			seconds_done;
	bool			still_active;	/* others keep the trace */
	__u64			clock_flags;	/* FT_INFO_CLOCK_*, at the end */
	enum record_end		end;
};

/* events.c */

/** record_events - find those that are meant. Return: false after a message */
bool record_events(struct record *rec);

/* run.c: prepare - run - finish */

/** record_prepare - all that can fail before the first event; false: told */
bool record_prepare(struct record *rec);

/**
 * record_begin_session - let the control descriptor be about the session that was asked for
 *
 * record_end_session() ends it, unless the descriptor does. Return: false after a message.
 */
bool record_begin_session(struct record *rec);
void record_end_session(struct record *rec);

/** record_run - record until the end. Return: exit status. */
int record_run(struct record *rec);

/** record_cleanup - what record_prepare() got; @discard the directory too? */
void record_cleanup(struct record *rec, bool discard);

/* summary.c: what is told, to the file and to the user */

/**
 * record_metadata_save - into the part that is written, if it is new
 *
 * Return: false after a message.
 */
bool record_metadata_save(struct record *rec);

/**
 * record_session_write - the session file, as far as things are known
 *
 * @end:	why the part has ended, or RECORD_UNFINISHED
 *
 * Written at the start and again, in place, at the end: what is there by then
 * needs no more room on a full disk. Return: false after a message.
 */
bool record_session_write(const struct record *rec, const struct record_part *part,
			  enum record_end end);

void record_progress(const struct record *rec);
void record_summary(const struct record *rec);

#endif /* FT_RECORD_KERNEL_RECORD_H */
