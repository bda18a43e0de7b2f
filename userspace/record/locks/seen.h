/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Finds locks in the records that a ring's thread has read, for their names (names/names.h).
 *
 * The thread takes at most a hundredth of its time for it: it leaves out records where that
 * is not enough. A lock that matters is in the next ones, too.
 */
#ifndef FT_RECORD_LOCKS_SEEN_H
#define FT_RECORD_LOCKS_SEEN_H

#include <stddef.h>
#include <stdint.h>

#include <linux/feather_trace.h>

#include "names/names.h"

#define LOCKS_SEEN_PLACES	(1u << 14)

/** struct locks_seen - of one ring; the locks that its thread has seen lately */
struct locks_seen {
	struct lock_names	*names;
	const uint8_t		*family;	/* by event: enum ft_lock_family + 1; 0: none */
	double			begun, spent;	/* seconds */
	uint64_t		skipped;	/* records */
	uint64_t		place[LOCKS_SEEN_PLACES];
};

/** locks_seen_new - Return: NULL without memory: then it is not looked for locks */
struct locks_seen *locks_seen_new(struct lock_names *names, const uint8_t *family);

/** locks_seen_scan - look through @n records; @seen may be NULL */
void locks_seen_scan(struct locks_seen *seen, const struct ft_record *records, size_t n);

/** locks_seen_end - tell what was left out, and free it */
void locks_seen_end(struct locks_seen *seen);

#endif /* FT_RECORD_LOCKS_SEEN_H */
