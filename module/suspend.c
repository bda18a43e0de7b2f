// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The machine is suspended, to memory or to disk. From the first preparation until
 * everything is up again nothing is recorded: on many machines the TSC restarts from
 * 0 meanwhile, and times after that would be compared with times before it.
 *
 * If it did restart, the trace ends. What it holds is right; the next trace has the
 * new times, and is set against the wall clock anew.
 */
#include <linux/notifier.h>
#include <linux/suspend.h>

#include "clock.h"
#include "suspend.h"
#include "table.h"
#include "trace.h"

/* Guarded by ft_table_mutex. */
static bool ft_suspend_began;	/* not if the module was loaded in between */
static u64 ft_suspend_time;	/* of the clock, then */

static void ft_suspend_begin(void)
{
	mutex_lock(&ft_table_mutex);
	ft_trace_pause();
	ft_suspend_began = true;
	ft_suspend_time = ft_clock_now(&ft_trace.clock);
	mutex_unlock(&ft_table_mutex);
}

static void ft_suspend_end(void)
{
	mutex_lock(&ft_table_mutex);
	if (!ft_suspend_began)
		goto out;
	if (ft_trace_active() &&
	    ft_clock_went_back(ft_suspend_time, ft_clock_now(&ft_trace.clock))) {
		pr_notice("the TSC has restarted while the machine was suspended: the trace has ended\n");
		ft_trace.restarted = true;
		ft_table_drop_all();
	}
	ft_suspend_began = false;
	ft_trace_resume();
out:
	mutex_unlock(&ft_table_mutex);
}

static int ft_suspend_notify(struct notifier_block *nb, unsigned long what,
			     void *unused)
{
	switch (what) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		ft_suspend_begin();
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		ft_suspend_end();
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block ft_suspend_block = {
	.notifier_call	= ft_suspend_notify,
};

int __init ft_suspend_init(void)
{
	return register_pm_notifier(&ft_suspend_block);
}

void ft_suspend_exit(void)
{
	unregister_pm_notifier(&ft_suspend_block);
}
