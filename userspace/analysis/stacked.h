/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Which stack belongs to which section and wait. The record of a stack follows that of a
 * section's end, or a wait's, so what has ended waits here for it, with a few others of its
 * CPU: an interrupt may end some in between. It goes on when its stack comes, or when too
 * many others have ended. The stack of an acquisition is kept until its section ends; that
 * of the end, where there is one, is preferred: sections of one length all have it.
 *
 * Only traces with stacks are read through this; others pay for nothing.
 */
#ifndef FT_ANALYSIS_STACKED_H
#define FT_ANALYSIS_STACKED_H

#include <stdbool.h>
#include <stdint.h>

#include "locks/locks.h"
#include "locks/waits.h"
#include "symbols/symbols.h"
#include "trace/stacks.h"

/* How many of a kind may end on a CPU before the stack of the first comes. */
#define STACKED_WAITING	16

/** struct stacked_counts - the records of stacks, and what became of them */
struct stacked_counts {
	uint64_t	records;
	uint64_t	used;		/* one that was known, of a section or wait */
	uint64_t	none;		/* the recorder had none */
	uint64_t	unknown;	/* the file has none of this id */
	uint64_t	stray;		/* their event is not there, or they say no kind */
};

/**
 * struct stacked_told - what goes on, in the order of the ends of a CPU
 * @number:	of its stack: stacks_at(); 0: none is known
 */
struct stacked_told {
	void	(*section)(void *arg, const struct section *s, uint32_t number);
	void	(*wait)(void *arg, const struct wait *w, uint32_t number);
};

struct stacked;

/** stacked_new - @fold: calls of helpers become those of their callers: helpers.h */
struct stacked *stacked_new(const struct trace *t, const struct stacks *stacks,
			    const struct symbols *symbols, bool fold,
			    const struct stacked_told *told, void *arg);
void stacked_free(struct stacked *st);

/** stacked_begins - a lock is acquired by the record of @s */
void stacked_begins(struct stacked *st, const struct stream *s, const struct section *section);

/** stacked_section, stacked_wait - one has ended; @s: at this record, or NULL */
void stacked_section(struct stacked *st, const struct stream *s,
		     const struct section *section);
void stacked_wait(struct stacked *st, const struct stream *s, const struct wait *wait);

/**
 * stacked_release, stacked_wait_end - before the record of one is read
 *
 * Stacks that follow are not of what ended before, of this lock and task: maybe what ends now
 * has no beginning in the trace.
 */
void stacked_release(struct stacked *st, const struct stream *s);
void stacked_wait_end(struct stacked *st, const struct stream *s);

/** stacked_gap - no stack after a gap belongs to what ended before it */
void stacked_gap(struct stacked *st, const struct stream *s);

/** stacked_record - the record of a stack; @w: or NULL */
void stacked_record(struct stacked *st, const struct stream *s, struct waits *w);

/** stacked_finish - the trace is over: what waits goes on */
void stacked_finish(struct stacked *st);

/** stacked_site - @site, or, if that is in a helper, the call in its caller */
uint64_t stacked_site(struct stacked *st, uint64_t site, uint32_t number);

const struct stacked_counts *stacked_counts(const struct stacked *st);

#endif /* FT_ANALYSIS_STACKED_H */
