/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ft run, ft attach: a recording of programs alone.
 *
 *	job.c	what happens when
 *	attach.c	instead of a command: a process that runs
 *	clock.c	the clock
 *	summary.c	the session file, the summary
 *	snapshot.c	with --flight: what is in the rings becomes a trace
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

#define RUN_SNAPSHOT_WRITERS	8

/* All that were taken. */
struct run_snapshots {
	unsigned int	n;
	pid_t		writers[RUN_SNAPSHOT_WRITERS];	/* processes that write; 0: none */
	bool		wanted;		/* a signal asks for one */
	bool		failed;		/* one could not be written */
	bool		lost;		/* in one of them, records are missing */
	bool		crash;		/* the command's crash has got one */
};

/* One of them; times are those of the trace's clock. */
struct run_snapshot {
	unsigned int	number;
	const char	*why;		/* "signal", "condition", "exit", "crash" */
	uint64_t	time;
	uint64_t	begin;		/* since then all threads are whole; 0: since the start */
};

struct run_job {
	struct run		run;
	const char		*path;
	pid_t			pid;		/* ft attach: of which process */
	double			seconds;	/* ft attach: how long, or 0 */
	char			default_path[RECORD_DIR_DEFAULT];
	bool			force;

	struct record_dir	dir;
	int			session_file;
	struct record_child	child;
	int			no_start;	/* why it could not be run, an errno */
	struct target		target;		/* ft attach */
	int			target_fd;	/* readable when it has ended */
	sigset_t		signals, old_signals;
	int			signal_fd;
	pthread_t		early_thread;	/* that measures */
	bool			early_runs;
	atomic_bool		early_is_known;
	int64_t			early;

	time_t			start;
	double			began, seconds_done;
	const char		*end;		/* why, for the session file */
	double			stop;		/* a signal came: wait until then */
	bool			left_told;
	struct run_when		when;
	struct run_snapshots	snapshots;
	struct run_snapshot	snapshot;	/* the last */
};

#define RUN_JOB_INIT(option) {						\
	.run = RUN_INIT(option),					\
	.session_file = -1, .signal_fd = -1, .dir.fd = -1,		\
	.target.mem = -1, .target_fd = -1, .when.all.times = 1,	\
}

/* attach.c */

/** run_attach_open - may we? Is nobody else there? With a message if not. */
bool run_attach_open(struct run_job *job);

/** run_attach_offer - make the session known to it; with a message if not */
bool run_attach_offer(struct run_job *job);

/** run_attach_begin - let it join, turn its events on */
bool run_attach_begin(struct run_job *job);

/** run_attach_look - why the recording is over, or NULL */
const char *run_attach_look(struct run_job *job, double now);

/** run_attach_end - turn its events off, as long as it lives */
void run_attach_end(struct run_job *job);
void run_attach_free(struct run_job *job);

/* job.c */

/** run_job - record a command, or the process job->pid. Return: exit status. */
int run_job(struct run_job *job);

/* options.c */

/** run_job_take_events - an option -e EVENTS, for OPTION_CALL(); its target is a struct run */
int run_job_take_events(void *to, const struct option_given *given);

/* What ft run and ft attach take besides; the target is a struct run_job. */
extern const struct option_row run_job_options[];

/* snapshot.c */

/** run_snapshot - take one now; another process writes it */
void run_snapshot(struct run_job *job, const char *why);

/** run_snapshots_reap - note which are written by now */
void run_snapshots_reap(struct run_job *job);

/** run_snapshots_end - wait until all of them are */
void run_snapshots_end(struct run_job *job);

/* summary.c */
bool run_job_tell_session(const struct run_job *job);
void run_job_tell_summary(const struct run_job *job);

#endif /* FT_RECORD_PROGRAM_JOB_H */
