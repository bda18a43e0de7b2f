// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft run, ft attach: the session file, and the summary for the user. */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/uuid.h"
#include "control/device.h"
#include "record/early_bound.h"
#include "record/program/job.h"
#include "record/program/stacks.h"
#include "record/share.h"

static void put_trace(FILE *f, const struct run *run)
{
	char uuid[UUID_LEN];

	run_put_events(f, "events", run);
	uuid_format(uuid, run->uuid);
	session_put(f, "uuid", "%s", uuid);
	session_put(f, "clock", "%s", device_clock_name(run->clock.source));
	if (run->clock.hz)
		session_put(f, "clock_hz", "%" PRIu64, run->clock.hz);
	record_early_put(f, run->early, run->clock.hz);
	if (run->locks)
		session_put(f, "lock_source", "pthread");
	if (*run->lock_names.state)
		session_put(f, "lock_names", "%s", run->lock_names.state);
	session_put(f, "slots", "%u", run->slots);
}

/* A part, and why it has ended. */
struct told {
	const struct run_job		*job;
	const struct record_part	*part;
	const char			*end;
};

static void put_result(FILE *f, const struct told *told)
{
	const struct run *run = &told->job->run;

	session_put(f, "ended", "%s", told->end);
	session_put(f, "duration_s", "%.6f", told->part->number ? told->part->seconds :
		    told->job->seconds_done);
	session_put(f, "processes", "%u", run_processes(run));
	session_put(f, "streams", "%u", told->part->number ? run->books.streams : run->n_streams);
	session_put(f, "records", "%llu", run->books.records);
	session_put(f, "lost", "%llu", run->books.lost);
	run_put_lost(f, run);
	run_stacks_put(f, run);
	session_put(f, "unwritten", "%llu", run->books.unwritten);
	if (run->damage)
		session_put(f, "damage", "%llu", run->damage);
}

static void put_snapshot(FILE *f, const struct run_snapshot *shot, const struct run_fired *fired)
{
	session_put(f, "snapshot", "%s", shot->why);
	session_put(f, "window_begin", "%" PRIu64, shot->begin);
	session_put(f, "window_end", "%" PRIu64, shot->time);
	if (!fired->condition)
		return;
	session_put(f, "condition", "%s", fired->condition->name);
	session_put(f, "condition_event", "%s", fired->condition->event);
	session_put(f, "condition_time", "%" PRIu64, fired->time);
	session_put(f, "condition_tid", "%d", fired->tid);
}

static void put_all(FILE *f, const void *arg)
{
	const struct told *told = arg;
	const struct run_job *job = told->job;

	record_share_system(f, told->part->start);
	put_trace(f, &job->run);
	rotation_put(f, &job->rotation, told->part);
	if (job->pid)
		session_put(f, "pid", "%d", job->pid);
	else
		record_share_command(f, &job->child, job->end);
	if (told->end)
		put_result(f, told);
	if (job->run.flight)
		put_snapshot(f, &job->snapshot, &job->when.fired);
}

bool run_job_tell_session(const struct run_job *job, const struct record_part *part,
			  const char *end)
{
	const struct told told = { job, part, end };

	return record_share_write(&part->dir, part->session, put_all, &told);
}

/* Which command shows what was recorded. */
static const char *next_command(const struct run *run)
{
	if (run->locks)
		return "report";
	return run->heap ? "report --heap" : "dump";
}

static void tell_command(const struct run_job *job)
{
	if (!job->child.ended)
		warnx("'%s' (pid %d) is still running: it is left alone",
		      job->child.argv[0], job->child.pid);
	record_child_tell(&job->child);
}

static void tell_process(const struct run_job *job)
{
	warnx("process %d %s", job->pid,
	      job->end[0] == 'p' ? "has ended" : "goes on");
	if (!run_processes(&job->run))
		warnx("it did not join the trace: none of these events happened");
}

void run_job_tell_summary(struct run_job *job)
{
	if (job->pid)
		tell_process(job);
	else
		tell_command(job);
	if (job->run.flight) {
		if (job->snapshots.n && !job->snapshots.failed)
			warnx("next: ft %s %s/%u", next_command(&job->run),
			      job->path, job->snapshots.n);
		return;
	}
	if (!run_job_has_trace(job)) {
		run_tell_uncounted(&job->run);
		return;
	}
	run_tell_records(&job->run, job->seconds_done);
	rotation_summary(&job->rotation, job->part->number);
	run_tell_lost(&job->run);
	run_stacks_tell(&job->run);
	if (job->run.records && !forward_wanted(&job->rotation.forward))
		warnx("next: ft %s %s", next_command(&job->run), job->path);
}
