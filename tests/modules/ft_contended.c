// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A raw spinlock that two CPUs take at the same time, again and again.
 *
 *	echo N >/sys/module/ft_contended/parameters/run		each CPU N times
 *	cat /sys/module/ft_contended/parameters/taken		how often so far
 *
 * Each variant in turn: plain, without interrupts, tried until it is had. The lock is
 * contended_lock.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/spinlock.h>

static DEFINE_RAW_SPINLOCK(contended_lock);
static unsigned int contended_taken;	/* guarded by it */

struct contended_run {
	unsigned int		n;
	atomic_t		here;
	struct completion	done[2];
};

struct contended_side {
	struct contended_run	*run;
	unsigned int		number;
};

/* Long enough that the other one waits for it. */
static void contended_section(unsigned int i)
{
	unsigned int k;

	contended_taken++;
	for (k = 0; k < 20 + i % 16; k++)
		cpu_relax();
}

static void contended_once(unsigned int i)
{
	unsigned long flags;

	switch (i % 4) {
	case 0:
		raw_spin_lock(&contended_lock);
		contended_section(i);
		raw_spin_unlock(&contended_lock);
		break;
	case 1:
		raw_spin_lock_irq(&contended_lock);
		contended_section(i);
		raw_spin_unlock_irq(&contended_lock);
		break;
	case 2:
		raw_spin_lock_irqsave(&contended_lock, flags);
		contended_section(i);
		raw_spin_unlock_irqrestore(&contended_lock, flags);
		break;
	default:
		while (!raw_spin_trylock(&contended_lock))
			cpu_relax();
		contended_section(i);
		raw_spin_unlock(&contended_lock);
	}
}

static int contended_thread(void *data)
{
	struct contended_side *side = data;
	unsigned int i;

	/* Both begin together. */
	atomic_inc(&side->run->here);
	while (atomic_read(&side->run->here) < 2)
		cpu_relax();
	for (i = 0; i < side->run->n; i++)
		contended_once(i);
	complete(&side->run->done[side->number]);
	return 0;
}

static int contended_set_run(const char *value, const struct kernel_param *param)
{
	unsigned int i, cpu = cpumask_first(cpu_online_mask);
	struct contended_side side[2];
	struct contended_run run = {};
	struct task_struct *task[2];
	int err = kstrtouint(value, 0, &run.n);

	if (err)
		return err;
	if (num_online_cpus() < 2)
		return -ENODEV;
	for (i = 0; i < 2; i++, cpu = cpumask_next(cpu, cpu_online_mask)) {
		init_completion(&run.done[i]);
		side[i] = (struct contended_side){ &run, i };
		task[i] = kthread_create(contended_thread, &side[i], "ft_contended%u", i);
		if (IS_ERR(task[i])) {
			if (i)
				kthread_stop(task[0]);	/* it has not begun */
			return PTR_ERR(task[i]);
		}
		kthread_bind(task[i], cpu);
	}
	for (i = 0; i < 2; i++)
		wake_up_process(task[i]);
	for (i = 0; i < 2; i++)
		wait_for_completion(&run.done[i]);
	return 0;
}

static const struct kernel_param_ops contended_run_ops = { .set = contended_set_run };
module_param_cb(run, &contended_run_ops, NULL, 0200);
module_param_named(taken, contended_taken, uint, 0400);

MODULE_DESCRIPTION("Feather-Trace test: a raw spinlock that two CPUs contend for");
MODULE_LICENSE("Dual MIT/GPL");
