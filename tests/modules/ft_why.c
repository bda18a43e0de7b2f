// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A mutex that is held for about 11 ms: its holder sleeps until the first waiter does, 3 ms it
 * runs, 4 ms another thread has its CPU, 3 ms it sleeps. Meanwhile four threads wait, each for a
 * mutex that the one before it holds.
 *
 *	insmod ft_why.ko
 *	echo N >/sys/module/ft_why/parameters/run	N times
 *	cat /sys/module/ft_why/parameters/known		of the last turn, in ns of the clock that
 *		never stops nor jumps: how long the mutex was held at least, how long the other
 *		thread ran, and how long the holder's sleeps took at most
 *
 * Threads: ft_why_hold, ft_why_hog, ft_why_1 to ft_why_4. The first two are on the last CPU, the
 * others on the first one.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/timekeeping.h>

#define WHY_RUNS	(3 * NSEC_PER_MSEC)
#define WHY_HOGS	(4 * NSEC_PER_MSEC)
#define WHY_SLEEPS	3000ul			/* us */
#define WHY_TIMEOUT	(30 * HZ)
#define WHY_TURNS	1000u
#define WHY_WAITERS	4

/* Each a lock class of its own. */
static DEFINE_MUTEX(why_held);
static DEFINE_MUTEX(why_first);
static DEFINE_MUTEX(why_second);
static DEFINE_MUTEX(why_third);

enum why_which { WHY_HOLD, WHY_HOG, WHY_WAITER, WHY_THREADS = WHY_WAITER + WHY_WAITERS };

static struct why_thread {
	struct task_struct	*task;
	struct completion	start, done;
	bool			about_to_wait;
	int			err;
} why_threads[WHY_THREADS];

static struct completion why_goes;	/* the first waiter may wait */
static bool why_stops, why_hogged;
static u64 why_known[3];

/* Parameters can be written before the module is initialised, and while it leaves. */
static DEFINE_MUTEX(why_in_use);
static bool why_is_ready;

static u64 why_now(void)
{
	return ktime_get_mono_fast_ns();
}

static void why_spin(u64 ns)
{
	u64 begin = why_now();

	while (why_now() - begin < ns) {
		cpu_relax();
		cond_resched();
	}
}

/*
 * Until a thread that said that it is about to wait is asleep; the first one says so late. Inline:
 * the holder sleeps in why_thread(), and nowhere else.
 */
static __always_inline int why_until_asleep(struct why_thread *thread, bool says_so)
{
	unsigned long end = jiffies + WHY_TIMEOUT;

	for (;;) {
		usleep_range(500, 1000);
		if ((!says_so || READ_ONCE(thread->about_to_wait)) &&
		    !READ_ONCE(thread->task->on_rq))
			return 0;
		if (time_after(jiffies, end))
			return -ETIMEDOUT;
	}
}

/* The first waiter sees all that follows: it waits before anything else happens. */
static int why_hold(void)
{
	u64 begin, before;
	int err;

	mutex_lock(&why_held);
	begin = why_now();
	complete(&why_goes);
	err = why_until_asleep(&why_threads[WHY_WAITER], true);
	why_known[2] = why_now() - begin;
	why_spin(WHY_RUNS / 2);
	complete(&why_threads[WHY_HOG].start);
	while (!READ_ONCE(why_hogged)) {
		cpu_relax();
		cond_resched();
	}
	why_spin(WHY_RUNS / 2);
	before = why_now();
	usleep_range(WHY_SLEEPS, WHY_SLEEPS + 100);
	why_known[2] += why_now() - before;
	why_known[0] = why_now() - begin;
	mutex_unlock(&why_held);
	return err;
}

/* It lets nobody else run. */
static void why_hog(void)
{
	u64 begin = why_now();

	while (why_now() - begin < WHY_HOGS)
		cpu_relax();
	why_known[1] = why_now() - begin;
	WRITE_ONCE(why_hogged, true);
}

static void why_wait(struct why_thread *thread, struct mutex *mine, struct mutex *other)
{
	if (mine)
		mutex_lock(mine);
	if (other == &why_held)
		wait_for_completion(&why_goes);
	WRITE_ONCE(thread->about_to_wait, true);
	mutex_lock(other);
	mutex_unlock(other);
	if (mine)
		mutex_unlock(mine);
}

static void why_turn_of(struct why_thread *thread)
{
	switch (thread - why_threads) {
	case WHY_HOLD:
		thread->err = why_hold();
		break;
	case WHY_HOG:
		why_hog();
		break;
	case WHY_WAITER:
		why_wait(thread, &why_first, &why_held);
		break;
	case WHY_WAITER + 1:
		why_wait(thread, &why_second, &why_first);
		break;
	case WHY_WAITER + 2:
		why_wait(thread, &why_third, &why_second);
		break;
	default:
		why_wait(thread, NULL, &why_third);
	}
}

/* Nobody sends these threads a signal; asleep so, they may be for as long as they like. */
static int why_thread(void *data)
{
	struct why_thread *thread = data;

	for (;;) {
		wait_for_completion_interruptible(&thread->start);
		if (READ_ONCE(why_stops))
			return 0;
		why_turn_of(thread);
		complete(&thread->done);
	}
}

/* Asleep, each waits: the first one until the mutex is held. */
static int why_waits(unsigned int i)
{
	struct why_thread *thread = &why_threads[WHY_WAITER + i];

	complete(&thread->start);
	return why_until_asleep(thread, i);
}

static int why_turn(void)
{
	unsigned int i;
	int err = 0;

	WRITE_ONCE(why_hogged, false);
	reinit_completion(&why_goes);
	for (i = 0; i < WHY_THREADS; i++) {
		reinit_completion(&why_threads[i].done);
		WRITE_ONCE(why_threads[i].about_to_wait, false);
	}
	for (i = 0; i < WHY_WAITERS && !err; i++)
		err = why_waits(i);
	complete(&why_threads[WHY_HOLD].start);
	for (i = 0; i < WHY_THREADS; i++)
		if (!wait_for_completion_timeout(&why_threads[i].done, WHY_TIMEOUT))
			err = -ETIMEDOUT;
	return err ? err : why_threads[WHY_HOLD].err;
}

static int why_run(const char *value, const struct kernel_param *param)
{
	unsigned int n;
	int err;

	err = kstrtouint(value, 0, &n);
	if (err)
		return err;
	if (n > WHY_TURNS)
		return -ERANGE;
	if (mutex_lock_killable(&why_in_use))
		return -EINTR;
	if (!why_is_ready)
		err = -ENODEV;
	while (!err && n--)
		err = fatal_signal_pending(current) ? -EINTR : why_turn();
	mutex_unlock(&why_in_use);
	return err;
}

static int why_get_known(char *buf, const struct kernel_param *param)
{
	return sysfs_emit(buf, "%llu %llu %llu\n", why_known[0], why_known[1], why_known[2]);
}

static const struct kernel_param_ops why_run_ops = {
	.set = why_run,
};

static const struct kernel_param_ops why_known_ops = {
	.get = why_get_known,
};

module_param_cb(run, &why_run_ops, NULL, 0200);
module_param_cb(known, &why_known_ops, NULL, 0400);

static void why_end(void)
{
	unsigned int i;

	WRITE_ONCE(why_stops, true);
	mutex_lock(&why_in_use);	/* its turn comes to an end */
	why_is_ready = false;
	mutex_unlock(&why_in_use);
	for (i = 0; i < WHY_THREADS; i++) {
		struct why_thread *thread = &why_threads[i];

		if (!thread->task)
			continue;
		complete(&thread->start);
		kthread_stop(thread->task);
		put_task_struct(thread->task);
	}
}

static int why_begin(unsigned int i)
{
	static const char *const names[] = {
		"hold", "hog", "1", "2", "3", "4",
	};
	struct why_thread *thread = &why_threads[i];
	struct task_struct *task;

	init_completion(&thread->start);
	init_completion(&thread->done);
	task = kthread_create(why_thread, thread, "ft_why_%s", names[i]);
	if (IS_ERR(task))
		return PTR_ERR(task);
	thread->task = get_task_struct(task);
	kthread_bind(task, i < WHY_WAITER ? cpumask_last(cpu_online_mask) :
					    cpumask_first(cpu_online_mask));
	if (i == WHY_HOG)
		sched_set_fifo(task);
	wake_up_process(task);
	return 0;
}

static int __init why_init(void)
{
	unsigned int i;
	int err = 0;

	if (num_online_cpus() < 2)
		return -EINVAL;
	init_completion(&why_goes);
	for (i = 0; i < WHY_THREADS && !err; i++)
		err = why_begin(i);
	if (err) {
		why_end();
		return err;
	}
	mutex_lock(&why_in_use);
	why_is_ready = true;
	mutex_unlock(&why_in_use);
	return 0;
}

static void __exit why_exit(void)
{
	why_end();
}

module_init(why_init);
module_exit(why_exit);

MODULE_DESCRIPTION("Feather-Trace test: a mutex that is held long, and why");
MODULE_LICENSE("Dual MIT/GPL");
