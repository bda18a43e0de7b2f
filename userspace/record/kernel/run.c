// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ft record: the order of events.
 *
 *	prepare:  everything that can fail, fails here, before a trace exists
 *	run:      events on, threads on, command on; wait for an end
 *	finish:   events off, drain, tell
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/exit_status.h"
#include "control/config.h"
#include "control/device.h"
#include "control/sessions.h"
#include "record/compress/compress.h"
#include "record/early_bound.h"
#include "record/exit.h"
#include "record/kernel/record.h"
#include "record/kernel/rotate.h"
#include "record/kernel/seam.h"
#include "record/kernel/system.h"
#include "record/share.h"
#include "trace/progress.h"
#include "trace/session_file.h"

/* How often to look for new CPUs, and for others that ended the trace. */
#define SCAN_SECONDS	1.0

#define PROGRESS_SECONDS	0.5

/* How long to wait for the command's end after the recording; and how long silently. */
#define CHILD_SECONDS	5.0
#define CHILD_SILENT	0.5

static bool prepare_slots(struct record *rec)
{
	__u32 old;

	if (!config_get(rec->control, &rec->config))
		return false;
	old = rec->config.slots;
	if (!rec->slots || rec->slots == old)
		return true;
	rec->config.slots = rec->slots;
	if (!config_set(rec->control, &rec->config))
		return false;
	rec->old_slots = old;
	return true;
}

/* After the signals are blocked: threads have the mask of who starts them. */
static bool prepare_compress(struct record *rec)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	if (!rec->compress)
		return true;
	rec->rings.compress = compress_start(rec->compress, rec->rings.n,
					     online > 0 ? (unsigned int)online : 1);
	return rec->rings.compress;
}

static bool prepare_files(struct record *rec)
{
	if (!rotate_first(rec) ||
	    !record_dir_clear(&rec->part->dir) ||
	    !rings_create(&rec->rings, &rec->part->dir) ||
	    !record_system_part(rec->part, NULL) || !record_part_session(rec->part))
		return false;
	record_tasks_start(&rec->tasks, &rec->part->dir, rec->info.cpus);
	return true;
}

bool record_prepare(struct record *rec)
{
	struct record_dir *dir = rotation_dir(&rec->rotation, rec->part);

	dir->compress = rec->compress;
	if (!record_dir_open(dir, rec->path, rec->force))
		return false;
	rec->control = device_open_control(&rec->info);
	if (rec->control < 0)
		return false;
	if (rec->apart && !sessions_begin(rec->control, rec->session, true, &rec->info))
		return false;
	if (rec->info.active)
		warnx("a trace is running already: the records that it holds go "
		      "into this one, too");
	rec->signal_fd = record_share_signals(&rec->old_signals);
	if (rec->signal_fd < 0 ||
	    !record_events(rec) ||
	    !prepare_slots(rec) ||
	    !rings_init(&rec->rings, rec->info.cpus) ||
	    !prepare_compress(rec) ||
	    !record_user_prepare(rec))
		return false;
	rec->rings.joined = rec->info.active;
	rec->rings.session = rec->apart ? rec->control : -1;
	record_locks_start(&rec->lock_names, &rec->events);
	rec->rings.names = rec->lock_names.names;
	rec->rings.family = rec->lock_names.family;
	rec->early = record_early_measure(rec->info.clock, rec->ordered);
	return rings_open(&rec->rings) && prepare_files(rec);
}

void record_cleanup(struct record *rec, bool discard)
{
	if (rec->holder >= 0)
		close(rec->holder);
	if (rec->rings.ring)
		rings_exit(&rec->rings);
	/* after closing the rings: their size cannot change while they are open */
	if (rec->old_slots && !rec->apart) {
		rec->config.slots = rec->old_slots;
		ioctl(rec->control, FT_IOC_SET_CONFIG, &rec->config);
	}
	record_part_close(&rec->parts[0], discard);
	record_part_close(&rec->parts[1], discard);
	rotate_free(rec, discard);
	record_user_free(rec);
	record_tasks_free(&rec->tasks);
	record_locks_free(&rec->lock_names);
	events_free(&rec->events);
	free(rec->metadata);
	if (rec->signal_fd >= 0)
		close(rec->signal_fd);
	if (rec->apart)
		sessions_leave(rec->control);
	else if (rec->control >= 0)
		close(rec->control);
}

bool record_metadata_save(struct record *rec)
{
	char *text;
	ssize_t len = device_read_meta(rec->apart ? rec->control : -1, &text);

	if (len < 0)
		return false;
	text = record_user_metadata(rec, text, &len);
	if (!text)
		return false;
	if (rec->metadata && rec->metadata_len == (size_t)len &&
	    !memcmp(rec->metadata, text, len)) {
		free(text);
		return true;
	}
	free(rec->metadata);
	rec->metadata = text;
	rec->metadata_len = len;
	return record_dir_replace(&rec->part->dir, "metadata", text, len);
}

/*
 * In the default session, a descriptor of its own enables the events: closing it disables
 * them, even if others have disabled some meanwhile.
 */
static bool start_trace(struct record *rec)
{
	rec->holder = rec->apart ? fcntl(rec->control, F_DUPFD_CLOEXEC, 0) :
				   device_open(DEVICE_CONTROL, O_RDWR);
	if (rec->holder < 0)
		return false;
	if (!events_enable(&rec->events, rec->holder,
			   rec->ordered ? FT_ENABLE_ORDERED : 0) ||
	    !record_stacks_set(&rec->stacks, rec->control))
		return false;
	/* not earlier: enabling events may take seconds, in which nothing is recorded */
	rec->part->start = time(NULL);
	rec->part->began = rec->began = monotonic_now();
	if (ioctl(rec->control, FT_IOC_INFO, &rec->info) < 0) {
		warn(DEVICE_CONTROL);
		return false;
	}
	return record_metadata_save(rec) &&
	       record_session_write(rec, rec->part, RECORD_UNFINISHED) &&
	       rotate_start(rec);
}

/* Return: 0 or errno. */
static int start_child(struct record *rec)
{
	int error;

	if (!rec->child.argv)
		return 0;
	error = record_child_start(&rec->child, &rec->old_signals);
	if (rec->user.wanted)
		run_raise_files();
	return error;
}

/* Return: is our trace still running? */
static bool trace_is_on(struct record *rec)
{
	struct ft_info info;

	if (ioctl(rec->control, FT_IOC_INFO, &info) < 0 ||
	    info.trace != rec->info.trace)
		return false;
	rec->clock_flags = info.flags;
	return info.active;
}

/* Return: RECORD_UNFINISHED to go on. */
static enum record_end scan(struct record *rec)
{
	if (!trace_is_on(rec))
		return RECORD_BY_OTHERS;
	record_tasks_scan(&rec->tasks);
	if (rec->user.wanted && run_meta_is_new(&rec->user.run) &&
	    !record_metadata_save(rec))
		return RECORD_BY_ERROR;
	return rings_adopt(&rec->rings) ? RECORD_UNFINISHED : RECORD_BY_ERROR;
}

/* Takes one signal. Return: RECORD_UNFINISHED to go on. */
static enum record_end take_signal(struct record *rec)
{
	struct signalfd_siginfo info;

	if (read(rec->signal_fd, &info, sizeof(info)) != sizeof(info))
		return RECORD_UNFINISHED;
	switch (info.ssi_signo) {
	case SIGCHLD:
		return record_child_reap(&rec->child) ? RECORD_BY_COMMAND :
							RECORD_UNFINISHED;
	case SIGUSR1:
		record_share_refuse_snapshot();
		return RECORD_UNFINISHED;
	default:
		record_child_pass_on(&rec->child, &info);
		return RECORD_BY_SIGNAL;
	}
}

/* Sleeps until something happens, at most until @when. */
static void wait_until(struct record *rec, double when, bool *signalled,
		       bool *thread_ended)
{
	struct pollfd pfd[] = {
		{ .fd = rec->signal_fd, .events = POLLIN },
		{ .fd = rec->rings.event_fd, .events = POLLIN },
		{ .fd = record_tasks_fd(&rec->tasks), .events = POLLIN },
	};
	double left = when - monotonic_now();
	int ms = left > 0 ? (int)(left * 1000) + 1 : 0;
	uint64_t news;

	*signalled = *thread_ended = false;
	if (poll(pfd, ARRAY_SIZE(pfd), ms) <= 0)
		return;
	*signalled = pfd[0].revents;
	/* a thread also wakes us when it crosses a seam or has written enough */
	*thread_ended = pfd[1].revents &&
			read(pfd[1].fd, &news, sizeof(news)) > 0 &&
			(rings_failed(&rec->rings) || rec->user.run.failed);
	if (pfd[2].revents)
		record_tasks_take(&rec->tasks);
}

static double earlier(double a, double b)
{
	return a < b ? a : b;
}

/* A moving line would garble the command's own output. */
static bool wants_progress(const struct record *rec)
{
	return !rec->child.argv && isatty(STDERR_FILENO);
}

static void wait_for_end(struct record *rec)
{
	double end = rec->seconds ? rec->began + rec->seconds : 1e300;
	double next_scan = rec->began + SCAN_SECONDS;
	double next_progress = wants_progress(rec) ? rec->began : 1e300;

	while (!rec->end) {
		bool signalled, thread_ended;
		double now = monotonic_now();

		if (now >= end) {
			rec->end = RECORD_BY_TIME;
			break;
		}
		if (now >= next_progress) {
			record_progress(rec);
			next_progress = now + PROGRESS_SECONDS;
		}
		if (now >= next_scan) {
			rec->end = scan(rec);
			next_scan = now + SCAN_SECONDS;
			continue;
		}
		if (!rotate_step(rec)) {
			rec->end = RECORD_BY_ERROR;
			break;
		}
		now = earlier(earlier(end, rotate_when(rec)),
			      earlier(next_scan, next_progress));
		/* poll() takes milliseconds in an int */
		wait_until(rec, now, &signalled, &thread_ended);
		if (signalled)
			rec->end = take_signal(rec);
		/* a thread only ends by itself if it failed */
		if (thread_ended)
			rec->end = RECORD_BY_ERROR;
	}
	if (next_progress < 1e300)
		progress_end();
}

static void stop_events(struct record *rec)
{
	if (rec->apart)
		ioctl(rec->control, FT_IOC_DISABLE_ALL);
	if (rec->holder >= 0)
		close(rec->holder);
	rec->holder = -1;
}

/* Disables the events and reads every ring to its end, unless the user interrupts. */
static void drain(struct record *rec)
{
	bool signalled, thread_ended;

	rec->seconds_done = monotonic_now() - rec->began;
	rec->part->seconds = monotonic_now() - rec->part->began;
	record_user_stop(rec);
	stop_events(rec);
	rec->still_active = trace_is_on(rec);
	rings_stop(&rec->rings,
		   rec->still_active ? RINGS_DRAIN_ACTIVE : RINGS_DRAIN);
	record_user_finish(rec);
	record_tasks_stop(&rec->tasks, &rec->part->dir);
	while (rec->rings.running) {
		wait_until(rec, monotonic_now() + 1, &signalled, &thread_ended);
		if (signalled && take_signal(rec) == RECORD_BY_SIGNAL) {
			warnx("interrupted again: the rest stays in the rings");
			rings_stop(&rec->rings, RINGS_ABORT);
		}
	}
	record_locks_stop(&rec->lock_names, &rec->part->dir);
	if (!record_stacks_save(&rec->stacks, rec->control, &rec->part->dir))
		rec->end = RECORD_BY_ERROR;
}

/* Completes a seam that was announced: the last records go to the next part. */
static bool finish_seam(struct record *rec)
{
	bool signalled, thread_ended;

	while (seam_is_open(&rec->rings) && !seam_is_crossed(&rec->rings)) {
		wait_until(rec, monotonic_now() + 0.1, &signalled, &thread_ended);
		if (signalled && take_signal(rec) == RECORD_BY_SIGNAL)
			rings_stop(&rec->rings, RINGS_ABORT);
	}
	return rotate_settle(rec);
}

/* Return: true if the command has ended, or the user will not wait for it. */
static bool wait_for_child_until(struct record *rec, double end)
{
	bool signalled, thread_ended;

	while (!record_child_reap(&rec->child)) {
		if (monotonic_now() >= end)
			return false;
		wait_until(rec, end, &signalled, &thread_ended);
		if (signalled && take_signal(rec) == RECORD_BY_SIGNAL)
			return true;
	}
	return true;
}

/* Gives the command some time after the recording to end properly. */
static void wait_for_child(struct record *rec)
{
	double now = monotonic_now();

	if (!rec->child.pid || wait_for_child_until(rec, now + CHILD_SILENT))
		return;
	warnx("waiting up to %.0f s for '%s' (pid %d) to end", CHILD_SECONDS,
	      rec->child.argv[0], rec->child.pid);
	wait_for_child_until(rec, now + CHILD_SECONDS);
	if (!record_child_reap(&rec->child))
		warnx("'%s' (pid %d) is still running: it is left alone",
		      rec->child.argv[0], rec->child.pid);
}

static bool finish_files(struct record *rec)
{
	struct ft_info info;
	bool ok = true;

	/* modules loaded meanwhile may have added events; a new trace is not ours */
	if (!ioctl(rec->control, FT_IOC_INFO, &info) &&
	    info.trace == rec->info.trace)
		ok = record_metadata_save(rec);
	ok = record_user_save(rec) && ok;
	if (!ok)
		rec->end = RECORD_BY_ERROR;
	return record_session_write(rec, rec->part, rec->end) && ok;
}

static int finish(struct record *rec)
{
	struct rings_total total;
	bool ok, lost;

	if (rec->end == RECORD_BY_OTHERS &&
	    !(rec->clock_flags & FT_INFO_CLOCK_RESTARTED))
		warnx("somebody has disabled the events: "
		      "this is the end of the trace");
	if (rec->end != RECORD_BY_COMMAND && rec->end != RECORD_BY_SIGNAL)
		record_child_stop(&rec->child);
	if (!finish_seam(rec))
		rec->end = RECORD_BY_ERROR;
	drain(rec);
	if (!rings_finish(&rec->rings, rec->control) || !rotate_end(rec) || rec->user.run.failed)
		rec->end = RECORD_BY_ERROR;
	wait_for_child(rec);
	ok = rec->end != RECORD_BY_ERROR;
	ok &= finish_files(rec);
	record_summary(rec);
	rings_sum(&rec->rings, &total);
	lost = total.lost || total.unwritten || rec->rings.replaced ||
	       !run_is_whole(&rec->user.run);
	lost |= record_events_missed(rec);
	lost |= !rotation_deliver(&rec->rotation, rec->part);
	/* so that the module can be unloaded after our exit */
	if (!rec->still_active)
		device_detach(rec->control, DEVICE_DETACH_SECONDS);
	record_cleanup(rec, false);
	return ok ? record_exit_done(&rec->child, lost) :
		    FT_EXIT_FAILED;
}

/* Undoes everything after a failure between the first event and the command. */
static void abort_run(struct record *rec)
{
	stop_events(rec);
	record_user_stop(rec);
	rings_stop(&rec->rings, RINGS_ABORT);
	/* a thread may be missing: perhaps none runs */
	for (unsigned int i = 0; i < rec->rings.n; i++) {
		if (rec->rings.ring[i].started)
			pthread_join(rec->rings.ring[i].thread, NULL);
	}
	record_cleanup(rec, true);
}

int record_run(struct record *rec)
{
	int error;

	if (!start_trace(rec) ||
	    !rings_start(&rec->rings, &rec->config, &rec->info) ||
	    !record_user_start(rec)) {
		abort_run(rec);
		return FT_EXIT_FAILED;
	}
	error = start_child(rec);
	if (error) {
		abort_run(rec);
		return record_exit_no_start(error);
	}
	if (!rec->child.argv && !rec->seconds)
		warnx("recording into %s; Ctrl-C ends it", rec->path);
	wait_for_end(rec);
	return finish(rec);
}
