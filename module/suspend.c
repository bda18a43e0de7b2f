// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The machine is suspended, to memory or to disk. From the first preparation until
 * everything is up again nothing is recorded: on many machines the TSC restarts from
 * 0 meanwhile, on some it stops, and times after that would be compared with times
 * before it.
 *
 * If it did either, the trace ends. Its records are right; the next trace has the new
 * times, and compares its clock with the wall clock again.
 *
 * Suspends nest: /dev/snapshot holds one while it is open.
 */
#include <linux/notifier.h>
#include <linux/suspend.h>

#include "clock.h"
#include "event/table.h"
#include "suspend.h"
#include "trace/trace.h"

/* Guarded by ft_trace_mutex. */
static unsigned int ft_suspend_depth;	/* without those from before the module */

/* The last reading of a session's clock, and its trace. Guarded by ft_trace_mutex. */
static struct ft_suspend_seen {
	struct ft_clock_look	look;
	u32			trace;
} ft_suspend_all[FT_SESSIONS];

static struct ft_suspend_seen *ft_suspend_seen(const struct ft_session *session)
{
	return &ft_suspend_all[ft_session_number(session)];
}

static void ft_suspend_remember(struct ft_session *session)
{
	ft_clock_look(&session->trace.clock, &ft_suspend_seen(session)->look);
	ft_suspend_seen(session)->trace = session->trace.number;
}

/* A trace that began after the last reading may have another clock: no comparison. */
static void ft_suspend_judge(struct ft_session *session)
{
	struct ft_trace *trace = &session->trace;
	struct ft_clock_look now;

	if (!ft_trace_active(session) ||
	    trace->number != ft_suspend_seen(session)->trace ||
	    trace->clock.source != FT_CLOCK_TSC)
		return;

	ft_clock_look(&trace->clock, &now);
	if (ft_clock_is_behind(&trace->clock, &ft_suspend_seen(session)->look, &now)) {
		pr_notice("the TSC restarted or stopped during a suspend: the trace has ended\n");
		trace->restarted = true;
		ft_table_drop_all(session);
	}
}

static void ft_suspend_begin(void)
{
	struct ft_session *session;

	mutex_lock(&ft_trace_mutex);
	/* Also those that are to come. */
	for (session = ft_sessions; session < ft_sessions + FT_SESSIONS; session++) {
		ft_trace_pause(session);
		if (ft_suspend_depth)
			ft_suspend_judge(session);
		ft_suspend_remember(session);
	}
	ft_suspend_depth++;
	mutex_unlock(&ft_trace_mutex);
}

static void ft_suspend_end(void)
{
	struct ft_session *session;

	mutex_lock(&ft_trace_mutex);
	if (!ft_suspend_depth)
		goto out;
	ft_suspend_depth--;
	for (session = ft_sessions; session < ft_sessions + FT_SESSIONS; session++) {
		ft_suspend_judge(session);
		ft_suspend_remember(session);
		ft_trace_resume(session);
	}
out:
	mutex_unlock(&ft_trace_mutex);
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
