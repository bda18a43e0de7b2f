// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * <feather_trace/fifo.h> in a module: threads and a timer interrupt write, and who lets them
 * run reads.
 *
 *	echo N >/sys/module/ft_fifo/parameters/run
 *
 * Each thread tries to write N records. Fails with EIO if one is not whole or not in its order,
 * or if records and lost ones are not as many as attempts; the log says what was counted.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>

#include <feather_trace/fifo.h>

#include "../../module/compat.h"

#define THREADS		4
#define PERIOD_NS	50000

struct fifo_record {
	u32	context;
	u32	number;		/* of this attempt; those that are lost count */
	u32	sum;
};

DEFINE_FT_FIFO(fifo_test, 64, 16);

static u32 attempts[THREADS + 1];	/* by context, the interrupt is the last one */
static struct task_struct *threads[THREADS];
static struct hrtimer fifo_timer;
static atomic_t running;
static unsigned int wanted;

static void attempt(u32 context)
{
	u32 number = ++attempts[context];
	struct fifo_record *rec = ft_fifo_reserve(&fifo_test);

	if (!rec)
		return;
	rec->context = context;
	rec->number = number;
	rec->sum = context ^ number ^ 0x5a5a5a5a;
	ft_fifo_commit(&fifo_test, rec, sizeof(*rec));
}

static enum hrtimer_restart fifo_fire(struct hrtimer *timer)
{
	attempt(THREADS);
	hrtimer_forward_now(timer, ns_to_ktime(PERIOD_NS));
	return HRTIMER_RESTART;
}

static int fifo_thread(void *arg)
{
	unsigned int i;

	for (i = 0; i < wanted && !kthread_should_stop(); i++) {
		attempt((unsigned long)arg);
		if (i % 64 == 0)
			cond_resched();
	}
	atomic_dec(&running);
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

/* Reads what is ready. Return: how many there were, or -EIO. */
static int drain(u32 last[THREADS + 1])
{
	struct ft_fifo_record found;
	int n = 0;

	while (n < 64 && ft_fifo_next(&fifo_test, &found)) {
		const struct fifo_record *rec = found.data;

		if (found.len != sizeof(*rec) || rec->context > THREADS ||
		    rec->sum != (rec->context ^ rec->number ^ 0x5a5a5a5a) ||
		    rec->number <= last[rec->context])
			return -EIO;
		last[rec->context] = rec->number;
		n++;
	}
	ft_fifo_release(&fifo_test);
	return n;
}

static int start_threads(void)
{
	unsigned long i;

	for (i = 0; i < THREADS; i++) {
		struct task_struct *thread = kthread_create(fifo_thread, (void *)i,
							    "ft_fifo/%lu", i);

		if (IS_ERR(thread))
			return PTR_ERR(thread);
		threads[i] = thread;
		atomic_inc(&running);
		wake_up_process(thread);
	}
	return 0;
}

static void stop_threads(void)
{
	unsigned int i;

	for (i = 0; i < THREADS; i++) {
		if (threads[i])
			kthread_stop(threads[i]);
		threads[i] = NULL;
	}
}

/* While threads write, and what they have left. */
static int read_all(u64 *records)
{
	u32 last[THREADS + 1] = { };
	bool writing;
	int n;

	do {
		writing = atomic_read(&running);
		if (!writing)
			hrtimer_cancel(&fifo_timer);
		n = drain(last);
		if (n < 0)
			return n;
		*records += n;
		cond_resched();
	} while (writing || n);
	return 0;
}

static int fifo_run(const char *text, const struct kernel_param *param)
{
	u64 records = 0, all = 0, lost;
	unsigned int i;
	int err;

	err = kstrtouint(text, 0, &wanted);
	if (err)
		return err;
	memset(attempts, 0, sizeof(attempts));
	lost = ft_fifo_lost(&fifo_test);
	hrtimer_start(&fifo_timer, ns_to_ktime(PERIOD_NS), HRTIMER_MODE_REL_HARD);
	err = start_threads();
	if (!err)
		err = read_all(&records);
	stop_threads();
	hrtimer_cancel(&fifo_timer);
	atomic_set(&running, 0);
	lost = ft_fifo_lost(&fifo_test) - lost;
	for (i = 0; i <= THREADS; i++)
		all += attempts[i];
	pr_info("ft_fifo: %llu attempts, %u by the interrupt; %llu records, %llu lost\n", all,
		attempts[THREADS], records, lost);
	return err ?: all == records + lost ? 0 : -EIO;
}

static const struct kernel_param_ops fifo_ops = { .set = fifo_run };

module_param_cb(run, &fifo_ops, NULL, 0200);
MODULE_PARM_DESC(run, "threads and an interrupt write to a FIFO: how many records each thread");

static int __init fifo_init(void)
{
	ft_hrtimer_setup(&fifo_timer, fifo_fire, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	return 0;
}

static void __exit fifo_exit(void)
{
	hrtimer_cancel(&fifo_timer);
}

module_init(fifo_init);
module_exit(fifo_exit);

MODULE_DESCRIPTION("Feather-Trace test: a FIFO to build in");
MODULE_LICENSE("Dual MIT/GPL");
