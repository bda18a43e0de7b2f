/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Events of wrapped functions. */
#ifndef _FT_ATTACH_ENTER_H
#define _FT_ATTACH_ENTER_H

#include <linux/types.h>
#include <uapi/linux/feather_trace.h>

struct ft_entry;

/**
 * ft_attach_hold() - keep what is wrapped, as &ft_source.hold
 *
 * Until ft_attach_finish(): the functions of events that are on, and of those that
 * ft_attach_prepare() wraps. The caller holds ft_trace_mutex.
 */
void ft_attach_hold(void);
void ft_attach_finish(void);

/**
 * ft_attach_prepare() - wrap the functions of an event, as &ft_source.prepare
 *
 * In some kernels ftrace waits here for every runnable task. The caller does not hold
 * ft_trace_mutex.
 *
 * Return: 0 if at least one function of the event is wrapped; else the error of the
 * last one; -EINTR the caller was killed: wrapping goes on, and is undone after
 * ft_attach_finish().
 */
int ft_attach_prepare(u32 id);

/**
 * ft_attach_set() - switch a lock event, as &ft_source.set
 *
 * Points the hooks of the event at its probe, and is ft_attach_want().
 * The caller holds ft_trace_mutex. May sleep.
 */
int ft_attach_set(const struct ft_entry *entry, u8 sessions);

/**
 * ft_attach_want() - an event is on, or off
 * @number:	its own among all of them: of a lock its id less FT_ID_LOCK; of others
 *		from FT_ATTACH_OTHERS on, less than 64
 *
 * When all are off, the functions are unwrapped in the background. The caller holds
 * ft_trace_mutex, and has pointed the hooks at the event's probe.
 */
void ft_attach_want(unsigned int number, bool on);

#define FT_ATTACH_OTHERS	(2 * FT_LOCK_FAMILIES)

/* Waits for the end of both works, before the module is unloaded. */
void ft_attach_exit(void);

#endif /* _FT_ATTACH_ENTER_H */
