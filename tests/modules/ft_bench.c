// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What an event costs, from its trigger to the trigger's return.
 *
 *	echo N >/sys/module/ft_bench/parameters/plain	a loop without a trigger
 *	echo N >/sys/module/ft_bench/parameters/event	the same loop with one
 *	echo N >/sys/module/ft_bench/parameters/nothing	the same, turned on, with a probe
 *							that does nothing
 *	echo N >/sys/module/ft_bench/parameters/pair	one that takes and releases a
 *							spinlock
 *	echo N >/sys/module/ft_bench/parameters/mutex	one that does so with a mutex
 *	echo N >/sys/module/ft_bench/parameters/paced	one with an event each microsecond,
 *							and with interrupts on: those
 *							are counted
 *	echo N >/sys/module/ft_bench/parameters/switch	one that calls our probe of the
 *	echo N >/sys/module/ft_bench/parameters/wakeup	tracepoint sched_switch,
 *	echo N >/sys/module/ft_bench/parameters/irq	sched_wakeup, irq_handler_entry
 *	echo N >/sys/module/ft_bench/parameters/call	one that calls an empty function so
 *	cat /sys/module/ft_bench/parameters/ticks	of the last loop, in all
 *
 * Whether the event "bench" is disabled, enabled, or enabled with a full ring is
 * up to who asks. What a tick is: ft_ticks.h.
 */
#include <linux/interrupt.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include <feather_trace/event.h>

#include "ft_ticks.h"

DEFINE_FT_EVENT(bench, index, count);
static struct ft_event *const bench_events[] = { &ft_event_bench };

static u64 bench_ticks;

static noinline void bench_loop_plain(u64 count)
{
	u64 i;

	for (i = 0; i < count; i++) {
		ft_mark(FT_MARK_BEGIN);
		ft_mark(FT_MARK_END);
	}
}

static noinline void bench_loop_event(u64 count)
{
	u64 i;

	for (i = 0; i < count; i++) {
		ft_mark(FT_MARK_BEGIN);
		ft_event(bench, i, count);
		ft_mark(FT_MARK_END);
	}
}

static DEFINE_SPINLOCK(bench_lock);

static noinline void bench_loop_pair(u64 count)
{
	u64 i;

	for (i = 0; i < count; i++) {
		ft_mark(FT_MARK_BEGIN);
		spin_lock(&bench_lock);
		spin_unlock(&bench_lock);
		ft_mark(FT_MARK_END);
	}
}

static DEFINE_MUTEX(bench_mutex);

/* Nobody else wants it, so nobody sleeps here, where interrupts are off. */
static noinline void bench_loop_mutex(u64 count)
{
	u64 i;

	for (i = 0; i < count; i++) {
		ft_mark(FT_MARK_BEGIN);
		mutex_lock(&bench_mutex);
		mutex_unlock(&bench_mutex);
		ft_mark(FT_MARK_END);
	}
}

/* A function of the kernel that does next to nothing. */
static noinline void bench_loop_function(u64 count)
{
	u64 i;

	for (i = 0; i < count; i++)
		jiffies_to_usecs(i);
}

/* --- probes of tracepoints, called as the kernel does ------------------------ */

struct bench_call {
	void	(*fn)(void *data, unsigned long a, unsigned long b, unsigned long c,
		      unsigned long d);
	void	*data;
	unsigned long arg[4];
};

static struct bench_call bench_call;

static noinline void bench_loop_call(u64 count)
{
	const struct bench_call call = bench_call;
	u64 i;

	for (i = 0; i < count; i++) {
		ft_mark(FT_MARK_BEGIN);
		call.fn(call.data, call.arg[0], call.arg[1], call.arg[2], call.arg[3]);
		ft_mark(FT_MARK_END);
	}
}

struct bench_search {
	const char		*name;
	struct tracepoint	*tp;
};

static void bench_compare(struct tracepoint *tp, void *arg)
{
	struct bench_search *search = arg;

	if (!strcmp(tp->name, search->name))
		search->tp = tp;
}

/* The only probe that is registered there. It stays: who asks has turned the event on. */
static int bench_point(const char *value, const char *name)
{
	struct bench_search search = { .name = name };
	const struct tracepoint_func *probe;

	for_each_kernel_tracepoint(bench_compare, &search);
	if (!search.tp)
		return -ENOENT;
	probe = rcu_dereference_raw(search.tp->funcs);
	if (!probe)
		return -ENODEV;
	bench_call.fn = probe->func;
	bench_call.data = probe->data;
	return ft_ticks(value, bench_loop_call, &bench_ticks);
}

static int bench_switch(const char *value, const struct kernel_param *param)
{
	unsigned long task = (unsigned long)current;

	bench_call = (struct bench_call){ .arg = { false, task, task, TASK_INTERRUPTIBLE } };
	return bench_point(value, "sched_switch");
}

static int bench_wakeup(const char *value, const struct kernel_param *param)
{
	bench_call = (struct bench_call){ .arg = { (unsigned long)current } };
	return bench_point(value, "sched_wakeup");
}

static int bench_irq(const char *value, const struct kernel_param *param)
{
	static struct irqaction action;

	bench_call = (struct bench_call){ .arg = { 1, (unsigned long)&action } };
	return bench_point(value, "irq_handler_entry");
}

static void bench_empty(void *data, unsigned long a, unsigned long b, unsigned long c,
			unsigned long d)
{
}

static int bench_call_empty(const char *value, const struct kernel_param *param)
{
	bench_call = (struct bench_call){ .fn = bench_empty };
	return ft_ticks(value, bench_loop_call, &bench_ticks);
}

/* Rounds of four instructions: a microsecond where a tick is a nanosecond. */
#define BENCH_PAUSE	250

static noinline void bench_loop_paced(u64 count)
{
	unsigned int pause;
	u64 i;

	preempt_disable();
	local_irq_enable();
	for (i = 0; i < count; i++) {
		ft_event(bench, i, count);
		for (pause = 0; pause < BENCH_PAUSE; pause++)
			cpu_relax();
	}
	local_irq_disable();
	preempt_enable();
}

static int bench_plain(const char *value, const struct kernel_param *param)
{
	return ft_ticks(value, bench_loop_plain, &bench_ticks);
}

static int bench_event(const char *value, const struct kernel_param *param)
{
	return ft_ticks(value, bench_loop_event, &bench_ticks);
}

static void bench_probe_nothing(unsigned int id, u64 a, u64 b)
{
}

/* The event is off. Whoever turns it on sets another probe. */
static int bench_nothing(const char *value, const struct kernel_param *param)
{
	int err;

	static_call_update(ft_event_bench, bench_probe_nothing);
	static_branch_enable(&ft_event_bench.key);
	err = ft_ticks(value, bench_loop_event, &bench_ticks);
	static_branch_disable(&ft_event_bench.key);
	return err;
}

static int bench_pair(const char *value, const struct kernel_param *param)
{
	return ft_ticks(value, bench_loop_pair, &bench_ticks);
}

static int bench_take_mutex(const char *value, const struct kernel_param *param)
{
	return ft_ticks(value, bench_loop_mutex, &bench_ticks);
}

static int bench_function(const char *value, const struct kernel_param *param)
{
	return ft_ticks(value, bench_loop_function, &bench_ticks);
}

static int bench_paced(const char *value, const struct kernel_param *param)
{
	return ft_ticks(value, bench_loop_paced, &bench_ticks);
}

static int bench_get_ticks(char *buf, const struct kernel_param *param)
{
	return sysfs_emit(buf, "%llu\n", bench_ticks);
}

static const struct kernel_param_ops bench_plain_ops = { .set = bench_plain };
static const struct kernel_param_ops bench_event_ops = { .set = bench_event };
static const struct kernel_param_ops bench_nothing_ops = { .set = bench_nothing };
static const struct kernel_param_ops bench_pair_ops = { .set = bench_pair };
static const struct kernel_param_ops bench_mutex_ops = { .set = bench_take_mutex };
static const struct kernel_param_ops bench_function_ops = { .set = bench_function };
static const struct kernel_param_ops bench_paced_ops = { .set = bench_paced };
static const struct kernel_param_ops bench_switch_ops = { .set = bench_switch };
static const struct kernel_param_ops bench_wakeup_ops = { .set = bench_wakeup };
static const struct kernel_param_ops bench_irq_ops = { .set = bench_irq };
static const struct kernel_param_ops bench_call_ops = { .set = bench_call_empty };
static const struct kernel_param_ops bench_ticks_ops = {
	.get = bench_get_ticks,
};

module_param_cb(plain, &bench_plain_ops, NULL, 0200);
module_param_cb(event, &bench_event_ops, NULL, 0200);
module_param_cb(nothing, &bench_nothing_ops, NULL, 0200);
module_param_cb(pair, &bench_pair_ops, NULL, 0200);
module_param_cb(mutex, &bench_mutex_ops, NULL, 0200);
module_param_cb(function, &bench_function_ops, NULL, 0200);
module_param_cb(paced, &bench_paced_ops, NULL, 0200);
module_param_cb(switch, &bench_switch_ops, NULL, 0200);
module_param_cb(wakeup, &bench_wakeup_ops, NULL, 0200);
module_param_cb(irq, &bench_irq_ops, NULL, 0200);
module_param_cb(call, &bench_call_ops, NULL, 0200);
module_param_cb(ticks, &bench_ticks_ops, NULL, 0400);

static int __init bench_init(void)
{
	return ft_events_register(bench_events, ARRAY_SIZE(bench_events));
}

static void __exit bench_exit(void)
{
	ft_events_unregister(bench_events, ARRAY_SIZE(bench_events));
}

module_init(bench_init);
module_exit(bench_exit);

MODULE_DESCRIPTION("Feather-Trace benchmark: instructions of an event");
MODULE_LICENSE("Dual MIT/GPL");
