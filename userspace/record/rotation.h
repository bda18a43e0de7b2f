/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * --rotate SIZE|TIME [--keep N] [--to HOST:PORT]: a recording as a sequence of traces
 * (trace/parts.h). While one is written, those before it are complete; the oldest are removed.
 *
 * This is what ft record and ft run have in common: when a part is due, its directory, the
 * list of parts, which of them go. How records get from one part into the next is in
 * kernel/rotate.h and program/rotate.h.
 */
#ifndef FT_RECORD_ROTATION_H
#define FT_RECORD_ROTATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/options.h"
#include "record/forward.h"
#include "record/part.h"
#include "trace/directory.h"

/* A part that is whole. */
struct rotated {
	unsigned int	number;
	char		line[120];	/* of the list */
};

struct rotation {
	/* as asked for: neither, or one; with --to both, whichever is due first */
	uint64_t	bytes;
	double		seconds;
	uint64_t	keep;		/* whole parts; 0: all */
	struct forward	forward;	/* parts go elsewhere */
	uint64_t	spool;		/* bytes that may wait for that */

	struct record_dir all;		/* holds the parts */
	char		recording[17];	/* an identity, that all parts have */
	struct rotated	*whole;		/* those that are there, the oldest first */
	size_t		n;
	double		next;		/* when seconds are over */
};

#define ROTATION_INIT	{ .all.fd = -1, .forward = FORWARD_INIT }

/* The options; their target is a struct rotation. */
extern const struct option_row rotation_options[];

/**
 * rotation_check - do these options fit each other, and the others?
 * @command:	who asks
 * @path:	the argument of -o; changed where the default is another one
 * @usual:	what it is without -o
 * @flight:	--flight is given, too
 *
 * Return: -1, or the exit status after a message.
 */
int rotation_check(struct rotation *r, const char *command, const char **path,
		   const char *usual, bool flight);

/** rotation_wanted - is it a rotated recording? */
static inline bool rotation_wanted(const struct rotation *r)
{
	return r->bytes || r->seconds > 0;
}

/** rotation_dir - what -o means: a directory of parts, or @part itself */
struct record_dir *rotation_dir(struct rotation *r, struct record_part *part);

/**
 * rotation_begin - rotation_dir() is open: clear it, start what sends parts
 *
 * Return: false after a message.
 */
bool rotation_begin(struct rotation *r);

/**
 * rotation_open_part - make its directory, with the level of rotation_dir()
 *
 * Return: false after a message.
 */
bool rotation_open_part(struct rotation *r, struct record_part *part, unsigned int number);

/** rotation_close_part - @discard: and remove it */
void rotation_close_part(struct record_part *part, bool discard);

/** rotation_began - a part has begun at this time, monotonic_now() */
void rotation_began(struct rotation *r, double now);

/** rotation_is_old - is the part that is written as old as asked for? */
bool rotation_is_old(const struct rotation *r);

/** rotation_list - write the list. @writing: the part being written, or NULL */
bool rotation_list(const struct rotation *r, const struct record_part *writing);

/**
 * rotation_add_whole - a part is whole: into the list; the oldest go
 * @writing:	the part being written, or NULL
 *
 * Return: false after a message.
 */
bool rotation_add_whole(struct rotation *r, const struct record_part *part,
			const struct record_part_books *books,
			const struct record_part *writing);

/** rotation_put - what the session file of a part says about it */
void rotation_put(FILE *f, const struct rotation *r, const struct record_part *part);

/**
 * rotation_deliver - the last part is complete, its session file, too: send it
 *
 * Return: have all parts arrived? true where none is sent
 */
bool rotation_deliver(struct rotation *r, const struct record_part *last);

/** rotation_summary - for the user. @all: how many parts were written */
void rotation_summary(const struct rotation *r, unsigned int all);

/** rotation_free - @discard: and remove the directory, if we have made it */
void rotation_free(struct rotation *r, bool discard);

#endif /* FT_RECORD_ROTATION_H */
