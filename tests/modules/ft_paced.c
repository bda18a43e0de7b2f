// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A paced writer of events: a timer interrupt that passes the tracepoint of ft_points.c a number
 * of times, again and again. As an interrupt, it does not wait for the recorder.
 *
 *	echo "PERIOD EVENTS TIMES" >/sys/module/ft_paced/parameters/run
 *
 * EVENTS events each PERIOD nanoseconds, TIMES times; returns when the last has been. Where an
 * interrupt takes longer than PERIOD, it fails with ETIME: the CPU cannot write that many.
 */
#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

#include "../../module/compat.h"
#include "ft_points.h"

static struct {
	struct hrtimer		timer;
	struct completion	done;
	u64			period;
	unsigned long		events, times, number;
	u64			late;
} paced;

static enum hrtimer_restart paced_fire(struct hrtimer *timer)
{
	unsigned long i;

	for (i = 0; i < paced.events; i++)
		trace_ft_points_fire(paced.number++, paced.events);
	if (!--paced.times) {
		complete(&paced.done);
		return HRTIMER_NORESTART;
	}
	paced.late += hrtimer_forward_now(timer, ns_to_ktime(paced.period)) - 1;
	return HRTIMER_RESTART;
}

static int paced_run(const char *text, const struct kernel_param *param)
{
	if (sscanf(text, "%llu %lu %lu", &paced.period, &paced.events, &paced.times) != 3 ||
	    !paced.period || !paced.times)
		return -EINVAL;
	paced.number = 0;
	paced.late = 0;
	init_completion(&paced.done);
	hrtimer_start(&paced.timer, ns_to_ktime(paced.period), HRTIMER_MODE_REL_PINNED_HARD);
	wait_for_completion(&paced.done);
	hrtimer_cancel(&paced.timer);
	return paced.late ? -ETIME : 0;
}

static const struct kernel_param_ops paced_ops = { .set = paced_run };

module_param_cb(run, &paced_ops, NULL, 0200);
MODULE_PARM_DESC(run, "pass the tracepoint at a pace: PERIOD EVENTS TIMES");

static int __init paced_init(void)
{
	ft_hrtimer_setup(&paced.timer, paced_fire, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	return 0;
}

static void __exit paced_exit(void)
{
	hrtimer_cancel(&paced.timer);
}

module_init(paced_init);
module_exit(paced_exit);

MODULE_DESCRIPTION("Feather-Trace test: a paced writer of events");
MODULE_LICENSE("Dual MIT/GPL");
