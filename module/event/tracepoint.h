/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Events from the kernel's tracepoints. */
#ifndef _FT_TRACEPOINT_H
#define _FT_TRACEPOINT_H

#include <uapi/linux/feather_trace.h>

#include "compat.h"

struct tracepoint;

/**
 * ft_tracepoint_add() - as FT_IOC_TRACEPOINT: make an event of a tracepoint
 *
 * Context: may sleep; the caller holds no lock.
 * Return: 0 and ->id; -ENOENT there is no such tracepoint; -EEXIST an event of
 * another kind has that name; -EINVAL; -ENOSPC; -ENOMEM.
 */
int ft_tracepoint_add(struct ft_tracepoint *info);

/* Enters those whose arguments are known (typed.c), where the kernel has them. */
int ft_tracepoint_init(void);
void ft_tracepoint_exit(void);

/**
 * ft_tracepoint_retire() - a tracepoint goes; so does its event, if it has one
 *
 * Context: may sleep; ft_trace_mutex is held. On return no probe of ours is entered
 * any more through @tp; one that was entered before may still run.
 */
void ft_tracepoint_retire(struct tracepoint *tp);

#if FT_HAVE_MODULE_TRACEPOINTS
/* Return: that tracepoint of a module, which lasts while ft_trace_mutex is held. */
struct tracepoint *ft_tracepoint_module_find(const char *name);
int ft_tracepoint_module_init(void);
void ft_tracepoint_module_exit(void);
#else
static inline struct tracepoint *ft_tracepoint_module_find(const char *name)
{
	return NULL;
}

static inline int ft_tracepoint_module_init(void)
{
	return 0;
}

static inline void ft_tracepoint_module_exit(void)
{
}
#endif

#endif /* _FT_TRACEPOINT_H */
