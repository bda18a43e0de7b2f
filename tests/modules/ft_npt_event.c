// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The loop of feather_trace_npt with an event of ours, "npt_turn", in each turn: its number, and
 * when it began. For bench/npt kernel; feather_trace_npt must not be loaded.
 */
#include <feather_trace/event.h>

DEFINE_FT_EVENT(npt_turn, number, begin);

#define ft_npt_work(number, begin)	ft_event(npt_turn, number, begin)
#include "../../module/npt/device.h"

static struct ft_event *const npt_events[] = { &ft_event_npt_turn };

static int __init npt_init(void)
{
	int err = ft_events_register(npt_events, ARRAY_SIZE(npt_events));

	if (err)
		return err;
	err = misc_register(&ft_npt_device);
	if (err)
		ft_events_unregister(npt_events, ARRAY_SIZE(npt_events));
	return err;
}

static void __exit npt_exit(void)
{
	misc_deregister(&ft_npt_device);
	ft_events_unregister(npt_events, ARRAY_SIZE(npt_events));
}

module_init(npt_init);
module_exit(npt_exit);

MODULE_DESCRIPTION("Feather-Trace test: the non-preempt test with an event");
MODULE_LICENSE("Dual MIT/GPL");
