/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ft run --flight --when CONDITION: the recorder looks at each record soon after it was
 * written, while it is in the ring. Programs do nothing for it.
 */
#ifndef FT_RECORD_PROGRAM_WHEN_H
#define FT_RECORD_PROGRAM_WHEN_H

#include "base/options.h"
#include "control/condition.h"
#include "record/program/run.h"

/* What fired. */
struct run_fired {
	const struct condition	*condition;	/* NULL: none */
	uint64_t		time;		/* of the record, on the trace's clock */
	int32_t			tid;
	double			due;		/* when the snapshot is to be taken */
};

/* An event that a condition is about. */
struct run_match {
	const struct condition	*condition;
	uint32_t		id;
	unsigned int		word;
	uint64_t		mask;		/* of the word: without the mark of a process */
};

struct run_when {
	struct conditions	all;
	struct run_match	*matches;
	size_t			n_matches;
	uint32_t		events;		/* that were looked at */
	struct run_fired	fired;
	bool			failed;		/* a condition can never hold */
};

/**
 * run_when_prepare - before the command begins: events of conditions are recorded
 *
 * Return: false with a message.
 */
bool run_when_prepare(struct run_when *when, struct run *run);

/** run_when_look - at what was written since the last time. Notes what fires first. */
void run_when_look(struct run_when *when, struct run *run);

/** run_when_is_due - has one fired, and is it time for its snapshot? */
bool run_when_is_due(const struct run_when *when);

/** run_when_next - the snapshot was taken */
void run_when_next(struct run_when *when);

/** run_when_end - tell of conditions whose event was in no program */
void run_when_end(struct run_when *when);

#endif /* FT_RECORD_PROGRAM_WHEN_H */
