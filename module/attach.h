/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Lock events on a kernel without the patch: the lock functions are wrapped. */
#ifndef _FT_ATTACH_H
#define _FT_ATTACH_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include <uapi/linux/feather_trace.h>

#include "compat.h"

struct ft_entry;

/* Lock events that are on, a bit each by id. */
extern u32 ft_attach_on;

/* Ids are below 32; said once more, for kernels that check each shift (UBSAN). */
static __always_inline bool ft_attach_wants(unsigned int id)
{
	return READ_ONCE(ft_attach_on) & (1u << id % 32);
}

#if FT_HAVE_ATTACH

/* For attach_x86.S. */
DECLARE_PER_CPU(int, ft_attach_inside);
extern u8 ft_attach_ww_alone;

/**
 * ft_attach_prepare() - wrap the functions of an event, as &ft_source.prepare
 *
 * They stay wrapped until ft_attach_finish(). ftrace of some kernels waits here for
 * every task that wants to run. The caller does not hold ft_table_mutex.
 *
 * Return: 0 if at least one function of the event is wrapped; else the error of the
 * last one; -EINTR the caller was killed: wrapping goes on, and is then undone.
 */
int ft_attach_prepare(u32 id);
void ft_attach_finish(void);

/**
 * ft_attach_set() - switch a lock event, as &ft_source.set
 *
 * A flag. When all lock events are off, the functions are unwrapped in the background.
 * The caller holds ft_table_mutex. May sleep.
 */
int ft_attach_set(const struct ft_entry *entry, bool on);

/* How many functions there are for an event, as &ft_source.triggers. */
unsigned int ft_attach_triggers(const struct ft_entry *entry);

/* As FT_IOC_HOOK and FT_IOC_DETACH. May sleep; the caller holds no lock. */
int ft_attach_describe(struct ft_hook *info);
int ft_attach_detach(struct ft_detach *detach);

void ft_attach_init(void);
void ft_attach_exit(void);

#else

static inline int ft_attach_describe(struct ft_hook *info)
{
	return -ENOENT;
}

static inline int ft_attach_detach(struct ft_detach *detach)
{
	detach->inside = 0;
	detach->attached = 0;
	detach->stuck = 0;
	return 0;
}

#endif

#endif /* _FT_ATTACH_H */
