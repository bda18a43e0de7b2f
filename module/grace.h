/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Grace periods of RCU tasks, to wait for later or not at all. */
#ifndef _FT_GRACE_H
#define _FT_GRACE_H

#include <linux/types.h>

struct ft_grace;

/* Return: one that has ended; NULL: no memory. */
struct ft_grace *ft_grace_new(void);

/**
 * ft_grace_begin() - begin a grace period
 *
 * The previous one has ended. At the end, every task that is on its way into a probe now
 * has left it, even if it was preempted there. Does not sleep.
 */
void ft_grace_begin(struct ft_grace *grace);

bool ft_grace_is_over(struct ft_grace *grace);

/**
 * ft_grace_wait() - wait for its end
 *
 * This may take forever, if a real-time task keeps a CPU from others: callers hold no
 * mutex that others wait for. Several tasks may wait, if no other grace period follows.
 *
 * Return: 0; -EINTR the caller was killed: the grace period goes on, and others may wait.
 */
int ft_grace_wait(struct ft_grace *grace);

/* Also accepts a running one, and NULL. Does not wait. */
void ft_grace_free(struct ft_grace *grace);

#endif /* _FT_GRACE_H */
