/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Events that something looks at as they happen. */
#ifndef _FT_WATCH_H
#define _FT_WATCH_H

#include <linux/types.h>

#include "clock.h"
#include "probe.h"

/**
 * struct ft_watch - is called with each record of an event
 * @next:	of the same event
 * @look:	called after the record was written, or found no room, in the context of
 *		the trigger, with preemption disabled: any context; RCU may not be watching.
 *		@sessions: in which the event is on, a bit each
 */
struct ft_watch {
	struct ft_watch	*next;
	void		(*look)(struct ft_watch *watch, u8 sessions, u64 a, u64 b);
};

/**
 * ft_watch_add() - watch an event
 * @watch:	of the caller, until ft_watch_remove() and ft_trace_sync()
 * @id:		the event
 *
 * If the event is on, its triggers are to be set again: they lead to probes that call
 * @watch then. The caller holds ft_trace_mutex.
 *
 * Return: 0; -ENOSPC as many events as can be have been watched; -ENOMEM.
 */
int ft_watch_add(struct ft_watch *watch, u32 id);
void ft_watch_remove(struct ft_watch *watch, u32 id);

/* Is there a watch of the event? The caller holds ft_trace_mutex. */
bool ft_watch_any(u32 id);

/**
 * ft_watch_call() - call all watches of an event
 * @id:		the event
 * @sessions:	those for which it has happened
 *
 * For those who do not call the probes of this file. The caller has disabled preemption.
 */
void ft_watch_call(u32 id, u8 sessions, u64 a, u64 b);

/**
 * ft_watch_record() - the probe of an event, which calls its watches if it has any
 * @id:		the event
 * @sessions:	as for ft_probe_record()
 * @way:	the same
 *
 * Without watches it is that of ft_probe_record(). The caller holds ft_trace_mutex.
 */
ft_probe_t ft_watch_record(u32 id, u8 sessions, enum ft_clock_way way);

/* The same for ft_probe_lock() and ft_probe_attach(): if any lock event is watched. */
ft_lock_probe_t ft_watch_lock(u8 sessions, enum ft_clock_way way);
ft_attach_probe_t ft_watch_attach(u8 sessions, enum ft_clock_way way);

/* No trigger leads here any more. */
void ft_watch_exit(void);

#endif /* _FT_WATCH_H */
