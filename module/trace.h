/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A trace: what lies between the first enabling and the last disabling. */
#ifndef _FT_TRACE_H
#define _FT_TRACE_H

#include <linux/types.h>
#include <linux/uuid.h>

#include "clock.h"

/**
 * struct ft_trace - the current or the last trace
 * @number:	0 before the first
 * @active:	events are enabled; falls when the last record is in the rings
 * @uuid:	names it
 * @clock:	as it was at the start
 */
struct ft_trace {
	u32		number;
	bool		active;
	uuid_t		uuid;
	struct ft_clock	clock;
};

extern struct ft_trace ft_trace;

/* Something to start with before there is a trace. */
void ft_trace_init(void);

/**
 * ft_trace_get() - an event is about to be switched on
 *
 * The first one starts a trace and empties the rings. The caller holds
 * ft_table_mutex.
 *
 * Return: 0 or -ENOMEM, when there is no memory for rings.
 */
int ft_trace_get(void);

/**
 * ft_trace_put() - an event was switched off
 *
 * The last one ends the trace: waits until all probes have finished, then wakes
 * the readers. Who switches several off at once pauses first, so that no event
 * goes on without its counterpart. The caller holds ft_table_mutex.
 */
void ft_trace_put(void);

/**
 * ft_trace_pause() - let no record in until as many ft_trace_resume()
 *
 * Whether there is a trace or not. The caller holds ft_table_mutex.
 */
void ft_trace_pause(void);
void ft_trace_resume(void);

/* Needs no lock. */
static inline bool ft_trace_active(void)
{
	/* Pairs with the release in ft_trace_put(): all records are in. */
	return smp_load_acquire(&ft_trace.active);
}

/**
 * ft_trace_sync() - wait until every probe that is running has finished
 *
 * Probes run with preemption disabled, but RCU need not be watching there (the
 * idle loop takes locks, too), so a grace period is not enough: every CPU has to
 * switch to another task.
 */
void ft_trace_sync(void);

#endif /* _FT_TRACE_H */
