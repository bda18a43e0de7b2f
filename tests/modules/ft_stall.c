// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Keeps a CPU busy, with interrupts off, for known times.
 *
 *	echo KIND CPU NS COUNT >/sys/module/ft_stall/parameters/run
 *
 * KIND: timer, a hrtimer in its interrupt; softirq, one in the softirq; task, a new thread
 * "ft_stall" of SCHED_FIFO 50, of which there may be 16; nmi, by the CPU that writes. Every
 * 20 ms it holds stall_lock for NS nanoseconds, COUNT times; then the write returns, and the
 * parameter stalls has a line for each: its beginning and its end by the TSC.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/nmi.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <asm/apic.h>
#include <asm/nmi.h>
#include <asm/tsc.h>

#include "../../module/compat.h"

#define STALL_EVERY_MS	20
#define STALLS_MAX	64
#define STALL_THREADS	16
#define STALL_NOBODY	UINT_MAX

/* Raw: on PREEMPT_RT, too, it is held with interrupts off. */
static DEFINE_RAW_SPINLOCK(stall_lock);
static DEFINE_MUTEX(stall_mutex);
static DECLARE_COMPLETION(stall_done);

static struct {
	/* they stay: a recorder reads their names in /proc, when it gets to run */
	struct task_struct *thread[STALL_THREADS];
	unsigned int	threads;
	struct hrtimer	timer;
	enum hrtimer_mode mode;
	u64		cycles;			/* of one */
	unsigned int	nmi_cpu;		/* whose NMI it is, or STALL_NOBODY */
	unsigned int	wanted, done;
	u64		begin[STALLS_MAX], end[STALLS_MAX];
} stall;

static void stall_once(void)
{
	unsigned int i = stall.done;
	unsigned long flags;

	raw_spin_lock_irqsave(&stall_lock, flags);
	stall.begin[i] = rdtsc_ordered();
	do {
		cpu_relax();
		stall.end[i] = rdtsc_ordered();
	} while (stall.end[i] - stall.begin[i] < stall.cycles);
	stall.done++;
	raw_spin_unlock_irqrestore(&stall_lock, flags);
}

static enum hrtimer_restart stall_timer(struct hrtimer *timer)
{
	stall_once();
	if (stall.done == stall.wanted) {
		complete(&stall_done);
		return HRTIMER_NORESTART;
	}
	hrtimer_forward_now(timer, ms_to_ktime(STALL_EVERY_MS));
	return HRTIMER_RESTART;
}

static void stall_start_timer(void *unused)
{
	hrtimer_start(&stall.timer, ms_to_ktime(STALL_EVERY_MS), stall.mode);
}

static int stall_thread(void *unused)
{
	while (stall.done < stall.wanted) {
		msleep(STALL_EVERY_MS);
		stall_once();
	}
	complete(&stall_done);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ);
	return 0;
}

static void stall_stop_threads(void)
{
	while (stall.threads)
		kthread_stop(stall.thread[--stall.threads]);
}

static int stall_nmi(unsigned int type, struct pt_regs *regs)
{
	if (smp_processor_id() != READ_ONCE(stall.nmi_cpu))
		return NMI_DONE;
	stall_once();
	WRITE_ONCE(stall.nmi_cpu, STALL_NOBODY);
	return NMI_HANDLED;
}

static void stall_send_nmis(unsigned int cpu)
{
	unsigned int i, ms;

	for (i = 0; i < stall.wanted; i++) {
		msleep(STALL_EVERY_MS);
		WRITE_ONCE(stall.nmi_cpu, cpu);
		apic->send_IPI_mask(cpumask_of(cpu), NMI_VECTOR);
		for (ms = 0; READ_ONCE(stall.nmi_cpu) != STALL_NOBODY && ms < 1000; ms++)
			usleep_range(1000, 2000);
	}
	complete(&stall_done);
}

static int stall_begin(const char *kind, unsigned int cpu)
{
	struct task_struct *thread;

	if (!strcmp(kind, "task")) {
		if (stall.threads == STALL_THREADS)
			return -ENOSPC;
		thread = kthread_create(stall_thread, NULL, "ft_stall");
		if (IS_ERR(thread))
			return PTR_ERR(thread);
		kthread_bind(thread, cpu);
		sched_set_fifo(thread);
		stall.thread[stall.threads++] = thread;
		wake_up_process(thread);
		return 0;
	}
	if (!strcmp(kind, "nmi")) {
		stall_send_nmis(cpu);
		return 0;
	}
	if (!strcmp(kind, "timer"))
		stall.mode = HRTIMER_MODE_REL_PINNED_HARD;
	else if (!strcmp(kind, "softirq"))
		stall.mode = HRTIMER_MODE_REL_PINNED_SOFT;
	else
		return -EINVAL;
	ft_hrtimer_setup(&stall.timer, stall_timer, CLOCK_MONOTONIC, stall.mode);
	return smp_call_function_single(cpu, stall_start_timer, NULL, 1);
}

static int stall_run(const char *value, const struct kernel_param *param)
{
	unsigned int cpu, ns, count;
	char kind[16];
	int err;

	if (sscanf(value, "%15s %u %u %u", kind, &cpu, &ns, &count) != 4 ||
	    cpu >= nr_cpu_ids || !cpu_online(cpu) || !count || count > STALLS_MAX)
		return -EINVAL;
	mutex_lock(&stall_mutex);
	stall.cycles = (u64)ns * tsc_khz / USEC_PER_SEC;
	stall.wanted = count;
	stall.done = 0;
	err = stall_begin(kind, cpu);
	if (!err)
		wait_for_completion(&stall_done);
	mutex_unlock(&stall_mutex);
	return err;
}

static int stall_show(char *buf, const struct kernel_param *param)
{
	unsigned int i;
	int len = 0;

	for (i = 0; i < stall.done; i++)
		len += scnprintf(buf + len, PAGE_SIZE - len, "%llu %llu\n", stall.begin[i],
				 stall.end[i]);
	return len;
}

static const struct kernel_param_ops stall_run_ops = { .set = stall_run };
module_param_cb(run, &stall_run_ops, NULL, 0200);

static const struct kernel_param_ops stall_show_ops = { .get = stall_show };
module_param_cb(stalls, &stall_show_ops, NULL, 0400);

static int __init stall_init(void)
{
	stall.nmi_cpu = STALL_NOBODY;
	return register_nmi_handler(NMI_LOCAL, stall_nmi, 0, "ft_stall");
}

/* A timer that is done is over when its function has returned. */
static void __exit stall_exit(void)
{
	stall_stop_threads();
	unregister_nmi_handler(NMI_LOCAL, "ft_stall");
	if (stall.timer.base)
		hrtimer_cancel(&stall.timer);
}

module_init(stall_init);
module_exit(stall_exit);

MODULE_DESCRIPTION("Feather-Trace test: a CPU that is kept busy for known times");
MODULE_LICENSE("Dual MIT/GPL");
