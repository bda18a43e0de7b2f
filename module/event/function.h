/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Events of functions that are chosen at run time. */
#ifndef _FT_FUNCTION_H
#define _FT_FUNCTION_H

#include <linux/errno.h>
#include <uapi/linux/feather_trace.h>

#include "compat.h"

#if FT_HAVE_ATTACH

/**
 * ft_function_add() - as FT_IOC_FUNCTION: make events of a function's entry and exit
 *
 * Context: may sleep; the caller holds no lock. Return: 0 and ->id; errors as there.
 */
int ft_function_add(struct ft_function *info);

int ft_function_init(void);
void ft_function_exit(void);

#else

static inline int ft_function_add(struct ft_function *info)
{
	return -EOPNOTSUPP;
}

static inline int ft_function_init(void)
{
	return 0;
}

static inline void ft_function_exit(void)
{
}

#endif

#endif /* _FT_FUNCTION_H */
