/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ft record: names of the kernel's locks, for TRACE/info/locks (trace/lock_file.h). */
#ifndef FT_RECORD_LOCKS_NAMES_H
#define FT_RECORD_LOCKS_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "control/events.h"
#include "names/names.h"
#include "trace/directory.h"

struct record_locks {
	bool			unwanted;	/* ft record --no-lock-names */
	bool			failed;		/* there is no thread that asks */
	bool			done;		/* all were asked that could be */
	struct lock_names	*names;		/* NULL: no events of locks, or unwanted */
	uint8_t			*family;	/* by event, as in struct locks_seen */
};

/* Names are a convenience: no recording fails because of them. */

/** record_locks_start - before the first event; with events of locks among the chosen ones */
void record_locks_start(struct record_locks *locks, const struct events *events);

/** record_locks_save - write what is known so far */
void record_locks_save(struct record_locks *locks, const struct record_dir *dir);

/** record_locks_stop - no thread reads rings any more: ask the rest, write the file */
void record_locks_stop(struct record_locks *locks, const struct record_dir *dir);

/** record_locks_state - for the session file; NULL: there are no locks */
const char *record_locks_state(const struct record_locks *locks, char *buf, size_t len);

void record_locks_free(struct record_locks *locks);

#endif /* FT_RECORD_LOCKS_NAMES_H */
