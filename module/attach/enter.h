/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Lock events on a kernel without the patch: the lock functions are wrapped. */
#ifndef _FT_ATTACH_ENTER_H
#define _FT_ATTACH_ENTER_H

#include <linux/types.h>

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
 * Points the hooks of the event at its probe. When all lock events are off, the functions
 * are unwrapped in the background.
 * The caller holds ft_trace_mutex. May sleep.
 */
int ft_attach_set(const struct ft_entry *entry, u8 sessions);

/* Waits for the end of both works, before the module is unloaded. */
void ft_attach_exit(void);

#endif /* _FT_ATTACH_ENTER_H */
