/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The seams of a rotated recording of programs: all rings go on into new files, and each
 * record is in the old or in the new one by its time alone.
 *
 * One thread reads all rings, so a seam is a moment of the past. A ring crosses it with the
 * first record from after that moment; or empty, as a record takes its time after it took
 * its slot: what comes into a ring that is seen empty later is from after the moment. Only a
 * record that a stopped thread has begun before it can come behind it: it is waited for, and
 * then goes into the new file. Nothing else waits, and no ring stops.
 */
#ifndef FT_RECORD_PROGRAM_SEAM_H
#define FT_RECORD_PROGRAM_SEAM_H

#include "record/program/run.h"

/** run_seam_announce - all rings go on in @dir, which becomes @run->dir */
void run_seam_announce(struct run *run, const struct record_dir *dir);

/** run_seam_is_open - one was announced, and not closed yet */
static inline bool run_seam_is_open(const struct run *run)
{
	return run->seam.old_dir;
}

/** run_seam_is_crossed - by all rings: run_seam_close() may be called */
bool run_seam_is_crossed(const struct run *run);

/** run_seam_close - the old files are complete: see run_seam_look_back() */
void run_seam_close(struct run *run);

/** run_seam_look_back - in a process of its own: @run is about the old files in @dir */
void run_seam_look_back(struct run *run, const struct record_dir *dir);

/* For reader.c, of one ring. */

/** run_seam_is_ahead - is there one that this ring has not crossed? */
static inline bool run_seam_is_ahead(const struct run *run, const struct run_stream *s)
{
	return run_seam_is_open(run) && s->seam != run->seam.number;
}

/** run_seam_dir - where its file is */
static inline const struct record_dir *run_seam_dir(const struct run *run,
						    const struct run_stream *s)
{
	return run_seam_is_ahead(run, s) ? run->seam.old_dir : run->dir;
}

/** run_seam_books - of the part that its file is in */
static inline struct run_books *run_seam_books(struct run *run, const struct run_stream *s)
{
	return run_seam_is_ahead(run, s) ? &run->seam.old : &run->books;
}

/** run_seam_before - how many of the @count ready records are before the seam */
__u32 run_seam_before(const struct run *run, const struct run_stream *s, __u32 count);

/** run_seam_is_due - no record is ready: must it be crossed now? */
bool run_seam_is_due(const struct run *run, const struct run_stream *s, bool empty);

/** run_seam_cross - what follows is for the new file; the old one is closed */
void run_seam_cross(struct run *run, struct run_stream *s);

#endif /* FT_RECORD_PROGRAM_SEAM_H */
