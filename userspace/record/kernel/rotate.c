// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft record --rotate: see rotate.h. */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/number.h"
#include "record/kernel/record.h"
#include "record/kernel/seam.h"
#include "trace/parts.h"
#include "trace/session_file.h"

/* Smaller parts are not worth their overhead. */
#define LEAST_BYTES	(1u << 20)
#define LEAST_SECONDS	1.0

/* By then, news of tasks from before the seam has arrived (tasks.c). */
#define NAMES_SECONDS	0.1

/* Options. */

/* Parses "10s", "5min", "1h". Return: 0, or -1 if it is no time. */
static int parse_time(const char *text, double *seconds)
{
	static const struct {
		const char	*unit;
		double		seconds;
	} units[] = { { "min", 60 }, { "s", 1 }, { "h", 3600 } };
	size_t len = strlen(text), i;
	int ret = -1;

	for (i = 0; ret && i < ARRAY_SIZE(units); i++) {
		size_t unit = strlen(units[i].unit);
		char *number;

		if (len <= unit || strcmp(text + len - unit, units[i].unit))
			continue;
		number = mem_format("%.*s", (int)(len - unit), text);
		ret = parse_seconds(number, seconds);
		mem_free(number);
		*seconds *= units[i].seconds;
	}
	return ret;
}

int rotate_take(void *to, const struct option_given *given)
{
	const char *text = given->value;
	struct rotation *r = to;
	uint64_t number;

	r->bytes = 0;
	r->seconds = 0;
	if (!parse_u64(text, &number))
		return option_error(given, "needs a unit: '%s': 100M, 2G, 30s, 5min, 1h", text);
	if (!parse_count(text, &r->bytes)) {
		if (r->bytes >= LEAST_BYTES)
			return -1;
		return option_error(given, "must be 1M at least, not '%s'", text);
	}
	if (!parse_time(text, &r->seconds)) {
		if (r->seconds >= LEAST_SECONDS)
			return -1;
		return option_error(given, "must be 1s at least, not '%s'", text);
	}
	return option_error(given, "is neither a size nor a time: '%s': 100M, 2G, 30s, 5min, 1h",
			    text);
}

int rotate_take_keep(void *to, const struct option_given *given)
{
	struct rotation *r = to;

	if (!parse_u64(given->value, &r->keep) && r->keep)
		return -1;
	return option_error(given, "is not a number of traces: '%s'", given->value);
}

/* The list. */

static const char list_head[] = "part\tstate\tstart\tseconds\trecords\tlost\tbytes\n";

static void put_line(char *line, size_t len, const struct record_part *part,
		     const struct rings_total *total, const char *state)
{
	char name[PART_NAME_LEN], start[40];
	struct tm tm;

	localtime_r(&part->start, &tm);
	strftime(start, sizeof(start), "%Y-%m-%dT%H:%M:%S%z", &tm);
	snprintf(line, len, "%s\t%s\t%s\t%.3f\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n",
		 part_name(name, part->number), state, start, part->seconds,
		 total->records, total->lost, total->bytes);
}

/* @writing: the part being written, or NULL */
static bool write_list(const struct rotation *r, const struct record_part *writing)
{
	const struct rings_total none = { 0 };
	char line[sizeof(r->whole->line)];
	char *text = NULL;
	size_t len, i;
	FILE *f = open_memstream(&text, &len);
	bool ok;

	if (f) {
		fputs(list_head, f);
		for (i = 0; i < r->n; i++)
			fputs(r->whole[i].line, f);
		if (writing) {
			put_line(line, sizeof(line), writing, &none, "writing");
			fputs(line, f);
		}
	}
	if (!f || fclose(f)) {
		warn("no memory for the list of parts");
		free(text);
		return false;
	}
	ok = record_dir_replace(&r->all, SESSION_PARTS, text, len);
	free(text);
	return ok;
}

static void add_whole(struct rotation *r, const struct record_part *part,
		      const struct rings_total *total)
{
	r->whole = mem_resize(r->whole, r->n + 1, sizeof(*r->whole));
	r->whole[r->n].number = part->number;
	put_line(r->whole[r->n].line, sizeof(r->whole->line), part, total, "whole");
	r->n++;
}

/* Removes it from the list first, then from the disk. */
static bool drop_oldest(struct rotation *r, const struct record_part *writing)
{
	size_t many = r->keep && r->n > r->keep ? r->n - r->keep : 0, i;
	unsigned int first = many ? r->whole[0].number : 0;
	char name[PART_NAME_LEN];

	r->n -= many;
	memmove(r->whole, r->whole + many, r->n * sizeof(*r->whole));
	if (!write_list(r, writing))
		return false;
	for (i = 0; i < many; i++)
		record_dir_remove_part(&r->all, part_name(name, first + (unsigned int)i));
	return true;
}

/* Parts. */

struct record_dir *rotate_dir(struct record *rec)
{
	if (!rotate_wanted(&rec->rotation))
		return &rec->part->dir;
	rec->rotation.all.numbered = true;
	return &rec->rotation.all;
}

static struct record_part *other_part(struct record *rec)
{
	return rec->part == &rec->parts[0] ? &rec->parts[1] : &rec->parts[0];
}

static bool open_part(struct record *rec, struct record_part *part, unsigned int number)
{
	char name[PART_NAME_LEN], *path;

	*part = (struct record_part)RECORD_PART_INIT;
	part->number = number;
	path = mem_format("%s/%s", rec->path, part_name(name, number));
	if (record_dir_open(&part->dir, path, false))
		return true;
	mem_free(path);
	return false;
}

/* Also frees its path, which open_part() allocated. */
static void close_part(struct record_part *part, bool discard)
{
	char *path = (char *)part->dir.path;

	record_part_close(part, discard);
	part->dir.path = NULL;
	mem_free(path);
}

bool rotate_first(struct record *rec)
{
	struct rotation *r = &rec->rotation;
	uint64_t id;

	if (!rotate_wanted(r))
		return true;
	if (getrandom(&id, sizeof(id), 0) != sizeof(id)) {
		warn("no random number for the recording");
		return false;
	}
	snprintf(r->recording, sizeof(r->recording), "%016" PRIx64, id);
	if (!record_dir_clear(&r->all))
		return false;
	if (mkdirat(r->all.fd, SESSION_DIR, 0750) && errno != EEXIST) {
		warn("cannot make the directory %s/" SESSION_DIR, rec->path);
		return false;
	}
	return open_part(rec, rec->part, 1);
}

bool rotate_start(struct record *rec)
{
	struct rotation *r = &rec->rotation;

	if (!rotate_wanted(r))
		return true;
	if (r->seconds > 0)
		r->next = rec->began + r->seconds;
	else
		atomic_store(&rec->rings.enough, r->bytes);
	return write_list(r, rec->part);
}

/* Does all that can fail before it gets records. */
static bool prepare_next(struct record *rec, struct record_part *next)
{
	if (!record_metadata_save(rec) || !record_dir_clear(&next->dir) ||
	    !record_part_prepare(next, rec->part) ||
	    !record_dir_replace(&next->dir, "metadata", rec->metadata, rec->metadata_len))
		return false;
	next->start = time(NULL);
	if (!record_session_write(rec, next, RECORD_UNFINISHED))
		return false;
	record_tasks_save(&rec->tasks, &next->dir);
	return seam_announce(&rec->rings, &next->dir, rec->info.clock, rec->info.clock_hz);
}

static bool begin_next(struct record *rec)
{
	struct record_part *next = other_part(rec);
	struct rotation *r = &rec->rotation;
	double now;

	if (!open_part(rec, next, rec->part->number + 1))
		return false;
	if (!prepare_next(rec, next)) {
		close_part(next, true);
		return false;
	}
	now = monotonic_now();
	next->began = now;
	rec->part->seconds = now - rec->part->began;
	r->settled = now + NAMES_SECONDS;
	if (r->seconds > 0)
		r->next = r->next + r->seconds > now ? r->next + r->seconds : now + r->seconds;
	else
		atomic_store(&rec->rings.enough, rec->rings.bytes + r->bytes);
	return true;
}

bool rotate_settle(struct record *rec)
{
	struct record_part *old = rec->part, *next = other_part(rec);
	struct rotation *r = &rec->rotation;
	struct rings_total total;
	bool ok;

	if (!seam_is_open(&rec->rings))
		return true;
	ok = seam_close(&rec->rings);
	record_tasks_save(&rec->tasks, &old->dir);
	ok &= record_session_write(rec, old, RECORD_BY_ROTATION);
	rings_sum_file(&rec->rings, true, &total);
	add_whole(r, old, &total);
	rec->part = next;
	close_part(old, false);
	return drop_oldest(r, next) && ok;
}

static bool is_due(const struct record *rec)
{
	const struct rotation *r = &rec->rotation;

	return r->seconds > 0 ? monotonic_now() >= r->next :
				rec->rings.bytes >= rec->rings.enough;
}

bool rotate_step(struct record *rec)
{
	if (!rotate_wanted(&rec->rotation))
		return true;
	if (!seam_is_open(&rec->rings))
		return !is_due(rec) || begin_next(rec);
	if (!seam_is_crossed(&rec->rings) || monotonic_now() < rec->rotation.settled)
		return true;
	return rotate_settle(rec);
}

double rotate_when(const struct record *rec)
{
	const struct rotation *r = &rec->rotation;

	if (seam_is_open(&rec->rings) && seam_is_crossed(&rec->rings))
		return r->settled;
	return r->seconds > 0 && !seam_is_open(&rec->rings) ? r->next : 1e300;
}

bool rotate_end(struct record *rec)
{
	struct rotation *r = &rec->rotation;
	struct rings_total total;

	if (!rotate_wanted(r))
		return true;
	rings_sum_file(&rec->rings, false, &total);
	add_whole(r, rec->part, &total);
	return write_list(r, NULL);
}

/* Messages. */

void rotate_put(FILE *f, const struct record *rec, const struct record_part *part)
{
	if (!rotate_wanted(&rec->rotation))
		return;
	session_put(f, "recording", "%s", rec->rotation.recording);
	session_put(f, "part", "%u", part->number);
}

void rotate_summary(const struct record *rec)
{
	const struct rotation *r = &rec->rotation;
	unsigned int all = rec->part->number;

	if (!rotate_wanted(r))
		return;
	if (r->n < all)
		warnx("in %u parts, of which the last %zu are kept; a list: %s/" SESSION_PARTS,
		      all, r->n, rec->path);
	else
		warnx("in %u part%s; a list: %s/" SESSION_PARTS, all, all == 1 ? "" : "s",
		      rec->path);
}

void rotate_free(struct record *rec, bool discard)
{
	struct rotation *r = &rec->rotation;

	if (!rotate_wanted(r))
		return;
	close_part(&rec->parts[0], discard);
	close_part(&rec->parts[1], discard);
	mem_free(r->whole);
	if (r->all.fd >= 0 && discard)
		record_dir_discard(&r->all);
	record_dir_close(&r->all);
}
