/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The loop that reads a trace from beginning to end, and shows how far it is:
 *
 *	struct reading r;
 *	struct stream *s;
 *
 *	if (reading_begin(&r, &trace, locks, NULL))
 *		return -1;
 *	while (reading_next(&r, &s))
 *		... s->item ...
 *	return reading_end(&r);
 *
 * With @locks, items come in the order in which they happened (early.h), else in that
 * of their times.
 */
#ifndef FT_LOCKS_READING_H
#define FT_LOCKS_READING_H

#include <stdio.h>

#include "locks/early.h"

/* How often progress is shown, in records: several times a second. */
#define READING_SHOWN	(1u << 20)

struct reading {
	uint64_t	records;	/* so far */
	uint64_t	first, last;	/* ticks of these */
	struct early	early;

	/* Private. */
	struct trace	*trace;
	struct locks	*locks;
	bool		shown;		/* progress is to be */
	bool		failed;
};

/**
 * reading_begin - read @t; @locks: or NULL
 * @out:	where the caller writes meanwhile, or NULL: no progress beside that
 *
 * Return: 0, or -1 with a message.
 */
int reading_begin(struct reading *r, struct trace *t, struct locks *locks, FILE *out);

/** reading_progress - show it, beside @out; in a library's call it is off (base/scope.h) */
void reading_progress(struct reading *r, FILE *out);

/** reading_end - Return: 0, or -1, after a message, where reading has failed */
int reading_end(struct reading *r);

/* Private. */
void reading_show(const struct reading *r);

/** reading_kind - of the item at hand: LOCKS_KIND_GAP, or as locks_kinds() has it */
static inline unsigned int reading_kind(const struct reading *r)
{
	return r->early.kind;
}

/** reading_next - the next item, which the stream *@s has. Return: is there one? */
static inline bool reading_next(struct reading *r, struct stream **s)
{
	int ret = early_next(&r->early, s);

	if (__builtin_expect(ret <= 0, 0)) {
		r->failed = ret < 0;
		return false;
	}
	if (__builtin_expect(reading_kind(r) == LOCKS_KIND_GAP, 0))
		return true;
	/* one that waited may be earlier */
	r->last = (*s)->ts > r->last ? (*s)->ts : r->last;
	if (__builtin_expect(!(r->records++ % READING_SHOWN), 0)) {
		if (r->records == 1)
			r->first = (*s)->ts;
		reading_show(r);
	}
	return true;
}

#endif /* FT_LOCKS_READING_H */
