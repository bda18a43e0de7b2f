/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ft record --rotate: a recording as a sequence of traces (trace/parts.h). While one is
 * being written, those before it are whole; the oldest are deleted. seam.h says how the
 * rings change from one to the next.
 *
 * Without --rotate, these functions do nothing. Those that return bool return false after
 * a message.
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

/* A complete part. */
struct rotated {
	unsigned int	number;
	char		line[120];	/* its line in the list */
};

struct rotation {
	/* limits of a part: at most one is set */
	uint64_t	bytes;
	double		seconds;
	uint64_t	keep;		/* how many complete parts; 0: all */

	struct record_dir all;		/* holds the parts */
	char		recording[17];	/* an identifier that all parts share */
	struct rotated	*whole;		/* complete parts, the oldest first */
	size_t		n;
	double		next;		/* when a limit in seconds is reached */
	double		settled;	/* when the names of tasks from before the seam are known */
};

/** rotate_take - take the option's value; for a table of options; to: struct rotation */
int rotate_take(void *to, const struct option_given *given);
int rotate_take_keep(void *to, const struct option_given *given);

/** rotate_wanted - is it a rotated recording? */
static inline bool rotate_wanted(const struct rotation *r)
{
	return r->bytes || r->seconds > 0;
}

/** rotate_dir - the directory that -o names */
struct record_dir *rotate_dir(struct record *rec);

/** rotate_first - open the first part; rotate_dir() is open */
bool rotate_first(struct record *rec);

/** rotate_start - call it after the trace has started */
bool rotate_start(struct record *rec);

/** rotate_step - begin a new part if it is time; finish the previous one when it is complete */
bool rotate_step(struct record *rec);

/** rotate_when - when rotate_step() is due, unless a ring's thread wakes us earlier */
double rotate_when(const struct record *rec);

/** rotate_settle - finish the previous part; all threads have crossed the seam */
bool rotate_settle(struct record *rec);

/** rotate_end - finish the last part */
bool rotate_end(struct record *rec);

/** rotate_put - write the part's facts to its session file */
void rotate_put(FILE *f, const struct record *rec, const struct record_part *part);

/** rotate_summary - print how many parts there are */
void rotate_summary(const struct record *rec);

/** rotate_free - @discard: also remove the directory, if we have created it */
void rotate_free(struct record *rec, bool discard);

#endif /* FT_RECORD_KERNEL_ROTATE_H */
