/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Names for the programs' locks, for TRACE/info/locks (trace/lock_file.h).
 *
 * While records are read it is noted which locks there are, and which call has taken each
 * first. What they are is found out at the end, in a process of its own: debug information
 * is long, files may be damaged, and names are a convenience, so no recording fails because
 * of them.
 */
#ifndef FT_RECORD_PROGRAM_LOCKS_H
#define FT_RECORD_PROGRAM_LOCKS_H

#include "record/program/moved.h"
#include "record/program/run.h"

#define RUN_LOCK_PLACES	(1u << 14)

/* Libraries that were at one address, one after the other; more have no names. */
#define RUN_LOCKS_MOVED	8

/** run_locks_begin - before the first record; does nothing if names are not wanted */
void run_locks_begin(struct run *run);

/** run_locks_note - a record of a lock, that is not among the last ones */
void run_locks_note(struct run *run, const struct ft_record *r, struct run_lock_place *place);

/** run_locks_see - note the lock of record @r, if it has one */
static inline void run_locks_see(struct run *run, const struct ft_record *r)
{
	struct run_lock_place *place;

	if (!run->lock_names.places || r->id >= FT_ID_USER_ACQUIRE(FT_USER_FAMILIES))
		return;
	place = &run->lock_names.places[map_hash(r->a) % RUN_LOCK_PLACES];
	/* rings are read one after the other: a record that is read later may be an earlier one */
	if (place->lock != r->a || r->ts < place->ts)
		run_locks_note(run, r, place);
}

/** run_locks_save - write the names; info/programs is complete */
void run_locks_save(struct run *run, const struct run_lives *lives);

void run_locks_free(struct run *run);

#endif /* FT_RECORD_PROGRAM_LOCKS_H */
