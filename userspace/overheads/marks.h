/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What an event of a trace says about overheads. */
#ifndef FT_OVERHEADS_MARKS_H
#define FT_OVERHEADS_MARKS_H

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

/* @field: who runs next, who is woken, the CPU that is sent to, the timer */
struct mark_event {
	enum mark			what;
	const struct event_field	*field, *more;	/* state, priority, callback, function */
};

/** mark_classify - by the event's name; @e: out: the fields that this one needs */
enum mark mark_classify(const struct event_type *type, struct mark_event *e);

#endif /* FT_OVERHEADS_MARKS_H */
