// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Writes the content of the kernel's rings as a trace: see snapshot.h. */
#include <err.h>
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
#include "record/kernel/snapshot.h"
#include "record/kernel/system.h"
#include "record/kernel/tasks.h"
#include "record/share.h"
#include "trace/directory.h"
#include "trace/session_file.h"

/* Space for symbols, names of tasks and metadata. */
#define OTHER_BYTES	(16ull << 20)

/* A snapshot in progress. */
struct taking {
	const struct snapshot	*asked;
	int			control;
	struct ft_info		info;
	struct ft_config	config;
	struct events		events;
	struct record_dir	dir;
	struct frozen		frozen;
	struct record_tasks	tasks;
	const char		*symbols;
	int64_t			early;
	bool			empty;
	char			*metadata;
	size_t			metadata_len;
};

/* Return: false after a message. */
static bool prepare(struct taking *t)
{
	t->control = sessions_open(t->asked->session, &t->info);
	if (t->control < 0 || !config_get(t->control, &t->config))
		return false;
	if (t->config.mode != FT_MODE_OVERWRITE) {
		warnx("the rings do not keep the latest records (mode=%s): try: "
		      "ft record --flight", device_mode_name(t->config.mode));
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

/* Is there enough disk space? Checked while the rings still hold everything. */
static bool has_room(const struct taking *t)
{
	uint64_t need = frozen_bytes(&t->frozen) + OTHER_BYTES, room;
	char needs[32], has[32];
	struct statvfs vfs;

	if (fstatvfs(t->dir.fd, &vfs))
		return true;
	room = (uint64_t)vfs.f_bavail * vfs.f_frsize;
	if (room >= need)
		return true;
	warnx("no snapshot: it needs %s, and %s has %s free; the records stay in the rings",
	      format_size(needs, sizeof(needs), need), t->asked->path,
	      format_size(has, sizeof(has), room));
	return false;
}

static bool read_metadata(struct taking *t, int session)
{
	int fd = device_open_meta(session);
	ssize_t len;

	if (fd < 0)
		return false;
	len = read_file_full(fd, &t->metadata);
	close(fd);
	if (len < 0) {
		warnx("cannot read the metadata: %s", strerror((int)-len));
		return false;
	}
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
	struct frozen_total total;

	int session = t->asked->session ? t->control : -1;

	if (!frozen_open(&t->frozen, t->info.cpus, session) || !has_room(t) ||
	    !frozen_read(&t->frozen, t->control) || !read_metadata(t, session) ||
	    !is_one_trace(t))
		return false;
	frozen_sum(&t->frozen, &total);
	t->empty = !total.records;
	if (t->empty)
		warnx("no snapshot (%s): the rings are empty", t->asked->why);
	return !t->empty;
}

static bool write_stream(const struct taking *t, const struct frozen_ring *r)
{
	char name[32];
	int fd, ret;

	if (!r->len)
		return true;
	snprintf(name, sizeof(name), "cpu%u", r->cpu);
	fd = record_dir_create(&t->dir, name);
	if (fd < 0)
		return false;
	ret = write_full(fd, r->packets, r->len, NULL);
	close(fd);
	if (ret)
		warnx("writing %s/%s failed: %s", t->dir.path, name, strerror(-ret));
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

static bool write_all(struct taking *t)
{
	bool ok = record_dir_clear(&t->dir);
	int session;

	for (unsigned int i = 0; ok && i < t->frozen.n; i++)
		ok = write_stream(t, &t->frozen.ring[i]);
	if (!ok ||
	    !record_dir_replace(&t->dir, "metadata", t->metadata, t->metadata_len) ||
	    !record_system_save(&t->dir, &t->symbols))
		return false;
	record_tasks_start(&t->tasks, &t->dir, t->info.cpus);
	record_tasks_stop(&t->tasks, &t->dir);
	choose_enabled(&t->events);
	session = record_dir_create(&t->dir, SESSION_FILE);
	if (session < 0)
		return false;
	ok = record_share_write(&t->dir, session, put_all, t);
	return !close(session) && ok;
}

static void tell(const struct taking *t, const struct frozen_total *total)
{
	char size[32];

	warnx("snapshot (%s): %" PRIu64 " records (%s) of %u CPU%s, %s %.3f s: %s",
	      t->asked->why, total->records, format_size(size, sizeof(size), total->bytes),
	      total->cpus, total->cpus == 1 ? "" : "s",
	      t->frozen.begin ? "all complete for the last" : "all since the start,",
	      window_seconds(t), t->asked->path);
	if (total->cut)
		warnx("%" PRIu64 " older records are left out, as CPU %u has none of that time",
		      total->cut, t->frozen.shortest);
	if (total->lost)
		warnx("LOST %" PRIu64 " records in that time: larger rings, or more headroom "
		      "(ft config), lose less", total->lost);
}

int snapshot_take(const struct snapshot *snapshot)
{
	struct taking t = {
		.asked = snapshot, .control = -1, .dir.fd = -1, .tasks = RECORD_TASKS_INIT,
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
	} else if (t.dir.fd >= 0) {
		record_dir_discard(&t.dir);
	}
	record_dir_close(&t.dir);
	record_tasks_free(&t.tasks);
	events_free(&t.events);
	frozen_free(&t.frozen);
	free(t.metadata);
	if (!ok)
		return t.empty && snapshot->may_be_empty ? FT_EXIT_OK : FT_EXIT_ERROR;
	return total.lost ? FT_EXIT_LOST : FT_EXIT_OK;
}
