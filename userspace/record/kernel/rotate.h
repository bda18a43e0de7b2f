/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ft record --rotate: a recording as a sequence of traces (trace/parts.h). While one is
 * written those before it are whole; the oldest go. seam.h says how records get from one
 * into the next.
 *
 * All of them may be called where nothing is rotated, and do nothing then. Those that
 * return bool return false after a message.
 */
#ifndef FT_RECORD_KERNEL_ROTATE_H
#define FT_RECORD_KERNEL_ROTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/options.h"
#include "trace/directory.h"

struct record;
struct record_part;

/* A part that is whole. */
struct rotated {
	unsigned int	number;
	char		line[120];	/* of the list */
};

struct rotation {
	/* what was asked for: neither of them, or one */
	uint64_t	bytes;
	double		seconds;
	uint64_t	keep;		/* whole parts; 0: all */

	struct record_dir all;		/* holds the parts */
	char		recording[17];	/* an identity, that all parts have */
	struct rotated	*whole;		/* those that are there, the oldest first */
	size_t		n;
	double		next;		/* when seconds are over */
	double		settled;	/* when the names of tasks before the seam are known */
};

/** rotate_take - for an option's table; to: struct rotation */
int rotate_take(void *to, const struct option_given *given);
int rotate_take_keep(void *to, const struct option_given *given);

/** rotate_wanted - is it a rotated recording? */
static inline bool rotate_wanted(const struct rotation *r)
{
	return r->bytes || r->seconds > 0;
}

/** rotate_dir - what -o means */
struct record_dir *rotate_dir(struct record *rec);

/** rotate_first - rotate_dir() is open: open the first part */
bool rotate_first(struct record *rec);

/** rotate_start - the trace has begun */
bool rotate_start(struct record *rec);

/** rotate_step - begin a new part if it is time; finish the one before when that is whole */
bool rotate_step(struct record *rec);

/** rotate_when - when rotate_step() is due, unless a ring's thread tells earlier */
double rotate_when(const struct record *rec);

/** rotate_settle - finish the part before; all threads have crossed the seam */
bool rotate_settle(struct record *rec);

/** rotate_end - the last part is whole */
bool rotate_end(struct record *rec);

/** rotate_put - what the session file of a part says about it */
void rotate_put(FILE *f, const struct record *rec, const struct record_part *part);

/** rotate_summary - for the user */
void rotate_summary(const struct record *rec);

/** rotate_free - @discard: and remove the directory, if we have made it */
void rotate_free(struct record *rec, bool discard);

#endif /* FT_RECORD_KERNEL_ROTATE_H */
