/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Leaving wrapped functions, and what that shares with wrapping them. */
#ifndef _FT_ATTACH_LEAVE_H
#define _FT_ATTACH_LEAVE_H

#include <linux/percpu.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <uapi/linux/feather_trace.h>

#include "compat.h"

struct ft_hook_fn;
struct module;

#if FT_HAVE_ATTACH

/* For hooks_x86.S. */
DECLARE_PER_CPU(int, ft_attach_inside);

/* Guarded by ft_trace_mutex; read without. */
extern bool ft_attach_pinned;		/* the module */
extern unsigned int ft_attach_callers;	/* between ft_attach_hold() and _finish() */
extern u64 ft_attach_events;		/* that are on, a bit each */

/* Guarded by ft_attach_mutex. */
extern unsigned long ft_attach_unwrapped;	/* how many functions, ever */
extern unsigned long ft_attach_synced;	/* those before the last grace periods */

/* Woken when a work has done something that a task may wait for. */
extern wait_queue_head_t ft_attach_news;

/*
 * Are wrapped functions wanted? Exact under ft_trace_mutex. Without it, this may miss that
 * one wants them from before another ceased to.
 */
static inline bool ft_attach_is_wanted(void)
{
	return READ_ONCE(ft_attach_callers) || READ_ONCE(ft_attach_events);
}

/* A function was removed from ftrace's list, which a CPU may still be walking. */
void ft_attach_gone(struct ft_hook_fn *fn);

/* Unwraps what is not wanted, in the background. */
void ft_attach_leave_now(void);

/* Waits for the end of that, before the module is unloaded. */
void ft_attach_leave_exit(void);

/*
 * Unwraps the functions of a module that goes by force, and forgets that it was pinned. Its events
 * are off. May sleep; the caller holds no lock.
 */
void ft_attach_owner_goes(const struct module *owner);

/* As FT_IOC_DETACH. May sleep; the caller holds no lock. */
int ft_attach_detach(struct ft_detach *detach);

#else

static inline int ft_attach_detach(struct ft_detach *detach)
{
	detach->inside = 0;
	detach->attached = 0;
	detach->stuck = 0;
	return 0;
}

#endif

#endif /* _FT_ATTACH_LEAVE_H */
