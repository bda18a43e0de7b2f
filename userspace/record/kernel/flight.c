// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ft record --flight, from the start to the end.
 *
 * The module trims the rings, so this only waits. Other processes may take snapshots, too
 * (ft snapshot).
 */
#include <err.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/exit_status.h"
#include "control/config.h"
#include "control/device.h"
#include "control/sessions.h"
#include "record/exit.h"
#include "record/kernel/flight.h"
#include "record/kernel/record.h"
#include "record/kernel/snapshot.h"
#include "record/share.h"

/* How often to check whether another process has ended the trace. */
#define SCAN_SECONDS	1.0

/* If the snapshot of a condition fails, retry this often, after this long. */
#define SNAPSHOT_TRIES	10
#define SNAPSHOT_SECONDS 1.0

struct flight {
	struct record		*rec;
	struct record_dir	dir;
	unsigned int		snapshots;
	unsigned int		tries;	/* failed attempts at a condition's snapshot */
	char			path[4096];	/* of the last snapshot; empty: none */
	bool			last;	/* the snapshot: the session ends with it */
	bool			lost, failed;
};

/*
 * A session of its own: the default one is everybody's, and must not be trimmed, nor stopped
 * by a condition. It ends with the descriptor, so nothing is left of a recorder that is killed.
 */
static bool begin_session(struct record *rec)
{
	rec->control = device_open_control(&rec->info);
	if (rec->control < 0 ||
	    !sessions_begin(rec->control, rec->session, true, &rec->info) ||
	    !config_get(rec->control, &rec->config))
		return false;
	rec->config.mode = FT_MODE_OVERWRITE;
	rec->config.headroom = rec->headroom;
	if (rec->slots)
		rec->config.slots = rec->slots;
	return config_set(rec->control, &rec->config);
}

/* Return: false after a message. */
static bool begin(struct flight *f)
{
	struct record *rec = f->rec;

	f->dir.numbered = true;
	if (!record_dir_open(&f->dir, rec->path, rec->force))
		return false;
	if (!begin_session(rec))
		return false;
	rec->signal_fd = record_share_signals(&rec->old_signals);
	if (rec->signal_fd < 0 || !record_events(rec) ||
	    !record_when_choose(&rec->when, &rec->events, &rec->info) ||
	    !record_dir_clear(&f->dir))
		return false;
	if (!events_enable(&rec->events, rec->control, rec->ordered ? FT_ENABLE_ORDERED : 0) ||
	    !record_when_set(&rec->when, &rec->events, rec->control) ||
	    !record_stacks_set(&rec->stacks, rec->control))
		return false;
	rec->part->start = time(NULL);
	rec->began = monotonic_now();
	if (ioctl(rec->control, FT_IOC_INFO, &rec->info) < 0) {
		warn(DEVICE_CONTROL);
		return false;
	}
	return true;
}

/* Return: exit status. */
static int try_snapshot(struct flight *f, const char *why, bool fulfilled)
{
	struct snapshot snapshot = {
		.session = f->rec->session, .control = f->last ? f->rec->control : -1,
		.uuid = f->rec->info.uuid, .why = why, .may_be_empty = true,
		.start = f->rec->part->start, .child = &f->rec->child,
		.when = &f->rec->when, .fulfilled = fulfilled,
	};
	int status;

	snprintf(f->path, sizeof(f->path), "%s/%u", f->rec->path, ++f->snapshots);
	snapshot.path = f->path;
	status = snapshot_take(&snapshot);
	f->lost |= status == FT_EXIT_LOST;
	/* empty rings give no snapshot */
	if (access(f->path, F_OK))
		f->path[0] = '\0';
	return status;
}

static void take_snapshot(struct flight *f, const char *why, bool fulfilled)
{
	int status = try_snapshot(f, why, fulfilled);

	f->failed |= status != FT_EXIT_LOST && status != FT_EXIT_OK;
}

/* Return: RECORD_UNFINISHED to go on. */
static enum record_end answer(struct flight *f)
{
	struct record_when *when = &f->rec->when;
	int status = FT_EXIT_OK;

	f->path[0] = '\0';
	f->last = when->stop;
	if (when->snapshot && f->tries < SNAPSHOT_TRIES)
		status = try_snapshot(f, "condition", true);
	if (status == FT_EXIT_ERROR && !f->path[0]) {
		/* another snapshot is taken at this moment, say: the records stay */
		f->snapshots--;
		f->tries++;
		record_when_put_off(when, SNAPSHOT_SECONDS);
		return RECORD_UNFINISHED;
	}
	f->failed |= f->tries == SNAPSHOT_TRIES || status == FT_EXIT_ERROR;
	f->tries = 0;
	record_when_tell(when, f->path[0] ? f->path : NULL, &f->rec->old_signals);
	record_when_answered(when);
	return when->stop ? RECORD_BY_CONDITION : RECORD_UNFINISHED;
}

/* Checks the conditions. Return: RECORD_UNFINISHED to go on. */
static enum record_end look(struct flight *f)
{
	struct record_when *when = &f->rec->when;

	if (!record_when_look(when))
		return RECORD_BY_ERROR;
	return record_when_is_due(when) ? answer(f) : RECORD_UNFINISHED;
}

static enum record_end take_signal(struct flight *f)
{
	struct signalfd_siginfo info;
	struct record *rec = f->rec;

	if (read(rec->signal_fd, &info, sizeof(info)) != sizeof(info))
		return RECORD_UNFINISHED;
	switch (info.ssi_signo) {
	case SIGUSR1:
		take_snapshot(f, "signal", false);
		return RECORD_UNFINISHED;
	case SIGCHLD:
		return record_child_reap(&rec->child) ? RECORD_BY_COMMAND : RECORD_UNFINISHED;
	default:
		record_child_pass_on(&rec->child, &info);
		return RECORD_BY_SIGNAL;
	}
}

static bool trace_goes_on(const struct record *rec)
{
	struct ft_info info;

	return !ioctl(rec->control, FT_IOC_INFO, &info) && info.active &&
	       info.trace == rec->info.trace;
}

static enum record_end wait_for_end(struct flight *f)
{
	struct pollfd pfd = { .fd = f->rec->signal_fd, .events = POLLIN };
	double end = f->rec->seconds ? f->rec->began + f->rec->seconds : 1e300;
	double sleep = f->rec->when.all.n ? RECORD_WHEN_SECONDS : SCAN_SECONDS;
	double scan = monotonic_now() + SCAN_SECONDS;
	enum record_end how = look(f);

	while (!how) {
		double now = monotonic_now(), left = end - now;

		if (left <= 0)
			return RECORD_BY_TIME;
		if (left > sleep)
			left = sleep;
		if (poll(&pfd, 1, (int)(left * 1000) + 1) > 0)
			how = take_signal(f);
		if (!how)
			how = look(f);
		if (!how && now >= scan) {
			scan = now + SCAN_SECONDS;
			how = trace_goes_on(f->rec) ? RECORD_UNFINISHED : RECORD_BY_OTHERS;
		}
	}
	return how;
}

static const char *why_ended(struct flight *f, enum record_end how)
{
	switch (how) {
	case RECORD_BY_TIME:
		return "time";
	case RECORD_BY_COMMAND:
		return "command";
	case RECORD_BY_SIGNAL:
		return "end";
	case RECORD_BY_ERROR:
		f->failed = true;
		return "error";
	default:
		warnx("somebody has disabled the events: this is the end of %s", f->rec->path);
		return "disabled";
	}
}

/* Undoes begin(), as far as it got. */
static void finish(struct flight *f)
{
	struct record *rec = f->rec;

	if (rec->control >= 0) {
		ioctl(rec->control, FT_IOC_SESSION_END);
		device_detach(rec->control, DEVICE_DETACH_SECONDS);
		close(rec->control);
	}
	if (f->dir.fd >= 0 && !f->snapshots)
		record_dir_discard(&f->dir);
	record_dir_close(&f->dir);
	if (rec->signal_fd >= 0)
		close(rec->signal_fd);
	events_free(&rec->events);
}

static int run(struct flight *f)
{
	struct record *rec = f->rec;
	enum record_end how;
	int error;

	if (!begin(f))
		return FT_EXIT_FAILED;
	error = rec->child.argv ? record_child_start(&rec->child, &rec->old_signals) : 0;
	if (error)
		return record_exit_no_start(error);
	warnx("the latest records are in the rings; a snapshot: ft snapshot %s; or, into %s: "
	      "kill -USR1 %d%s", rec->session, rec->path, getpid(),
	      rec->child.argv || rec->seconds ? "" : "; Ctrl-C ends it");
	how = wait_for_end(f);
	/* the last snapshot answers one that waits for --after, or came last */
	if (how != RECORD_BY_CONDITION) {
		record_when_look(&rec->when);
		f->last = true;
		take_snapshot(f, why_ended(f, how), true);
		if (rec->when.fulfilled)
			record_when_tell(&rec->when, f->path[0] ? f->path : NULL,
					 &rec->old_signals);
	}
	record_when_end(&rec->when);
	if (how != RECORD_BY_COMMAND && how != RECORD_BY_SIGNAL)
		record_child_stop(&rec->child);
	record_child_tell(&rec->child);
	f->lost |= record_events_missed(rec);
	return f->failed ? FT_EXIT_FAILED : record_exit_done(&rec->child, f->lost);
}

int flight_record(struct record *rec)
{
	struct flight f = { .rec = rec, .dir.fd = -1 };
	int status = run(&f);

	finish(&f);
	return status;
}
