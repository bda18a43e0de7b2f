// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ft run --flight: writes the contents of the rings as a trace, DIR/1, DIR/2 and so on.
 *
 * The rings are copied at once (freeze.c). A child process then writes the copy as a
 * complete trace, with the code that ends a recording. Meanwhile the recorder keeps
 * trimming the rings; and a full disk costs no more than this snapshot.
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/exit_status.h"
#include "base/number.h"
#include "record/program/job.h"
#include "record/program/stacks.h"

/* --- in the process that writes a snapshot -------------------------------- */

static bool open_files(struct run_job *job)
{
	static char path[4096];

	if (snprintf(path, sizeof(path), "%s/%u", job->path, job->snapshot.number) >=
	    (int)sizeof(path)) {
		warnx("the path of a snapshot is too long: %s", job->path);
		return false;
	}
	job->path = path;
	job->part->dir.numbered = false;
	return record_dir_open_part(&job->part->dir, path, false) &&
	       record_dir_clear(&job->part->dir) && record_part_session(job->part);
}

static void tell(struct run_job *job, bool is_last)
{
	const struct run_snapshot *shot = &job->snapshot;
	struct run *run = &job->run;
	char size[32], window[64] = "all since the start";

	if (shot->begin)
		snprintf(window, sizeof(window), "all threads complete for its last %.3f s",
			 (double)(shot->time - shot->begin) / (double)run->clock.hz);
	warnx("snapshot %u (%s): %llu records (%s), %s: %s", shot->number, shot->why,
	      run->records, format_size(size, sizeof(size), run->bytes), window, job->path);
	if (job->when.fired.condition)
		warnx("snapshot %u: '%s' was fulfilled by thread %d", shot->number,
		      job->when.fired.condition->name, job->when.fired.tid);
	run_tell_lost(run);
	run_stacks_tell(run);
	if (is_last)
		run_tell_missing(run, run->records);
}

static int write_all(struct run_job *job, struct run_frozen *frozen)
{
	struct run *run = &job->run;
	bool is_last;

	if (!open_files(job))
		return FT_EXIT_FAILED;
	is_last = job->end;
	if (!is_last)
		job->end = "snapshot";
	run->lock_names.earlier = !is_last;
	run_thaw(run, frozen);
	job->snapshot.time = frozen->time;
	job->snapshot.begin = run_flight_window(run);
	/* a ring was trimmed beyond its mark before it was copied: the window is empty */
	if (job->snapshot.begin > frozen->time)
		job->snapshot.begin = frozen->time;
	run_read_end(run);
	run_stacks_count(run);
	if (!run_meta_save(run) || !run_objects_save(run) || !run_tasks_save(run) ||
	    !run_stacks_save(run) ||
	    !run_job_tell_session(job, job->part, job->end) || run->failed) {
		warnx("snapshot %u is not complete: %s", job->snapshot.number, job->path);
		return FT_EXIT_FAILED;
	}
	tell(job, is_last);
	return run_is_whole(run) ? FT_EXIT_OK : FT_EXIT_LOST;
}

/* --- in the recorder ------------------------------------------------------ */

static void note_end(struct run_job *job, int status)
{
	int exit = WIFEXITED(status) ? WEXITSTATUS(status) : FT_EXIT_FAILED;

	job->snapshots.lost |= exit == FT_EXIT_LOST;
	job->snapshots.failed |= exit != FT_EXIT_LOST && exit != FT_EXIT_OK;
}

static void reap(struct run_job *job, int how)
{
	pid_t *writer = job->snapshots.writers;
	int status;

	for (size_t i = 0; i < RUN_SNAPSHOT_WRITERS; i++) {
		if (!writer[i] || waitpid(writer[i], &status, how) != writer[i])
			continue;
		note_end(job, status);
		writer[i] = 0;
	}
}

void run_snapshots_reap(struct run_job *job)
{
	reap(job, WNOHANG);
}

/* Finds a free place for a writer; if all are taken, waits until one ends. */
static pid_t *find_writer(struct run_job *job)
{
	for (int how = WNOHANG;; how = 0) {
		reap(job, how);
		for (size_t i = 0; i < RUN_SNAPSHOT_WRITERS; i++) {
			if (!job->snapshots.writers[i])
				return &job->snapshots.writers[i];
		}
	}
}

static void start_writer(struct run_job *job, struct run_frozen *frozen)
{
	pid_t *writer = find_writer(job), pid;

	job->snapshot.number = ++job->snapshots.n;
	pid = fork();
	if (!pid)
		_exit(write_all(job, frozen));
	if (pid < 0) {
		warn("cannot start a process that writes snapshot %u", job->snapshots.n);
		job->snapshots.failed = true;
		return;
	}
	*writer = pid;
}

static void tell_nothing(struct run_job *job)
{
	warnx("no snapshot (%s): the rings are empty", job->snapshot.why);
	if (job->end)
		run_tell_missing(&job->run, false);
}

void run_snapshot(struct run_job *job, const char *why)
{
	struct run *run = &job->run;
	struct run_frozen frozen;

	job->snapshot.why = why;
	job->seconds_done = monotonic_now() - job->began;
	run_clock_settle(&run->clock, true);
	if (!run_freeze(run, &frozen)) {
		job->snapshots.failed = true;
		return;
	}
	if (frozen.records)
		start_writer(job, &frozen);
	else
		tell_nothing(job);
	run_frozen_free(run, &frozen);
}

void run_snapshots_end(struct run_job *job)
{
	reap(job, 0);
	run_when_end(&job->when, &job->run);
	if (job->snapshots.failed || job->when.failed)
		job->run.failed = true;
}
