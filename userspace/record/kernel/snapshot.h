/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Writes the content of the kernel's rings as a trace. */
#ifndef FT_RECORD_KERNEL_SNAPSHOT_H
#define FT_RECORD_KERNEL_SNAPSHOT_H

#include <stdbool.h>
#include <time.h>

#include "record/child.h"
#include "record/kernel/when.h"

/**
 * struct snapshot - the snapshot to take
 * @session:	name of the session; NULL: the default session
 * @control:	a descriptor of the session that is closed afterwards; -1: one that has joined
 *		@session, which others may have ended
 * @uuid:	of the trace that it must be; NULL: of any
 * @path:	the trace's directory
 * @force:	replace a trace in it
 * @why:	"command", "signal", "asked" and so on, for the session file
 * @may_be_empty: if the rings have no record: no error, and no directory
 * @start:	when the recording began; 0: unknown
 * @child:	the command that was recorded, or NULL
 * @when:	the recording's conditions, or NULL
 * @fulfilled:	it answers one, or is the last snapshot: the session file names the
 *		condition
 */
struct snapshot {
	const char			*session;
	int				control;
	const __u8			*uuid;
	const char			*path;
	bool				force;
	const char			*why;
	bool				may_be_empty;
	time_t				start;
	const struct record_child	*child;
	const struct record_when	*when;
	bool				fulfilled;
};

/**
 * snapshot_guess - the session of the only flight recorder
 * @session: out: NULL: the default one
 *
 * Return: false after a message: there are several.
 */
bool snapshot_guess(const char **session);

/** snapshot_take - Return: exit status, after messages */
int snapshot_take(const struct snapshot *snapshot);

#endif /* FT_RECORD_KERNEL_SNAPSHOT_H */
