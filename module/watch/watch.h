/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Watches: they look at events as they happen. */
#ifndef _FT_WATCH_H
#define _FT_WATCH_H

#include <linux/types.h>

#include "clock.h"
#include "probe.h"

/**
 * struct ft_watch - a function to call at each occurrence of an event
 * @next:	the next watch of the same event
 * @look:	called after the record was written or lost, in the trigger's context
 *		(any), with preemption disabled; RCU may not be watching. @sessions: those
 *		in which the event is on, a bit each
 */
struct ft_watch {
	struct ft_watch	*next;
	void		(*look)(struct ft_watch *watch, u8 sessions, u64 a, u64 b);
};

/**
 * ft_watch_add() - watch an event
 * @watch:	owned by the caller; in use until ft_watch_remove() and ft_trace_sync()
 * @id:		the event
 *
 * If the event is on, set its triggers afterwards, so that they lead to probes that call
 * this one. The caller holds ft_trace_mutex.
 *
 * Return: 0; -ENOSPC too many events have been watched; -ENOMEM.
 */
int ft_watch_add(struct ft_watch *watch, u32 id);
void ft_watch_remove(struct ft_watch *watch, u32 id);

/*
 * Did an event of these sessions happen in the trace of its watch, and are the rings open?
 * @of points to a structure with a session, its bit and the number of a trace. A macro, so that
 * each of them is read only when it is needed: arguments would be read at once.
 */
#define ft_watch_is_live(of, sessions)						\
({										\
	typeof(of) __of = (of);							\
										\
	(sessions) & __of->bit &&						\
	ft_own_reload(ft_ring[__ffs(__of->bit)].limit) &&			\
	READ_ONCE(__of->session->trace.number) == __of->trace;			\
})

/* Is there a watch of the event? The caller holds ft_trace_mutex. */
bool ft_watch_any(u32 id);

/**
 * ft_watch_call() - call all watches of an event
 * @id:		the event
 * @sessions:	those in which it happened
 *
 * For callers other than the probes of this file. The caller has disabled preemption.
 */
void ft_watch_call(u32 id, u8 sessions, u64 a, u64 b);

/**
 * ft_watch_record() - the probe of an event, which calls its watches and sensors, if any
 * @id:		the event
 * @sessions:	as for ft_probe_record(); none: it is on for its sensors
 * @way:	the same
 *
 * Without them it is that of ft_probe_record(). The caller holds ft_trace_mutex.
 */
ft_probe_t ft_watch_record(u32 id, u8 sessions, enum ft_clock_way way);

/* Free all. No trigger leads here any more. */
void ft_watch_exit(void);

#endif /* _FT_WATCH_H */
