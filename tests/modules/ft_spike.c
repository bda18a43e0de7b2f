// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A lock that is held for far too long, once.
 *
 *	echo MS >/sys/module/ft_spike/parameters/run
 *
 * A thread "ft_spike" takes and releases spike_steps a hundred times, then holds
 * spike_lock for 5 ms, MS milliseconds after it began; while it waits it sleeps. Then
 * the parameters tid and cpu say who that was.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>

#define SPIKE_STEPS	100
#define SPIKE_NS	(5 * NSEC_PER_MSEC)

/* On PREEMPT_RT, these have events, too. */
static DEFINE_SPINLOCK(spike_steps);
static DEFINE_SPINLOCK(spike_lock);

static DEFINE_MUTEX(spike_mutex);
static DECLARE_COMPLETION(spike_done);

static int tid;
module_param(tid, int, 0444);

static int cpu;
module_param(cpu, int, 0444);

static int spike_thread(void *data)
{
	unsigned long ms = (unsigned long)data;
	unsigned int i;
	u64 end;

	/* In steps: who sleeps for minutes is reported as hung. */
	for (; ms > MSEC_PER_SEC; ms -= MSEC_PER_SEC)
		msleep(MSEC_PER_SEC);
	msleep(ms);
	for (i = 0; i < SPIKE_STEPS; i++) {
		spin_lock(&spike_steps);
		spin_unlock(&spike_steps);
	}
	spin_lock(&spike_lock);
	tid = current->pid;
	cpu = smp_processor_id();
	end = ktime_get_ns() + SPIKE_NS;
	while (ktime_get_ns() < end)
		cpu_relax();
	spin_unlock(&spike_lock);
	complete(&spike_done);
	return 0;
}

static int spike_run(const char *value, const struct kernel_param *param)
{
	struct task_struct *thread;
	unsigned long ms;
	int err = kstrtoul(value, 0, &ms);

	if (err)
		return err;
	mutex_lock(&spike_mutex);
	thread = kthread_run(spike_thread, (void *)ms, "ft_spike");
	if (IS_ERR(thread))
		err = PTR_ERR(thread);
	else
		while (!wait_for_completion_timeout(&spike_done, HZ))
			;
	mutex_unlock(&spike_mutex);
	return err;
}

static const struct kernel_param_ops spike_ops = { .set = spike_run };
module_param_cb(run, &spike_ops, NULL, 0200);

MODULE_DESCRIPTION("Feather-Trace test: a lock that is held for too long");
MODULE_LICENSE("Dual MIT/GPL");
