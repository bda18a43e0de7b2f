// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft run --rotate. See rotate.h. */
#include <err.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/exit_status.h"
#include "record/program/job.h"
#include "record/program/rotate.h"
#include "record/program/seam.h"
#include "record/program/stacks.h"
#include "trace/parts.h"

static struct record_part *other_part(struct run_job *job)
{
	return job->part == &job->parts[0] ? &job->parts[1] : &job->parts[0];
}

bool run_rotate_first(struct run_job *job)
{
	if (!rotation_wanted(&job->rotation))
		return true;
	return rotation_begin(&job->rotation) &&
	       rotation_open_part(&job->rotation, job->part, 1);
}

bool run_rotate_start(struct run_job *job)
{
	if (!rotation_wanted(&job->rotation))
		return true;
	rotation_began(&job->rotation, job->began);
	return rotation_list(&job->rotation, job->part);
}

/* --- a new part ----------------------------------------------------------- */

/* Does all that can fail before records are written there. */
static bool prepare_next(struct run_job *job, struct record_part *next)
{
	const struct record_dir *old = job->run.dir;
	char whole[PART_NAME_LEN];
	bool ok;

	next->start = time(NULL);
	if (!record_dir_clear(&next->dir) || !record_part_session(next))
		return false;
	run_clock_settle(&job->run.clock, true);
	job->run.dir = &next->dir;
	job->run.told_events = 0;	/* they are new there */
	ok = run_meta_save(&job->run) && run_tasks_save(&job->run) &&
	     run_job_tell_session(job, next, NULL);
	/* most names are there by now, should this process be killed before it writes all */
	if (ok && next->number > 2)
		run_objects_link(&job->run, &job->rotation.all,
				 part_name(whole, next->number - 2));
	job->run.dir = old;
	return ok;
}

static bool begin_next(struct run_job *job)
{
	struct record_part *next = other_part(job);

	if (!rotation_open_part(&job->rotation, next, job->part->number + 1))
		return false;
	if (!prepare_next(job, next)) {
		rotation_close_part(next, true);
		return false;
	}
	run_seam_announce(&job->run, &next->dir);
	next->began = monotonic_now();
	job->part->seconds = next->began - job->part->began;
	rotation_began(&job->rotation, next->began);
	return true;
}

/* --- the part before ------------------------------------------------------ */

/*
 * Symbols are many: parts share them, unless there are new processes or files. What seems new
 * may be a file that is mapped once more.
 */
static bool save_objects(struct run_job *job, const struct record_part *old, bool is_same)
{
	const struct record_dir *all = &job->rotation.all;
	char before[PART_NAME_LEN];

	if (old->number > 1) {
		part_name(before, old->number - 1);
		if (is_same && run_objects_share(&job->run, all, before))
			return true;
		run_objects_link(&job->run, all, before);
	}
	return run_objects_save(&job->run);
}

/* In a process of its own, whose @job is a copy. */
static int write_facts(struct run_job *job, struct record_part *old, bool is_same)
{
	struct run *run = &job->run;

	/* the recorder's own may be raised: see run_begin() */
	setpriority(PRIO_PROCESS, 0, 0);
	run->lock_names.earlier = true;
	run_seam_look_back(run, &old->dir);
	if (run_meta_save(run) && save_objects(job, old, is_same) && run_tasks_save(run) &&
	    run_stacks_save(run) && run_job_tell_session(job, old, "rotation"))
		return FT_EXIT_OK;
	warnx("part %u is not complete: %s", old->number, old->dir.path);
	return FT_EXIT_FAILED;
}

/* All rings have crossed the seam. */
static bool start_writer(struct run_job *job)
{
	struct record_part *old = job->part;
	__u32 processes = run_processes(&job->run), objects = run_objects(&job->run);
	bool is_same = old->number > 1 && processes == job->named_processes &&
		       objects == job->named_objects;
	pid_t pid;

	job->named_processes = processes;
	job->named_objects = objects;
	run_seam_close(&job->run);
	job->part = other_part(job);
	job->writer = 0;
	run_stacks_count(&job->run);
	pid = fork();
	if (!pid)
		_exit(write_facts(job, old, is_same));
	run_stacks_next(&job->run);
	if (pid < 0) {
		warn("cannot start a process that completes %s", old->dir.path);
		rotation_close_part(old, false);
		return false;
	}
	job->writer = pid;
	return true;
}

/* @how: of waitpid(). Return: false after a message, of the writer's or of ours. */
static bool reap_writer(struct run_job *job, int how)
{
	const struct run_books *books = &job->run.seam.old;
	struct record_part *old = other_part(job);
	struct record_part_books put = { books->records, books->lost, books->bytes };
	bool ok;
	int status;

	if (!job->writer || waitpid(job->writer, &status, how) != job->writer)
		return true;
	job->writer = 0;
	ok = WIFEXITED(status) && WEXITSTATUS(status) == FT_EXIT_OK;
	if (ok)
		ok = rotation_add_whole(&job->rotation, old, &put, job->part);
	rotation_close_part(old, false);
	return ok;
}

/* --- steps ---------------------------------------------------------------- */

static bool is_due(const struct run_job *job)
{
	const struct rotation *r = &job->rotation;

	return (r->bytes && job->run.books.bytes >= r->bytes) || rotation_is_old(r);
}

bool run_rotate_step(struct run_job *job)
{
	if (!rotation_wanted(&job->rotation))
		return true;
	if (!reap_writer(job, WNOHANG))
		return false;
	if (run_seam_is_open(&job->run))
		return !run_seam_is_crossed(&job->run) || start_writer(job);
	/* one at a time: where parts are short and names many, they get longer */
	return job->writer || !is_due(job) || begin_next(job);
}

bool run_rotate_settle(struct run_job *job)
{
	struct run *run = &job->run;

	if (!run_seam_is_open(run))
		return true;
	while (!run->failed && !run_seam_is_crossed(run)) {
		if (!(run_step(run) & RUN_BUSY))
			usleep((useconds_t)run->sleep_ms * 1000);
	}
	run_cross(run);
	return start_writer(job);
}

bool run_rotate_end(struct run_job *job, bool failed)
{
	const struct run_books *books = &job->run.books;
	struct record_part_books put = { books->records, books->lost, books->bytes };

	if (!rotation_wanted(&job->rotation))
		return true;
	if (!reap_writer(job, 0) || failed)
		return false;
	return rotation_add_whole(&job->rotation, job->part, &put, NULL);
}

void run_rotate_free(struct run_job *job, bool discard)
{
	if (!rotation_wanted(&job->rotation))
		return;
	rotation_close_part(&job->parts[0], discard);
	rotation_close_part(&job->parts[1], discard);
	rotation_free(&job->rotation, discard);
}
