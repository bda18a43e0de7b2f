/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What an event says of threads, calls and interrupts. Only threads.c includes this. */
#ifndef FT_ANALYSIS_THREADS_EVENT_H
#define FT_ANALYSIS_THREADS_EVENT_H

#include <stddef.h>

#include "trace/metadata.h"

enum what {
	IS_NEW,			/* not looked at yet */
	IS_NOTHING,
	IS_SWITCH,
	IS_WAKING,
	IS_WAKEUP,		/* comes later, and on the CPU of the woken task */
	IS_BIRTH,
	IS_MIGRATION,
	IS_ENTRY,
	IS_EXIT,
	IS_CALL,
	IS_RETURN,
	IS_STACK,		/* of what the thread does next, or of something else */
};

/*
 * @field: of IS_SWITCH who runs next; of wake-ups who is woken; of calls their number
 * @cpu: in whose queue it is then; or NULL
 */
struct threads_event {
	enum what			what;
	const struct event_field	*field, *state, *cpu;
	size_t				base;	/* length of its name without _entry or _exit */
};

/** threads_event_classify - fill in @e */
void threads_event_classify(struct threads_event *e, const struct event_type *type);

#endif /* FT_ANALYSIS_THREADS_EVENT_H */
