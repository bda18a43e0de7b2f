/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A reader of a trace, inside. All that it does with a trace runs in its scope
 * (base/scope.h): so it prints nothing, never exits, and its memory goes with it.
 */
#ifndef FT_LIBFTTRACE_HANDLE_H
#define FT_LIBFTTRACE_HANDLE_H

/* The library exports only what the header declares. */
#pragma GCC visibility push(default)
#include <feather_trace/reader.h>
#pragma GCC visibility pop

#include "base/scope.h"
#include "locks/locks.h"
#include "locks/reading.h"
#include "locks/waits.h"
#include "symbols/class_index.h"
#include "symbols/symbols.h"
#include "symbols/tasks.h"
#include "trace/trace.h"

/* With what it was made of, for ft, which knows the layers below. */
struct found {
	struct ft_reader_item	item;
	union {
		struct section	section;	/* of FT_READER_SECTIONS */
		struct wait	wait;		/* of FT_READER_WAITS */
	};
};

struct ft_reader {
	struct scope	scope;
	int		failed;		/* all calls return this from now on; or 0 */
	const char	*error;		/* of the last that failed; NULL: the messages */
	bool		opened;
	bool		ended;		/* no more items come into the queue */
	unsigned int	kinds;		/* that are wanted */

	struct trace	trace;
	struct ft_reader_event *events[METADATA_CLASSES];	/* by id */
	struct reader_field **fields[METADATA_CLASSES];		/* the same; NULL: no event */
	struct reading	reading;
	struct locks	*locks;		/* NULL: neither sections nor waits are wanted */
	struct waits	*waits;		/* or NULL */

	/* Items that were found together: a release may end several sections. */
	struct found		*queue;
	size_t			at, n, room;

	bool		symbols_read, names_read;
	struct symbols	*symbols;
	struct class_index *classes;	/* of @symbols; NULL: nobody has asked yet */
	struct names	*names;
};

/** reader_call - @f(@arg) in the scope. Return: what it returns, or a negative errno */
int reader_call(struct ft_reader *r, int (*f)(void *arg), void *arg);

/** reader_refuse - a wrong use, and what is wrong with it. Return: -EINVAL */
int reader_refuse(struct ft_reader *r, const char *why);

/** reader_open - ft_reader_open() of a trace, or of several parts; NULL behind the last */
int reader_open(struct ft_reader *r, char *const *dirs, unsigned int kinds);

/** fields_begin - the events of this class are known; for reader_call() */
void fields_begin(struct ft_reader *r, unsigned int class);

/** items_begin - the trace is open. Return: 0, or -1 with a message */
int items_begin(struct ft_reader *r);

/** items_fill - some more into the queue, which is empty: for reader_call(). Return: 0 */
int items_fill(void *reader);

/** reader_section - of the item that ft_reader_next() returned last, a section */
static inline const struct section *reader_section(const struct ft_reader *r)
{
	return &r->queue[r->at - 1].section;
}

/** reader_wait - the same of a wait */
static inline const struct wait *reader_wait(const struct ft_reader *r)
{
	return &r->queue[r->at - 1].wait;
}

#endif /* FT_LIBFTTRACE_HANDLE_H */
