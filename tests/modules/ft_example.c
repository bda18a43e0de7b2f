// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * How a module gets an event of its own: three lines, and two calls.
 *
 * A thread announces "example_beat" a thousand times a second, and has sensors: a counter, a
 * scalar and a histogram. The module may be unloaded at any time, while events are enabled,
 * too.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/module.h>

#include <feather_trace/event.h>

DEFINE_FT_EVENT(example_beat, count, jiffies);
DEFINE_FT_COUNTER(example_beats);
DEFINE_FT_SCALAR(example_last, "beats");
DEFINE_FT_HISTOGRAM(example_sizes, "bytes");

static struct ft_event *const example_events[] = {
	&ft_event_example_beat, &ft_event_example_beats, &ft_event_example_last,
	&ft_event_example_sizes,
};

static struct task_struct *example_thread;

static int example_run(void *unused)
{
	unsigned long count = 0;

	while (!kthread_should_stop()) {
		ft_event(example_beat, count, jiffies);
		ft_counter(example_beats);
		ft_scalar(example_last, count);
		ft_histogram(example_sizes, count % 100);
		count++;
		usleep_range(900, 1100);
	}
	return 0;
}

static int __init example_init(void)
{
	int err;

	err = ft_events_register(example_events, ARRAY_SIZE(example_events));
	if (err)
		return err;

	example_thread = kthread_run(example_run, NULL, "ft_example");
	if (IS_ERR(example_thread)) {
		ft_events_unregister(example_events, ARRAY_SIZE(example_events));
		return PTR_ERR(example_thread);
	}
	return 0;
}

static void __exit example_exit(void)
{
	kthread_stop(example_thread);
	ft_events_unregister(example_events, ARRAY_SIZE(example_events));
}

module_init(example_init);
module_exit(example_exit);

MODULE_DESCRIPTION("Feather-Trace example: a module with an event");
MODULE_LICENSE("Dual MIT/GPL");
