// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Writes the content of the kernel's rings as a trace: see snapshot.h. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <linux/feather_trace.h>

#include "base/exit_status.h"
#include "base/file.h"
#include "base/number.h"
#include "control/config.h"
#include "control/device.h"
#include "control/events.h"
#include "control/sessions.h"
#include "record/early_bound.h"
#include "record/kernel/facts.h"
#include "record/kernel/frozen.h"
#include "record/kernel/packets.h"
#include "record/kernel/snapshot.h"
#include "record/kernel_stacks.h"
#include "record/kernel/system.h"
#include "record/kernel/tasks.h"
#include "record/share.h"
#include "trace/directory.h"
#include "trace/session_file.h"

/* Room for what else is written: symbols and names of tasks; the metadata; the session file. */
#define NAMES_BYTES	(16ull << 20)
#define METADATA_BYTES	(1ull << 20)
#define SESSION_BYTES	(64ull << 10)

/* A snapshot in progress. */
struct taking {
	const struct snapshot	*asked;
	int			control;
	struct ft_info		info;
	struct ft_config	config;
	struct events		events;
	struct record_dir	dir;
	struct frozen		frozen;
	int			*streams;	/* files, by CPU; -1: none */
	int			meta, session, names;
	bool			taken;		/* the records have left the rings */
	struct record_tasks	tasks;
	const char		*symbols;
	int64_t			early;
	bool			empty;
	char			*metadata;
	size_t			metadata_len;
	struct record_stacks	stacks;
	char			*stacks_text;	/* NULL: there are none */
	size_t			stacks_len;
};

/* Return: false after a message. */
static bool open_session(struct taking *t)
{
	if (t->asked->control < 0)
		t->control = sessions_open(t->asked->session, &t->info);
	else
		t->control = fcntl(t->asked->control, F_DUPFD_CLOEXEC, 0);
	if (t->control < 0)
		return false;
	if (ioctl(t->control, FT_IOC_INFO, &t->info) < 0) {
		warn("cannot ask for the trace");
		return false;
	}
	if (!t->asked->uuid || !memcmp(t->asked->uuid, t->info.uuid, sizeof(t->info.uuid)))
		return true;
	warnx("no snapshot: the session '%s' has another trace by now, of somebody else",
	      t->asked->session);
	return false;
}

/* Return: false after a message. */
static bool prepare(struct taking *t)
{
	if (!open_session(t) || !config_get(t->control, &t->config))
		return false;
	if (t->config.mode != FT_MODE_OVERWRITE) {
		warnx("%s the latest records (mode=%s): try: ft record --flight",
		      t->asked->session ? "the rings of this session do not keep" :
		      "no flight recorder runs, and the default session does not keep",
		      device_mode_name(t->config.mode));
		return false;
	}
	if (!t->info.trace) {
		warnx("there was no trace yet, so there is nothing in the rings: try: "
		      "ft record --flight");
		return false;
	}
	t->early = record_early_measure(t->info.clock, t->info.flags & FT_INFO_ORDERED);
	return record_dir_open(&t->dir, t->asked->path, t->asked->force) &&
	       events_load(&t->events, t->control);
}

/*
 * Room on the disk is set aside while everything is still in the rings: what fills the disk
 * from then on costs names of addresses and tasks at most.
 */

static uint64_t bytes_needed(const struct taking *t)
{
	uint64_t bytes = NAMES_BYTES + METADATA_BYTES + SESSION_BYTES;

	for (unsigned int i = 0; i < t->frozen.n; i++)
		bytes += t->frozen.ring[i].room;
	return bytes;
}

static void explain_room(const struct taking *t, int error)
{
	char needs[32], has[32];
	struct statvfs vfs;

	format_size(needs, sizeof(needs), bytes_needed(t));
	if (error != ENOSPC || fstatvfs(t->dir.fd, &vfs))
		warnx("no snapshot: it needs %s in %s: %s; the records stay in the rings",
		      needs, t->asked->path, strerror(error));
	else
		warnx("no snapshot: it needs %s, and %s has %s free; the records stay in the rings",
		      needs, t->asked->path,
		      format_size(has, sizeof(has), (uint64_t)vfs.f_bavail * vfs.f_frsize));
}

/* Return: 0 or errno */
static int keep_room(int fd, uint64_t bytes)
{
	int error;

	do {
		error = fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)bytes) ? errno : 0;
	} while (error == EINTR);
	/* a file system that cannot: by writing */
	return error == EOPNOTSUPP ? posix_fallocate(fd, 0, (off_t)bytes) : error;
}

/* Return: a file with room for so much; -1 after a message */
static int set_aside(const struct taking *t, const char *name, uint64_t bytes)
{
	int fd = record_dir_create(&t->dir, name), error;

	if (fd < 0)
		return -1;
	error = keep_room(fd, bytes);
	if (!error)
		return fd;
	explain_room(t, error);
	close(fd);
	return -1;
}

static bool set_streams_aside(struct taking *t)
{
	char name[32];

	t->streams = malloc(t->frozen.n * sizeof(*t->streams));
	if (!t->streams) {
		warn("cannot prepare for %u CPUs", t->frozen.n);
		return false;
	}
	for (unsigned int i = 0; i < t->frozen.n; i++)
		t->streams[i] = -1;
	for (unsigned int i = 0; i < t->frozen.n; i++) {
		if (!t->frozen.ring[i].packets)
			continue;
		snprintf(name, sizeof(name), "cpu%u", i);
		t->streams[i] = set_aside(t, name, t->frozen.ring[i].room);
		if (t->streams[i] < 0)
			return false;
	}
	return true;
}

/* Return: false after a message. */
static bool set_all_aside(struct taking *t)
{
	if (!record_dir_clear(&t->dir))
		return false;
	/* not written: see write_names() */
	t->names = set_aside(t, SESSION_SYMBOLS, NAMES_BYTES);
	if (t->names < 0 || !set_streams_aside(t))
		return false;
	t->meta = set_aside(t, "metadata", METADATA_BYTES);
	if (t->meta < 0)
		return false;
	t->session = set_aside(t, SESSION_FILE, SESSION_BYTES);
	return t->session >= 0;
}

/* Gives back the space behind the end of the file. Return: 0 or -errno */
static int close_file(int *fd, size_t len)
{
	int ret = ftruncate(*fd, (off_t)len) ? -errno : 0;

	if (close(*fd) && !ret)
		ret = -errno;
	*fd = -1;
	return ret;
}

static void close_files(struct taking *t)
{
	for (unsigned int i = 0; t->streams && i < t->frozen.n; i++) {
		if (t->streams[i] >= 0)
			close(t->streams[i]);
	}
	free(t->streams);
	if (t->meta >= 0)
		close(t->meta);
	if (t->session >= 0)
		close(t->session);
	if (t->names >= 0)
		close(t->names);
}

static bool read_metadata(struct taking *t, int session)
{
	ssize_t len = device_read_meta(session, &t->metadata);

	if (len < 0)
		return false;
	t->metadata_len = (size_t)len;
	return true;
}

/* Return: are the records, and their description, of the trace that was there at first? */
static bool is_one_trace(const struct taking *t)
{
	struct ft_info now;

	if (!ioctl(t->control, FT_IOC_INFO, &now) && now.trace == t->info.trace)
		return true;
	warnx("no snapshot: the trace has ended meanwhile, and another one has begun: try again");
	return false;
}

/* Return: false after a message. */
static bool freeze(struct taking *t)
{
	int session = t->asked->session ? t->control : -1;
	struct frozen_total total;
	bool read;

	if (!frozen_prepare(&t->frozen, t->info.cpus, session))
		return false;
	t->empty = frozen_is_empty(&t->frozen);
	if (!t->empty) {
		if (!set_all_aside(t))
			return false;
		read = frozen_read(&t->frozen, t->control, t->info.trace);
		if (!is_one_trace(t) || !read || !read_metadata(t, session) || !is_one_trace(t))
			return false;
		/* the stacks of all these records, and of some that came later */
		t->stacks_text = record_stacks_read(&t->stacks, t->control, &t->stacks_len);
		frozen_sum(&t->frozen, &total);
		t->empty = !total.records;
	}
	if (t->empty)
		warnx("no snapshot (%s): the rings are empty", t->asked->why);
	t->taken = !t->empty;
	return !t->empty;
}

/* Return: false after a message: the file ends with its last whole packet. */
static bool write_stream(struct taking *t, const struct frozen_ring *r)
{
	int *fd = &t->streams[r->cpu], ret, end;
	uint64_t records = 0;
	char name[32];
	size_t done;

	if (*fd < 0)
		return true;
	snprintf(name, sizeof(name), "cpu%u", r->cpu);
	ret = write_full(*fd, r->packets, r->len, &done);
	end = close_file(fd, packets_walk(r->packets, done, &records));
	if (!r->len)
		record_dir_unlink(&t->dir, name);
	ret = ret ?: end;
	if (ret)
		warnx("writing %s/%s failed: %s", t->dir.path, name, strerror(-ret));
	return !ret;
}

static bool write_metadata(struct taking *t)
{
	int ret = write_full(t->meta, t->metadata, t->metadata_len, NULL);
	int end = close_file(&t->meta, t->metadata_len);

	ret = ret ?: end;
	if (ret)
		warnx("writing %s/metadata failed: %s", t->dir.path, strerror(-ret));
	return !ret;
}

static double window_seconds(const struct taking *t)
{
	uint64_t begin = t->frozen.begin;

	/* the rings hold everything since the start: use the first record's time */
	for (unsigned int i = 0; !t->frozen.begin && i < t->frozen.n; i++) {
		const struct clip *clip = &t->frozen.ring[i].clip;

		if (clip->records && (!begin || clip->first < begin))
			begin = clip->first;
	}
	return t->frozen.end > begin ?
	       (double)(t->frozen.end - begin) / (double)t->info.clock_hz : 0;
}

static void put_result(FILE *f, const struct taking *t)
{
	struct frozen_total total;

	frozen_sum(&t->frozen, &total);
	session_put(f, "ended", "snapshot");
	session_put(f, "snapshot", "%s", t->asked->why);
	session_put(f, "duration_s", "%.6f", window_seconds(t));
	session_put(f, "window_begin", "%" PRIu64, t->frozen.begin);
	session_put(f, "window_end", "%" PRIu64, t->frozen.end);
	session_put(f, "clipped", "%" PRIu64, total.cut);
	session_put(f, "clock_state", "%s", device_clock_state(t->info.flags));
	session_put(f, "tasks", "%s", t->tasks.state);
	record_stacks_put(f, &t->stacks);
	session_put(f, "cpus", "%u", total.cpus);
	session_put(f, "records", "%" PRIu64, total.records);
	session_put(f, "lost", "%" PRIu64, total.lost);
	for (unsigned int i = 0; i < t->frozen.n; i++) {
		if (t->frozen.ring[i].packets)
			record_facts_lost(f, i, t->frozen.ring[i].clip.lost);
	}
}

static void put_all(FILE *f, const void *arg)
{
	const struct taking *t = arg;

	record_share_system(f, t->asked->start ? t->asked->start : time(NULL));
	session_put(f, "kallsyms", "%s", t->symbols);
	record_facts_trace(f, &t->events, &t->info, t->early);
	session_put(f, "lock_source", "%s", device_locks_name(t->info.lock_source));
	session_put(f, "slots", "%u", t->config.slots);
	if (t->asked->when)
		record_when_put(f, t->asked->when, t->asked->fulfilled);
	if (t->asked->child && t->asked->child->argv)
		record_share_command(f, t->asked->child, t->asked->child->ended);
	put_result(f, t);
}

/* Assumes that the events that are on now were recorded. */
static void choose_enabled(struct events *events)
{
	for (size_t i = 0; i < events->n; i++)
		events->chosen[i] = events->info[i].enabled;
}

/* The room that was set aside for them is free again, for a moment. */
static bool write_names(struct taking *t)
{
	record_dir_unlink(&t->dir, SESSION_SYMBOLS);
	close(t->names);
	t->names = -1;
	t->symbols = "none: they could not be written";
	if (!record_system_save(&t->dir, &t->symbols))
		return false;
	record_tasks_start(&t->tasks, &t->dir, t->info.cpus);
	record_tasks_stop(&t->tasks, &t->dir);
	return !t->stacks_text || record_dir_replace(&t->dir, SESSION_STACKS, t->stacks_text,
						     t->stacks_len);
}

/* All that can be written is, whatever fails. Return: false after a message */
static bool write_all(struct taking *t)
{
	bool ok = true;

	for (unsigned int i = 0; i < t->frozen.n; i++)
		ok &= write_stream(t, &t->frozen.ring[i]);
	ok &= write_metadata(t);
	ok &= write_names(t);
	choose_enabled(&t->events);
	ok &= record_share_write(&t->dir, t->session, put_all, t);
	if (!ok)
		warnx("the snapshot is not complete: %s", t->asked->path);
	return ok;
}

static void tell(const struct taking *t, const struct frozen_total *total)
{
	char size[32];

	warnx("snapshot (%s): %" PRIu64 " records (%s) of %u CPU%s, %s %.3f s: %s",
	      t->asked->why, total->records, format_size(size, sizeof(size), total->bytes),
	      total->cpus, total->cpus == 1 ? "" : "s",
	      t->frozen.begin ? "all complete for the last" : "all since the start,",
	      window_seconds(t), t->asked->path);
	record_stacks_tell(&t->stacks, false);
	if (total->cut)
		warnx("%" PRIu64 " older records are left out, as CPU %u has none of that time",
		      total->cut, t->frozen.shortest);
	if (total->lost)
		warnx("LOST %" PRIu64 " records in that time: larger rings or more headroom lose "
		      "less: --slots, --headroom of ft record --flight; else: ft config",
		      total->lost);
}

static bool is_flight(int control)
{
	struct ft_config config;
	struct ft_info info;

	return !ioctl(control, FT_IOC_GET_CONFIG, &config) && config.mode == FT_MODE_OVERWRITE &&
	       !ioctl(control, FT_IOC_INFO, &info) && info.active;
}

bool snapshot_guess(const char **session)
{
	static const struct sessions_kind flight = {
		.fits = is_flight,
		.which = "which flight recorder",
		.how = "ft snapshot SESSION",
	};

	return sessions_guess(&flight, session);
}

int snapshot_take(const struct snapshot *snapshot)
{
	struct taking t = {
		.asked = snapshot, .control = -1, .dir.fd = -1, .tasks = RECORD_TASKS_INIT,
		.meta = -1, .session = -1, .names = -1,
	};
	struct frozen_total total = { 0 };
	bool ok = prepare(&t) && freeze(&t);

	/* from here on, others may use the rings and marks */
	if (t.control >= 0)
		close(t.control);
	ok = ok && write_all(&t);
	if (ok) {
		frozen_sum(&t.frozen, &total);
		tell(&t, &total);
	} else if (t.dir.fd >= 0 && !t.taken) {
		record_dir_discard(&t.dir);
	}
	close_files(&t);
	record_dir_close(&t.dir);
	record_tasks_free(&t.tasks);
	events_free(&t.events);
	frozen_free(&t.frozen);
	free(t.metadata);
	free(t.stacks_text);
	if (!ok)
		return t.empty && snapshot->may_be_empty ? FT_EXIT_OK : FT_EXIT_ERROR;
	return total.lost ? FT_EXIT_LOST : FT_EXIT_OK;
}
