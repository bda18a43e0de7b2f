// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Waits for a lock that sleeps, in the middle of which the task waits for the raw spinlock inside
 * of that lock. In the kernel this needs three CPUs that want the lock, and happens now and then;
 * this module emits the events of such a wait, and waits for no lock.
 *
 *	echo N >/sys/module/ft_waits/parameters/run	N times
 *
 * The lock is waits_semaphore. The outer wait takes WAITS_OUTER_US and the inner one, which takes
 * WAITS_INNER_US, or longer.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/preempt.h>
#include <linux/semaphore.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/lock.h>

#include "ft_spin.h"
#include "ft_waits.h"

typedef void (*waits_begin_fn)(void *data, void *lock, unsigned int flags);
typedef void (*waits_end_fn)(void *data, void *lock, int result);

static struct semaphore waits_semaphore;
static struct tracepoint *waits_begin, *waits_end;

static void waits_find(struct tracepoint *tp, void *data)
{
	if (!strcmp(tp->name, "contention_begin"))
		waits_begin = tp;
	else if (!strcmp(tp->name, "contention_end"))
		waits_end = tp;
}

/* Calls the functions of a tracepoint, as older kernels do not export these two. */
static void waits_emit(struct tracepoint *tp, unsigned int flags)
{
	struct tracepoint_func *f;

	preempt_disable_notrace();
	for (f = rcu_dereference_raw(tp->funcs); f && f->func; f++) {
		if (tp == waits_begin)
			((waits_begin_fn)f->func)(f->data, &waits_semaphore, flags);
		else
			((waits_end_fn)f->func)(f->data, &waits_semaphore, 0);
	}
	preempt_enable_notrace();
}

static void waits_once(void)
{
	waits_emit(waits_begin, 0);	/* as of a semaphore */
	ft_spin_us(WAITS_OUTER_US / 2);
	preempt_disable();
	waits_emit(waits_begin, LCB_F_SPIN);
	ft_spin_us(WAITS_INNER_US);
	waits_emit(waits_end, 0);
	preempt_enable();
	ft_spin_us(WAITS_OUTER_US / 2);
	waits_emit(waits_end, 0);
}

static int waits_run(const char *text, const struct kernel_param *param)
{
	unsigned int n;
	int err = kstrtouint(text, 0, &n);

	for (; !err && n; n--)
		waits_once();
	return err;
}

static const struct kernel_param_ops waits_ops = { .set = waits_run };

module_param_cb(run, &waits_ops, NULL, 0200);
MODULE_PARM_DESC(run, "wait so many times");

static int __init waits_init(void)
{
	for_each_kernel_tracepoint(waits_find, NULL);
	return waits_begin && waits_end ? 0 : -EOPNOTSUPP;
}

static void __exit waits_exit(void)
{
}

module_init(waits_init);
module_exit(waits_exit);

MODULE_DESCRIPTION("Feather-Trace test: waits inside of waits");
MODULE_LICENSE("Dual MIT/GPL");
