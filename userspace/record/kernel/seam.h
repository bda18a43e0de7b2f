/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The seams of a rotated recording: all rings go on into new files, and each record is in
 * the old or in the new one by its time alone. The main thread chooses a moment that is
 * yet to come, prepares files and announces them. The thread of each ring crosses by
 * itself: with the first record from after that moment, or when none came for so long
 * that the ring cannot hold one from before. Nothing waits, and no ring is stopped.
 */
#ifndef FT_RECORD_KERNEL_SEAM_H
#define FT_RECORD_KERNEL_SEAM_H

#include "record/kernel/rings.h"

/* For the main thread. */

/**
 * seam_announce - all rings go on in new files
 * @dir:	for the files; it is used until the next seam was closed, or rings_exit()
 * @clock:	enum ft_clock_source of the trace
 * @hz:		of it
 *
 * Return: false after a message, and no ring goes on elsewhere.
 */
bool seam_announce(struct rings *rings, struct record_dir *dir, uint32_t clock,
		   uint64_t hz);

/** seam_is_open - one was announced, and not closed yet */
static inline bool seam_is_open(const struct rings *rings)
{
	return rings->seam.old_dir;
}

/** seam_is_crossed - by all threads: seam_close() may be called */
bool seam_is_crossed(const struct rings *rings);

/**
 * seam_close - close the old files, remove those that are empty
 *
 * Return: false after a message for each that failed.
 */
bool seam_close(struct rings *rings);

/* For the thread of a ring. */

/** seam_is_ahead - is there one that this ring has not crossed? */
static inline bool seam_is_ahead(const struct ring *ring)
{
	return atomic_load_explicit(&ring->rings->seams, memory_order_acquire) !=
	       ring->seams;
}

/** seam_is_due - nothing came: must it be crossed now? */
bool seam_is_due(const struct ring *ring);

/** seam_cross - what is in the buffer was written, and what follows is for the new file */
void seam_cross(struct ring *ring);

#endif /* FT_RECORD_KERNEL_SEAM_H */
