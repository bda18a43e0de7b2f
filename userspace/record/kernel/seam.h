/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The seams of a rotated recording, at which all rings change to new files. Only a
 * record's time decides whether it goes to the old or to the new file. The main thread
 * chooses a future moment, prepares files and announces them. Each ring's thread crosses
 * the seam by itself: at the first record from after that moment, or when none came for
 * so long that the ring cannot hold an earlier one. Nothing waits, and no ring stops.
 */
#ifndef FT_RECORD_KERNEL_SEAM_H
#define FT_RECORD_KERNEL_SEAM_H

#include "record/kernel/rings.h"

/* For the main thread. */

/**
 * seam_announce - let all rings change to new files
 * @dir:	for the new files; in use until the next seam is closed, or until
 *		rings_exit()
 * @clock:	enum ft_clock_source of the trace
 * @hz:		its frequency
 *
 * Return: false after a message; then no ring changes files.
 */
bool seam_announce(struct rings *rings, struct record_dir *dir, uint32_t clock,
		   uint64_t hz);

/** seam_is_open - is there one that was announced and not closed yet? */
static inline bool seam_is_open(const struct rings *rings)
{
	return rings->seam.old_dir;
}

/** seam_is_crossed - have all threads crossed it? Then seam_close() may be called. */
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

/** seam_is_due - must an idle ring cross it now? */
bool seam_is_due(const struct ring *ring);

/**
 * seam_cross - the next records go to the new file
 *
 * Those before are in the old one; or in blocks on their way there, then it changes later.
 */
void seam_cross(struct ring *ring);

/** seam_change - all from before the seam that it crossed is in the old file */
void seam_change(struct ring *ring);

#endif /* FT_RECORD_KERNEL_SEAM_H */
