// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Grace periods of RCU tasks.
 *
 * At the end, the kernel calls one of its own functions. So a running grace period needs
 * nothing of this module but a few bytes: rmmod need not wait.
 */
#include <linux/completion.h>
#include <linux/errno.h>
#include <linux/rcupdate.h>
#include <linux/rcupdate_wait.h>
#include <linux/slab.h>

#include "grace.h"

struct ft_grace {
	struct rcu_synchronize	rcu;
};

struct ft_grace *ft_grace_new(void)
{
	struct ft_grace *grace = kzalloc(sizeof(*grace), GFP_KERNEL);

	if (grace) {
		init_completion(&grace->rcu.completion);
		complete_all(&grace->rcu.completion);
	}
	return grace;
}

void ft_grace_begin(struct ft_grace *grace)
{
	reinit_completion(&grace->rcu.completion);
	call_rcu_tasks(&grace->rcu.head, wakeme_after_rcu);
}

bool ft_grace_is_over(struct ft_grace *grace)
{
	return completion_done(&grace->rcu.completion);
}

int ft_grace_wait(struct ft_grace *grace)
{
	if (wait_for_completion_killable(&grace->rcu.completion))
		return -EINTR;
	/* wakeme_after_rcu() wakes only one. */
	complete_all(&grace->rcu.completion);
	return 0;
}

void ft_grace_free(struct ft_grace *grace)
{
	/* A running one belongs to the kernel, which never frees it: these few bytes leak. */
	if (grace && ft_grace_is_over(grace))
		kfree(grace);
}
