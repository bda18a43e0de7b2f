// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * An event with the name of a tracepoint of the kernel: who comes second is
 * refused, this module or who asks for the tracepoint.
 */
#include <linux/module.h>

#include <feather_trace/event.h>

DEFINE_FT_EVENT(sched_process_wait, a, b);
static struct ft_event *const namesake_events[] = { &ft_event_sched_process_wait };

static int __init namesake_init(void)
{
	int err;

	err = ft_events_register(namesake_events, ARRAY_SIZE(namesake_events));
	if (!err)
		ft_event(sched_process_wait, 0, 0);
	return err;
}

static void __exit namesake_exit(void)
{
	ft_events_unregister(namesake_events, ARRAY_SIZE(namesake_events));
}

module_init(namesake_init);
module_exit(namesake_exit);

MODULE_DESCRIPTION("Feather-Trace test: an event named like a tracepoint");
MODULE_LICENSE("Dual MIT/GPL");
