/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ft run, ft attach: a recording of programs alone.
 *
 *	job.c		the steps of a recording, in their order
 *	attach.c	ft attach: joins a process that already runs
 *	clock.c		the clock
 *	summary.c	the session file, the summary
 *	snapshot.c	--flight: writes the rings as a trace
 *	rotate.c	--rotate: one trace after the other
 *	options.c	options of both
 */
#ifndef FT_RECORD_PROGRAM_JOB_H
#define FT_RECORD_PROGRAM_JOB_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "base/options.h"
#include "process/target.h"
#include "record/child.h"
#include "record/program/run.h"
#include "record/program/when.h"
#include "record/rotation.h"

#define RUN_SNAPSHOT_WRITERS	8

/* All snapshots of a recording. */
struct run_snapshots {
	unsigned int	n;		/* taken so far */
	pid_t		writers[RUN_SNAPSHOT_WRITERS];	/* processes that write; 0: none */
	bool		wanted;		/* a signal asked for one */
	bool		failed;		/* one could not be written */
	bool		lost;		/* records are missing in one */
	bool		crash;		/* one was taken of the command's crash */
};

/* A snapshot; times are on the trace's clock. */
struct run_snapshot {
	unsigned int	number;
	const char	*why;		/* "signal", "condition", "exit", "crash" */
	uint64_t	time;
	uint64_t	begin;		/* no thread lacks records after this; 0: since the start */
};

struct run_job {
	struct run		run;
	const char		*path;
	pid_t			pid;		/* ft attach: the process to record */
	double			seconds;	/* ft attach: how long; 0: until it ends */
	char			default_path[RECORD_DIR_DEFAULT];
	bool			force;
	const char		*sensors_file;	/* for what they count, as JSON; "": for people */

	struct rotation		rotation;
	struct record_part	parts[2];	/* one, and the next of a rotated recording */
	struct record_part	*part;		/* which of them is written */
	pid_t			writer;		/* completes the part before; 0: it is complete */
	__u32			named_processes, named_objects; /* that the part before has */
	struct record_child	child;
	int			no_start;	/* why the command could not be run, an errno */
	struct target		target;		/* ft attach */
	int			target_fd;	/* a pidfd: readable when the process has ended */
	sigset_t		old_signals;
	int			signal_fd;
	pthread_t		early_thread;	/* runs record_early_measure() */
	bool			early_runs;
	atomic_bool		early_is_known;
	int64_t			early;

	double			began, seconds_done;
	const char		*end;		/* why, for the session file */
	double			stop;		/* after a signal: wait no longer than this */
	bool			left_told;	/* the user was told that processes go on */
	struct run_when		when;
	struct run_snapshots	snapshots;
	struct run_snapshot	snapshot;	/* the last one */
};

#define RUN_JOB_INIT(option) {						\
	.run = RUN_INIT(option),					\
	.signal_fd = -1, .rotation = ROTATION_INIT,			\
	.parts = { RECORD_PART_INIT, RECORD_PART_INIT },		\
	.target.mem = -1, .target_fd = -1, .when.all.times = 1,	\
}

/* attach.c */

/**
 * run_attach_open - open the process
 *
 * Return: false with a message: it may not be opened, or another recorder has it.
 */
bool run_attach_open(struct run_job *job);

/** run_attach_offer - let the process find the session. Return: false with a message */
bool run_attach_offer(struct run_job *job);

/** run_attach_begin - make it join the session, enable its events */
bool run_attach_begin(struct run_job *job);

/** run_attach_look - is the recording over? Return: why, or NULL */
const char *run_attach_look(struct run_job *job, double now);

/** run_attach_end - disable its events, if it still lives */
void run_attach_end(struct run_job *job);
void run_attach_free(struct run_job *job);

/* job.c */

/**
 * run_job - record a command, or the process @job->pid
 * @show:	called at the end, if there are sensors, while they and the names of what they
 *		have counted are there. Return: false after a message. May be NULL
 *
 * Return: the exit status of ft.
 */
int run_job(struct run_job *job, bool (*show)(const struct run_job *job));

/** run_job_has_trace - does it write one? Else there are sensors alone. */
static inline bool run_job_has_trace(const struct run_job *job)
{
	return !job->run.senses || job->run.recorded;
}

/* options.c */

/** run_job_take_events - parse an option -e EVENTS, for OPTION_CALL(); @to is a struct run */
int run_job_take_events(void *to, const struct option_given *given);

/* Options that ft run and ft attach share; the target is a struct run_job. */
extern const struct option_row run_job_options[];

/* And those of a flight recorder, except --flight. */
extern const struct option_row run_flight_options[];

/* snapshot.c */

/** run_snapshot - take a snapshot now; another process writes it */
void run_snapshot(struct run_job *job, const char *why);

/** run_snapshots_reap - collect the results of writers that have ended */
void run_snapshots_reap(struct run_job *job);

/** run_snapshots_end - wait until all snapshots are written */
void run_snapshots_end(struct run_job *job);

/* summary.c */

/**
 * run_job_tell_session - write the session file of @part, as far as things are known
 * @end:	why the part has ended, or NULL
 */
bool run_job_tell_session(const struct run_job *job, const struct record_part *part,
			  const char *end);
void run_job_tell_summary(struct run_job *job);

#endif /* FT_RECORD_PROGRAM_JOB_H */
