/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Grace periods of RCU tasks that can be waited for later, or not at all. */
#ifndef _FT_GRACE_H
#define _FT_GRACE_H

#include <linux/types.h>

struct ft_grace;

/* Return: one that is over; NULL: no memory. */
struct ft_grace *ft_grace_new(void);

/**
 * ft_grace_begin() - begin a grace period
 *
 * The last one is over. Every task that is on its way into a probe has left it at the end,
 * also one that was preempted there. Does not sleep.
 */
void ft_grace_begin(struct ft_grace *grace);

bool ft_grace_is_over(struct ft_grace *grace);

/**
 * ft_grace_wait() - wait for its end
 *
 * For ever, if a real-time task keeps a CPU from others: so no caller holds a mutex that
 * others wait for. Several tasks can wait for a grace period that is the last.
 *
 * Return: 0; -EINTR the caller was killed: it goes on, and others can wait for it.
 */
int ft_grace_wait(struct ft_grace *grace);

/* Also of one that goes on, and of NULL. Does not wait. */
void ft_grace_free(struct ft_grace *grace);

#endif /* _FT_GRACE_H */
