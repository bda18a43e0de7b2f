/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The functions that can be wrapped. */
#ifndef _FT_ATTACH_FUNCTIONS_H
#define _FT_ATTACH_FUNCTIONS_H

#include <linux/errno.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <uapi/linux/feather_trace.h>

#include "attach/hook.h"
#include "compat.h"

struct ft_entry;

#if FT_HAVE_ATTACH

/* For hooks_x86.S. */
extern u8 ft_attach_ww_alone;

/*
 * Guards the functions. Only works take it, and may have it for long, and a module that goes by
 * force; ft_trace_mutex comes after it.
 */
extern struct mutex ft_attach_mutex;
extern struct ft_hook_fn ft_attach_hooks[];
extern const unsigned int ft_attach_hook_count;
extern const unsigned int ft_attach_lock_count;	/* of lock functions: the first */

/* Does the function emit this event? */
bool ft_attach_emits(const struct ft_hook_fn *fn, u32 id);

/* How many functions emit the event, as &ft_source.triggers. */
unsigned int ft_attach_triggers(const struct ft_entry *entry);

/* As FT_IOC_HOOK. @locks: with the lock functions. The caller holds ft_trace_mutex. */
int ft_attach_describe(struct ft_hook *info, bool locks);

void ft_attach_init(void);

#else

static inline int ft_attach_describe(struct ft_hook *info, bool locks)
{
	return -ENOENT;
}

#endif

#endif /* _FT_ATTACH_FUNCTIONS_H */
