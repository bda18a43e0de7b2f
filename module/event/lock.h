/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Events of the kernel's locks. */
#ifndef _FT_LOCK_H
#define _FT_LOCK_H

#include <uapi/linux/feather_trace.h>

/**
 * ft_lock_init() - enter the lock events that this kernel has into the table
 * @name:	where they are to come from: "auto" (the best there is), "patch" (its
 *		triggers) or "attach" (functions that are wrapped)
 *
 * Return: 0, also if it has none; -EINVAL no such name; -ENODEV this kernel does not
 * have that; -EBUSY another module uses its triggers.
 */
int ft_lock_init(const char *name);
void ft_lock_exit(void);

/* Where lock events come from. */
enum ft_lock_source ft_lock_source(void);

#endif /* _FT_LOCK_H */
