/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * --to HOST:PORT: a rotated recording whose parts go to 'ft receive'. The directory is
 * only their spool. Another program, ft send, sends and removes them: it gets the numbers of
 * parts that are whole, and never keeps the recorder waiting.
 */
#ifndef FT_RECORD_FORWARD_H
#define FT_RECORD_FORWARD_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/options.h"
#include "record/child.h"

struct forward {
	/* what was asked for */
	const char		*to;		/* NULL: parts stay here */
	const char		*spool;		/* a size, as given; NULL: the default */
	const char		*wait;		/* seconds, as given; or NULL */
	const char		*ca, *cert, *key;
	bool			quiet;

	/* private */
	char			path[PATH_MAX];	/* of the spool that was not named */
	struct record_child	sender;
	int			line;		/* to it; -1: none */
	bool			lost;		/* not all has arrived */
};

#define FORWARD_INIT	{ .line = -1 }

extern const struct option_row forward_options[];

/** forward_wanted - are parts sent? */
static inline bool forward_wanted(const struct forward *f)
{
	return f->to;
}

/**
 * forward_check - do the options fit each other?
 * @room:	out: bytes of the spool
 *
 * Return: -1, or the exit status after a message.
 */
int forward_check(const struct forward *f, const char *command, uint64_t *room);

/** forward_place - where a spool named @name lies, unless the user says so: in memory */
const char *forward_place(struct forward *f, const char *name);

/**
 * forward_start - run ft send
 * @dir:	the spool
 * @limit:	bytes of all parts that wait
 *
 * Return: false after a message.
 */
bool forward_start(struct forward *f, const char *dir, uint64_t limit);

/** forward_part - this one is whole. Return: false after a message: there is no sender any more */
bool forward_part(struct forward *f, unsigned int number);

/**
 * forward_end - no more come: wait until all are sent, or ft send gives up
 *
 * Return: have all arrived? If not, a message says so.
 */
bool forward_end(struct forward *f);

#endif /* FT_RECORD_FORWARD_H */
