// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Locks that can deadlock, and never do: nobody has one of them while another one takes it.
 *
 *	insmod ft_deadlocks.ko
 *	echo CASE >/sys/module/ft_deadlocks/parameters/run
 *
 * CASE is
 *
 *	abba	a then b, and b then a, each in a thread of its own
 *	cycle	a then b, b then c, c then a: the same
 *	irq	a spinlock in a hardirq, and with interrupts on
 *	came	the same, and an interrupt takes another lock while it is held so
 *	safe	a then b, and b then a by trylock; a spinlock in a hardirq, and with them off
 *
 * lockdep reports the first four.
 */
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>

static DEFINE_MUTEX(deadlock_a);
static DEFINE_MUTEX(deadlock_b);
static DEFINE_MUTEX(deadlock_c);
static DEFINE_RAW_SPINLOCK(deadlock_irq);
static DEFINE_RAW_SPINLOCK(deadlock_safe);
static DEFINE_RAW_SPINLOCK(deadlock_other);

/* Parameters can be written before the module is initialised, and while it leaves. */
static DEFINE_MUTEX(deadlock_in_use);
static bool deadlock_is_ready;

/* Not inlined: each has call sites of its own. */
static noinline int deadlock_a_b(void *unused)
{
	mutex_lock(&deadlock_a);
	mutex_lock(&deadlock_b);
	mutex_unlock(&deadlock_b);
	mutex_unlock(&deadlock_a);
	return 0;
}

static noinline int deadlock_b_a(void *unused)
{
	mutex_lock(&deadlock_b);
	mutex_lock(&deadlock_a);
	mutex_unlock(&deadlock_a);
	mutex_unlock(&deadlock_b);
	return 0;
}

static noinline int deadlock_b_c(void *unused)
{
	mutex_lock(&deadlock_b);
	mutex_lock(&deadlock_c);
	mutex_unlock(&deadlock_c);
	mutex_unlock(&deadlock_b);
	return 0;
}

static noinline int deadlock_c_a(void *unused)
{
	mutex_lock(&deadlock_c);
	mutex_lock(&deadlock_a);
	mutex_unlock(&deadlock_a);
	mutex_unlock(&deadlock_c);
	return 0;
}

static noinline int deadlock_b_tries_a(void *unused)
{
	mutex_lock(&deadlock_b);
	if (mutex_trylock(&deadlock_a))
		mutex_unlock(&deadlock_a);
	mutex_unlock(&deadlock_b);
	return 0;
}

static noinline void deadlock_take(raw_spinlock_t *lock)
{
	raw_spin_lock(lock);
	raw_spin_unlock(lock);
}

static void deadlock_irq_work(struct irq_work *work)
{
	deadlock_take(&deadlock_irq);
}

static void deadlock_safe_work(struct irq_work *work)
{
	deadlock_take(&deadlock_safe);
}

static void deadlock_other_work(struct irq_work *work)
{
	deadlock_take(&deadlock_other);
}

static struct irq_work deadlock_irq_taker = IRQ_WORK_INIT_HARD(deadlock_irq_work);
static struct irq_work deadlock_safe_taker = IRQ_WORK_INIT_HARD(deadlock_safe_work);
static struct irq_work deadlock_other_taker = IRQ_WORK_INIT_HARD(deadlock_other_work);

static void deadlock_interrupt(struct irq_work *work)
{
	irq_work_queue(work);
	irq_work_sync(work);
}

/* The compiler must not merge it with deadlock_take(): it is another call site. */
static noinline int deadlock_with_irqs_on(void *came)
{
	raw_spin_lock(&deadlock_irq);
	if (came)	/* an IPI to this CPU, which comes at once */
		irq_work_queue(&deadlock_other_taker);
	barrier();
	raw_spin_unlock(&deadlock_irq);
	irq_work_sync(&deadlock_other_taker);
	return 0;
}

static noinline int deadlock_with_irqs_off(void *unused)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&deadlock_safe, flags);
	raw_spin_unlock_irqrestore(&deadlock_safe, flags);
	return 0;
}

/* In a thread of its own, which is over when this returns. */
static int deadlock_by(int (*function)(void *data), void *data)
{
	struct task_struct *task = kthread_create(function, data, "ft_deadlock");

	if (IS_ERR(task))
		return PTR_ERR(task);
	get_task_struct(task);
	wake_up_process(task);
	/* what has not begun yet would not begin any more */
	while (!READ_ONCE(task->exit_state))
		schedule_timeout_uninterruptible(1);
	put_task_struct(task);
	return 0;
}

static int deadlock_case(const char *name)
{
	int err;

	if (sysfs_streq(name, "abba"))
		return deadlock_by(deadlock_a_b, NULL) ?: deadlock_by(deadlock_b_a, NULL);
	if (sysfs_streq(name, "cycle"))
		return deadlock_by(deadlock_a_b, NULL) ?: deadlock_by(deadlock_b_c, NULL) ?:
		       deadlock_by(deadlock_c_a, NULL);
	if (sysfs_streq(name, "irq") || sysfs_streq(name, "came")) {
		deadlock_interrupt(&deadlock_irq_taker);
		return deadlock_by(deadlock_with_irqs_on,
				   sysfs_streq(name, "came") ? &deadlock_other : NULL);
	}
	if (!sysfs_streq(name, "safe"))
		return -EINVAL;
	deadlock_interrupt(&deadlock_safe_taker);
	err = deadlock_by(deadlock_with_irqs_off, NULL);
	return err ?: deadlock_by(deadlock_a_b, NULL) ?: deadlock_by(deadlock_b_tries_a, NULL);
}

static int deadlock_run(const char *value, const struct kernel_param *param)
{
	int err;

	if (mutex_lock_killable(&deadlock_in_use))
		return -EINTR;
	err = deadlock_is_ready ? deadlock_case(value) : -ENODEV;
	mutex_unlock(&deadlock_in_use);
	return err;
}

static const struct kernel_param_ops deadlock_run_ops = {
	.set = deadlock_run,
};

module_param_cb(run, &deadlock_run_ops, NULL, 0200);

static int __init deadlock_init(void)
{
	mutex_lock(&deadlock_in_use);
	deadlock_is_ready = true;
	mutex_unlock(&deadlock_in_use);
	return 0;
}

static void __exit deadlock_exit(void)
{
	mutex_lock(&deadlock_in_use);
	deadlock_is_ready = false;
	mutex_unlock(&deadlock_in_use);
}

module_init(deadlock_init);
module_exit(deadlock_exit);

MODULE_DESCRIPTION("Feather-Trace test: locks that can deadlock");
MODULE_LICENSE("Dual MIT/GPL");
