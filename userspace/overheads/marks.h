/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The events at which overheads begin and end: their names, and what each says. */
#ifndef FT_OVERHEADS_MARKS_H
#define FT_OVERHEADS_MARKS_H

#include <stdbool.h>

#include "trace/metadata.h"

/* What an event says. */
enum mark {
	IS_NOTHING,
	IS_SCHEDULE,
	IS_SWITCH,
	IS_SWITCHED,
	IS_TIMER,
	IS_TIMER_END,
	IS_WAKING,
	IS_SEND,		/* an IPI of which kind, the callback says */
	IS_SEND_RESCHEDULE,
	IS_SEND_CALL,
	IS_RESCHEDULE,
	IS_CALL,
	IS_SYSCALL,
};

/* @field: the task that runs next or is woken, the target CPU, the timer */
struct mark_event {
	enum mark			what;
	const struct event_field	*field, *more;	/* state, priority, callback, function */
};

/**
 * struct mark_source - an event that says something
 * @name:	its name, or that of the function that it is a point in
 * @field:	the fields of @mark_event that it needs, or NULL
 * @point:	a kprobe where the function begins, which has an offset in its event's name;
 *		@field is a register there
 */
struct mark_source {
	const char	*name, *field, *more;
	enum mark	what;
	bool		point;
};

#define MARK_SOURCES	12

extern const struct mark_source mark_sources[MARK_SOURCES];

/** mark_name - of the first source that says @what */
const char *mark_name(enum mark what);

/** mark_sends - an IPI that ipi_send_cpu reports, too, where the kernel has that event */
static inline bool mark_sends(enum mark what)
{
	return what == IS_SEND_RESCHEDULE || what == IS_SEND_CALL;
}

/** mark_classify - by the event's name; @e: out: the fields that this one needs */
enum mark mark_classify(const struct event_type *type, struct mark_event *e);

#endif /* FT_OVERHEADS_MARKS_H */
