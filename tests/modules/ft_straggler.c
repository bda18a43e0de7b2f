// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What the end of an event has to wait for, and what it cannot wait for.
 *
 *	echo 1 >.../enter	a thread looks at the event's key, which must be on, and
 *				stops there, as if it had been preempted
 *	echo MS >.../go		it calls the probe, MS milliseconds after the event went off;
 *				0: at once
 *	echo MS >.../hold	CPU 1 has preemption off, as if it was in a probe
 *	cat .../held		is that so still?
 *	cat .../missed		was it over when the thread called the probe?
 *	echo 1 >.../unregister	the event goes; 0: it is there again
 *	echo 1 >.../turns	CPU 1 announces turn_begin and turn_end, one after the
 *				other, 0: no more
 *
 * ... is /sys/module/ft_straggler/parameters.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>

#include <feather_trace/event.h>

#define HOLD_CPU	1

DEFINE_FT_EVENT(straggle, _b, b);	/* alike to babeltrace2: see ft_tsdl_second() */
DEFINE_FT_EVENT(turn_begin, count, none);
DEFINE_FT_EVENT(turn_end, count, none);
static struct ft_event *const straggler_events[] = { &ft_event_straggle };
static struct ft_event *const straggler_turns[] = {
	&ft_event_turn_begin, &ft_event_turn_end,
};

static DECLARE_COMPLETION(straggler_go);
static DECLARE_COMPLETION(straggler_has_gone);
static unsigned int straggler_delay_ms;
static bool straggler_entered;
static bool straggler_registered;
static bool straggler_missed;

static DECLARE_COMPLETION(hold_begun);
static unsigned int hold_ms;
static bool hold_held;

static struct task_struct *turns_thread;

/* ft_event(), with a long time between its two halves. */
static int straggler_run(void *unused)
{
	if (static_branch_unlikely(&ft_event_straggle.key)) {
		wait_for_completion(&straggler_go);
		while (straggler_delay_ms &&
		       static_key_enabled(&ft_event_straggle.key))
			usleep_range(1000, 2000);
		msleep(straggler_delay_ms);
		WRITE_ONCE(straggler_missed, !READ_ONCE(hold_held));
		static_call(ft_event_straggle)(ft_event_straggle.id, 1, 2);
	}
	complete(&straggler_has_gone);
	return 0;
}

static int straggler_enter(const char *text, const struct kernel_param *param)
{
	struct task_struct *thread;

	if (straggler_entered || !static_key_enabled(&ft_event_straggle.key))
		return -EINVAL;
	thread = kthread_create(straggler_run, NULL, "ft_straggler");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	kthread_bind(thread, 0);
	/* Who turns the event off goes first. */
	sched_set_normal(thread, 19);
	straggler_entered = true;
	wake_up_process(thread);
	return 0;
}

static int straggler_let_go(const char *text, const struct kernel_param *param)
{
	int err = kstrtouint(text, 0, &straggler_delay_ms);

	if (err || !straggler_entered)
		return err ?: -EINVAL;
	complete(&straggler_go);
	wait_for_completion(&straggler_has_gone);
	straggler_entered = false;
	return 0;
}

static int straggler_unregister(const char *text, const struct kernel_param *param)
{
	bool go;
	int err = kstrtobool(text, &go);

	if (err || go != straggler_registered)
		return err;
	if (go)
		ft_events_unregister(straggler_events, ARRAY_SIZE(straggler_events));
	else
		err = ft_events_register(straggler_events, ARRAY_SIZE(straggler_events));
	straggler_registered = !go && !err;
	return err;
}

static int hold_run(void *unused)
{
	unsigned int ms;

	preempt_disable();
	WRITE_ONCE(hold_held, true);
	complete(&hold_begun);
	for (ms = 0; ms < hold_ms; ms++)
		mdelay(1);
	WRITE_ONCE(hold_held, false);
	preempt_enable();
	return 0;
}

static int hold_set(const char *text, const struct kernel_param *param)
{
	struct task_struct *thread;
	int err = kstrtouint(text, 0, &hold_ms);

	if (err)
		return err;
	if (!cpu_online(HOLD_CPU))
		return -ENODEV;
	thread = kthread_create(hold_run, NULL, "ft_hold");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	kthread_bind(thread, HOLD_CPU);
	wake_up_process(thread);
	wait_for_completion(&hold_begun);
	return 0;
}

static int turns_run(void *unused)
{
	unsigned long count = 0;

	while (!kthread_should_stop()) {
		ft_event(turn_begin, count, 0);
		ft_event(turn_end, count++, 0);
		usleep_range(20, 30);
		cond_resched();
	}
	return 0;
}

static int turns_set(const char *text, const struct kernel_param *param)
{
	bool on;
	int err = kstrtobool(text, &on);

	if (err || on == !!turns_thread)
		return err ?: -EINVAL;
	if (!on) {
		kthread_stop(turns_thread);
		turns_thread = NULL;
		return 0;
	}
	turns_thread = kthread_create(turns_run, NULL, "ft_turns");
	if (IS_ERR(turns_thread)) {
		err = PTR_ERR(turns_thread);
		turns_thread = NULL;
		return err;
	}
	kthread_bind(turns_thread, HOLD_CPU);
	wake_up_process(turns_thread);
	return 0;
}

static const struct kernel_param_ops straggler_enter_ops = { .set = straggler_enter };
static const struct kernel_param_ops straggler_go_ops = { .set = straggler_let_go };
static const struct kernel_param_ops hold_ops = { .set = hold_set };
static const struct kernel_param_ops turns_ops = { .set = turns_set };
static const struct kernel_param_ops straggler_unregister_ops = {
	.set = straggler_unregister,
};

module_param_cb(enter, &straggler_enter_ops, NULL, 0200);
module_param_cb(go, &straggler_go_ops, NULL, 0200);
module_param_cb(unregister, &straggler_unregister_ops, NULL, 0200);
module_param_cb(hold, &hold_ops, NULL, 0200);
module_param_cb(turns, &turns_ops, NULL, 0200);
module_param_named(held, hold_held, bool, 0444);
module_param_named(missed, straggler_missed, bool, 0444);

static int __init straggler_init(void)
{
	int err;

	err = ft_events_register(straggler_events, ARRAY_SIZE(straggler_events));
	if (err)
		return err;
	err = ft_events_register(straggler_turns, ARRAY_SIZE(straggler_turns));
	if (err)
		ft_events_unregister(straggler_events, ARRAY_SIZE(straggler_events));
	else
		straggler_registered = true;
	return err;
}

static void __exit straggler_exit(void)
{
	if (turns_thread)
		kthread_stop(turns_thread);
	ft_events_unregister(straggler_turns, ARRAY_SIZE(straggler_turns));
	straggler_unregister("1", NULL);
}

module_init(straggler_init);
module_exit(straggler_exit);

MODULE_DESCRIPTION("Feather-Trace test: what the end of an event waits for");
MODULE_LICENSE("Dual MIT/GPL");
