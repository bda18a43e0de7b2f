/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ft run --flight --when CONDITION: the recorder checks each record soon after it was
 * written, while it is in the ring. It costs programs nothing.
 */
#ifndef FT_RECORD_PROGRAM_WHEN_H
#define FT_RECORD_PROGRAM_WHEN_H

#include "base/options.h"
#include "control/condition.h"
#include "record/program/run.h"

/* The condition that fired. */
struct run_fired {
	const struct condition	*condition;	/* NULL: none */
	uint64_t		time;		/* of the record, on the trace's clock */
	int32_t			tid;
	double			due;		/* when the snapshot is to be taken */
};

/* The event and word that a condition checks. */
struct run_match {
	const struct condition	*condition;
	uint32_t		id;
	unsigned int		word;
	uint64_t		mask;		/* for the word: takes the process's mark away */
};

/* A field that is not among the first two of its event: see add_more(). */
struct run_unresolved {
	uint32_t		event;		/* its index + 1; 0: none */
	double			since;
};

struct run_when {
	struct conditions	all;
	struct run_unresolved	unresolved[FT_CONDITIONS_MAX];
	struct run_match	*matches;
	size_t			n_matches;
	bool			compared[FT_SESSION_EVENTS]; /* events of programs, with all */
	struct run_fired	fired;
	bool			failed;		/* a condition can never hold */
};

/**
 * run_when_prepare - enable the events of the conditions, before the command starts
 *
 * Return: false with a message.
 */
bool run_when_prepare(struct run_when *when, struct run *run);

/** run_when_look - check the records written since the last call; note which fires first */
void run_when_look(struct run_when *when, struct run *run);

/** run_when_is_due - has a condition fired, and is it time for its snapshot? */
bool run_when_is_due(const struct run_when *when);

/** run_when_next - the snapshot was taken: wait for the next */
void run_when_next(struct run_when *when);

/** run_when_end - print the conditions whose event no program has */
void run_when_end(struct run_when *when, struct run *run);

#endif /* FT_RECORD_PROGRAM_WHEN_H */
