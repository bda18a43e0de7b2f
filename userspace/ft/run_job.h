/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ft run: a recording of programs alone.
 *
 *	run.c		options
 *	run_main.c	what happens when
 *	run_clock.c	the clock
 *	run_job_tell.c	the session file, the summary
 */
#ifndef FT_RUN_JOB_H
#define FT_RUN_JOB_H

#include <signal.h>
#include <time.h>

#include "record_child.h"
#include "run.h"

struct run_job {
	struct run		run;
	const char		*path;
	char			default_path[RECORD_DIR_DEFAULT];
	bool			force;

	struct record_dir	dir;
	int			session_file;
	struct record_child	child;
	sigset_t		signals, old_signals;
	int			signal_fd;

	time_t			start;
	double			began, seconds_done;
	const char		*end;		/* why, for the session file */
	double			stop;		/* a signal came: wait until then */
	bool			left_told;
	bool			childless;	/* all have ended */
};

/* run_main.c */
int run_job(struct run_job *job);

/* run_job_tell.c */
bool run_job_tell_session(const struct run_job *job);
void run_job_tell_summary(const struct run_job *job);

#endif /* FT_RUN_JOB_H */
