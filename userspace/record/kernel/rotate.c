// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft record --rotate. See rotate.h. */
#include "base/clock.h"
#include "record/kernel/record.h"
#include "record/kernel/rotate.h"
#include "record/kernel/seam.h"
#include "record/kernel/system.h"

/* After this time, changes of tasks from before the seam have arrived (tasks.c). */
#define NAMES_SECONDS	0.1

static struct record_part *other_part(struct record *rec)
{
	return rec->part == &rec->parts[0] ? &rec->parts[1] : &rec->parts[0];
}

bool rotate_first(struct record *rec)
{
	if (!rotation_wanted(&rec->rotation))
		return true;
	return rotation_begin(&rec->rotation) &&
	       rotation_open_part(&rec->rotation, rec->part, 1);
}

bool rotate_start(struct record *rec)
{
	struct rotation *r = &rec->rotation;

	if (!rotation_wanted(r))
		return true;
	rotation_began(r, rec->began);
	if (r->bytes)
		atomic_store(&rec->rings.enough, r->bytes);
	return rotation_list(r, rec->part);
}

/* Does all that can fail before records are written there. */
static bool prepare_next(struct record *rec, struct record_part *next)
{
	if (!record_metadata_save(rec) || !record_dir_clear(&next->dir) ||
	    !record_system_part(next, rec->part) || !record_part_session(next) ||
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

	if (!rotation_open_part(r, next, rec->part->number + 1))
		return false;
	if (!prepare_next(rec, next)) {
		rotation_close_part(next, true);
		return false;
	}
	now = monotonic_now();
	next->began = now;
	rec->part->seconds = now - rec->part->began;
	rec->settled = now + NAMES_SECONDS;
	rotation_began(r, now);
	if (r->bytes)
		atomic_store(&rec->rings.enough, rec->rings.bytes + r->bytes);
	return true;
}

static struct record_part_books books_of(const struct record *rec, bool old)
{
	struct rings_total total;

	rings_sum_file(&rec->rings, old, &total);
	return (struct record_part_books){ total.records, total.lost, total.bytes };
}

bool rotate_settle(struct record *rec)
{
	struct record_part *old = rec->part, *next = other_part(rec);
	struct record_part_books books;
	bool ok;

	if (!seam_is_open(&rec->rings))
		return true;
	ok = seam_close(&rec->rings);
	record_tasks_save(&rec->tasks, &old->dir);
	record_locks_save(&rec->lock_names, &old->dir);
	ok &= record_stacks_save(&rec->stacks, rec->control, &old->dir);
	ok &= record_session_write(rec, old, RECORD_BY_ROTATION);
	record_stacks_next(&rec->stacks);
	books = books_of(rec, true);
	rec->part = next;
	ok &= rotation_add_whole(&rec->rotation, old, &books, next);
	rotation_close_part(old, false);
	return ok;
}

static bool is_due(const struct record *rec)
{
	return (rec->rotation.bytes && rec->rings.bytes >= rec->rings.enough) ||
	       rotation_is_old(&rec->rotation);
}

bool rotate_step(struct record *rec)
{
	if (!rotation_wanted(&rec->rotation))
		return true;
	if (!seam_is_open(&rec->rings))
		return !is_due(rec) || begin_next(rec);
	if (!seam_is_crossed(&rec->rings) || monotonic_now() < rec->settled)
		return true;
	return rotate_settle(rec);
}

double rotate_when(const struct record *rec)
{
	const struct rotation *r = &rec->rotation;

	if (seam_is_open(&rec->rings) && seam_is_crossed(&rec->rings))
		return rec->settled;
	return r->seconds > 0 && !seam_is_open(&rec->rings) ? r->next : 1e300;
}

bool rotate_end(struct record *rec)
{
	struct record_part_books books;

	if (!rotation_wanted(&rec->rotation))
		return true;
	books = books_of(rec, false);
	return rotation_add_whole(&rec->rotation, rec->part, &books, NULL);
}

void rotate_free(struct record *rec, bool discard)
{
	if (!rotation_wanted(&rec->rotation))
		return;
	rotation_close_part(&rec->parts[0], discard);
	rotation_close_part(&rec->parts[1], discard);
	rotation_free(&rec->rotation, discard);
}
