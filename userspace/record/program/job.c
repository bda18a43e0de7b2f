// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ft run, ft attach: the steps of a recording.
 *
 *	prepare:  everything that can fail, before the command runs
 *	run:      read the rings until the command and all that it started has ended, or
 *		  the attached process has, or the user ends it
 *	finish:   close the rings, read the rest, print the summary
 *
 * With --flight nothing is written until there is a reason for a snapshot: see
 * snapshot.c. The end of the recording is such a reason.
 */
#include <err.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/exit_status.h"
#include "record/early_bound.h"
#include "record/exit.h"
#include "record/program/job.h"
#include "record/program/rotate.h"
#include "record/program/sensors.h"
#include "record/program/stacks.h"
#include "record/share.h"

/* How long the command may take to end after a signal. */
#define STOP_SECONDS	5.0

/* Too short a time for PIDs to be used up and reused. */
#define SHORT_SECONDS	0.2

/* This long after the command's end, tell the user that other processes go on. */
#define TELL_SECONDS	1.0

/* --- prepare -------------------------------------------------------------- */

static bool prepare_files(struct run_job *job)
{
	if (!run_rotate_first(job) || !record_dir_clear(&job->part->dir))
		return false;
	if (job->run.flight)
		return true;
	return record_part_session(job->part) && run_meta_save(&job->run);
}

static void make_uuid(struct run *run)
{
	if (getrandom(run->uuid, sizeof(run->uuid), 0) !=
	    (ssize_t)sizeof(run->uuid))
		memcpy(run->uuid, &run->clock, sizeof(run->uuid));
	run->uuid[6] = (run->uuid[6] & 0x0f) | 0x40;
	run->uuid[8] = (run->uuid[8] & 0x3f) | 0x80;
}

/*
 * How early an acquisition can be stamped (early_bound.h) is measured while the command
 * starts. The metadata need the result only at the end.
 */
static void *measure(void *arg)
{
	struct run_job *job = arg;

	job->early = record_early_measure(job->run.clock.source, job->run.ordered);
	atomic_store(&job->early_is_known, true);
	return NULL;
}

static void early_begin(struct run_job *job)
{
	job->early_runs = job->run.locks &&
			  !pthread_create(&job->early_thread, NULL, measure, job);
}

static void early_take(struct run_job *job, bool wait)
{
	if (!job->early_runs || !(wait || atomic_load(&job->early_is_known)))
		return;
	pthread_join(job->early_thread, NULL);
	job->early_runs = false;
	run_meta_early(&job->run, job->early);
}

static bool prepare(struct run_job *job)
{
	struct run *run = &job->run;

	if (!run_when_prepare(&job->when, run))
		return false;
	job->part = &job->parts[0];
	job->part->dir.numbered = run->flight;
	if (!record_dir_open(rotation_dir(&job->rotation, job->part), job->path, job->force))
		return false;
	job->signal_fd = record_share_signals(&job->old_signals);
	if (job->signal_fd < 0)
		return false;
	run->dir = &job->part->dir;
	run_clock_find(&run->clock);
	make_uuid(run);
	if ((job->pid && !run_attach_open(job)) || !run_session_make(run))
		return false;
	if (!job->pid)
		run_offer_own(run);
	else if (!run_attach_offer(job))
		return false;
	/* threads start only from here on, so they have no privileges either */
	early_begin(job);
	return run_beat_begin(run) && prepare_files(job);
}

/* --- the command ---------------------------------------------------------- */

static bool start_command(struct run_job *job)
{
	if (!run_command_prepare(&job->run, job->child.argv[0]))
		return false;
	job->no_start = record_child_start(&job->child, &job->old_signals);
	return !job->no_start;
}

static bool start(struct run_job *job)
{
	job->part->start = time(NULL);
	job->part->began = job->began = monotonic_now();
	if ((!job->run.flight && !run_job_tell_session(job, job->part, NULL)) ||
	    !run_rotate_start(job) || !(job->pid ? run_attach_begin(job) : start_command(job)))
		return false;
	run_raise_files();
	run_begin();
	return true;
}

/* --- run ------------------------------------------------------------------ */

static void take_signal(struct run_job *job)
{
	struct signalfd_siginfo info;

	while (read(job->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		if (info.ssi_signo == SIGUSR1) {
			if (job->run.flight)
				job->snapshots.wanted = true;
			else
				record_share_refuse_snapshot();
			continue;
		}
		if (!job->pid)
			record_child_pass_on(&job->child, &info);
		if (job->stop)	/* a second signal: do not wait for the command */
			job->end = "signal";
		job->stop = monotonic_now() + STOP_SECONDS;
	}
	record_child_reap(&job->child);
}

/* The command's PID, while all its descendants must have later ones; 0: no longer. */
static pid_t first_number(const struct run_job *job, double now)
{
	return now < job->began + SHORT_SECONDS ? job->child.pid : 0;
}

/* Is the recording over? The command may take a while to end after a signal. */
static bool is_over(struct run_job *job, double now)
{
	if (job->pid)
		job->end = job->stop ? "signal" : run_attach_look(job, now);
	else if (job->stop && (job->child.ended || now >= job->stop))
		job->end = "signal";
	else if (job->child.ended && !job->end && !run_goes_on(&job->run, first_number(job, now)))
		job->end = "command";
	return job->end || job->run.failed;
}

/* Says once that processes outlive the command. */
static void tell_left(struct run_job *job, double now)
{
	static double ended;

	if (!job->child.ended || job->left_told)
		return;
	if (!ended)
		ended = now;
	if (now < ended + TELL_SECONDS)
		return;
	warnx("'%s' has ended; what it started goes on, and is recorded; Ctrl-C "
	      "ends this", job->child.argv[0]);
	job->left_told = true;
}

static bool has_crashed(const struct run_job *job)
{
	return job->child.ended && WIFSIGNALED(job->child.status) && !job->stop;
}

/* A crash gets a snapshot only if other processes go on: else the last one is of it. */
static void take_snapshots(struct run_job *job)
{
	run_snapshots_reap(job);
	run_when_look(&job->when, &job->run);
	if (run_when_is_due(&job->when)) {
		run_snapshot(job, "condition");
		run_when_next(&job->when);
	}
	if (job->snapshots.wanted)
		run_snapshot(job, "signal");
	job->snapshots.wanted = false;
	if (!job->snapshots.crash && has_crashed(job) && run_goes_on_surely(&job->run)) {
		job->snapshots.crash = true;
		run_look(&job->run);
		run_snapshot(job, "crash");
	}
}

static void read_until_end(struct run_job *job)
{
	struct pollfd pfd = { .fd = job->signal_fd, .events = POLLIN };
	unsigned int what;
	double now;

	for (now = monotonic_now(); !is_over(job, now); now = monotonic_now()) {
		if (job->run.flight)
			take_snapshots(job);
		if (!run_rotate_step(job))
			job->run.failed = true;
		what = run_step(&job->run);
		if (what & RUN_LOOKED) {
			early_take(job, false);
			if ((!job->run.flight && !run_meta_save(&job->run)) ||
			    !run_sensors_look(&job->run, now))
				job->run.failed = true;
			if (!job->pid)
				tell_left(job, now);
		}
		if (poll(&pfd, 1, what & RUN_BUSY ? 0 : job->run.sleep_ms) > 0)
			take_signal(job);
	}
}

/* --- finish --------------------------------------------------------------- */

static bool finish_files(struct run_job *job)
{
	if (job->run.flight) {
		/* a condition that fires now, or is pending, is noted in the last snapshot */
		run_when_look(&job->when, &job->run);
		run_snapshot(job, has_crashed(job) && !job->snapshots.crash ? "crash" : "exit");
		run_snapshots_end(job);
		return true;
	}
	run_stacks_count(&job->run);
	return run_meta_save(&job->run) && run_objects_save(&job->run) &&
	       run_tasks_save(&job->run) && run_stacks_save(&job->run) &&
	       run_job_tell_session(job, job->part, job->end);
}

static int failed(const struct run_job *job)
{
	if (job->pid)	/* there is no command whose exit status this could be */
		return FT_EXIT_ERROR;
	return job->no_start ? record_exit_no_start(job->no_start) : FT_EXIT_FAILED;
}

static int finish(struct run_job *job, bool (*show)(const struct run_job *job))
{
	bool lost;

	if (!job->end)
		job->end = "error";
	if (!run_rotate_settle(job))
		job->run.failed = true;
	job->seconds_done = monotonic_now() - job->began;
	job->part->seconds = monotonic_now() - job->part->began;
	if (job->pid)
		run_attach_end(job);
	run_close(&job->run);
	run_finish(&job->run);
	early_take(job, true);
	if (!finish_files(job))
		job->run.failed = true;
	if (!run_rotate_end(job, job->run.failed))
		job->run.failed = true;
	run_job_tell_summary(job);
	run_sensors_end(&job->run);
	if (job->run.senses && show && !show(job))
		job->run.failed = true;
	lost = job->snapshots.lost || !run_is_whole(&job->run);
	lost |= !rotation_deliver(&job->rotation, job->part);
	return job->run.failed ? failed(job) : record_exit_done(&job->child, lost);
}

static void cleanup(struct run_job *job, bool discard)
{
	early_take(job, true);
	run_beat_end(&job->run);
	run_attach_free(job);
	free(job->when.matches);
	run_free(&job->run);
	record_part_close(&job->parts[0], discard);
	record_part_close(&job->parts[1], discard);
	run_rotate_free(job, discard);
	if (job->signal_fd >= 0)
		close(job->signal_fd);
}

int run_job(struct run_job *job, bool (*show)(const struct run_job *job))
{
	int status;

	if (!prepare(job) || !start(job)) {
		cleanup(job, true);
		return failed(job);
	}
	read_until_end(job);
	status = finish(job, show);
	cleanup(job, !run_job_has_trace(job) || (job->run.flight && !job->snapshots.n));
	return status;
}
