/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Events of points inside functions. */
#ifndef _FT_KPROBE_H
#define _FT_KPROBE_H

#include <linux/errno.h>
#include <uapi/linux/feather_trace.h>

#include "compat.h"

#if FT_HAVE_KPROBES

/**
 * ft_kprobe_add() - as FT_IOC_KPROBE: make an event of a point inside a function
 *
 * Context: may sleep, and for long; the caller holds no lock. Return: 0 and ->id; errors as
 * there.
 */
int ft_kprobe_add(struct ft_kprobe *info);

void ft_kprobe_exit(void);

#else

static inline int ft_kprobe_add(struct ft_kprobe *info)
{
	return -EOPNOTSUPP;
}

static inline void ft_kprobe_exit(void)
{
}

#endif

#endif /* _FT_KPROBE_H */
