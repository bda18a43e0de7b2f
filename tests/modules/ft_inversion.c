// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Priority inversions, as many as one wants: a thread that holds a lock is preempted by a
 * second one, while a third one waits for the lock.
 *
 *	insmod ft_inversion.ko lock=semaphore|mutex [far=1] [ns=1000000]
 *	cat /sys/module/ft_inversion/parameters/threads	their numbers: low, middle, high
 *	... give each its priority, with chrt(1) ...
 *	echo N >/sys/module/ft_inversion/parameters/run	N times
 *	cat /sys/module/ft_inversion/parameters/known	inversions, and how long they were in
 *		sum, at least and at most, in ns of the clock that never stops nor jumps; as
 *		if nothing were inherited
 *
 * The kernel has to preempt its own threads, as PREEMPT_RT does: others are refused.
 *
 * All three run on one CPU; with far=1 the high one on another. There the middle one has
 * the CPU when the high one begins to wait; on one CPU, it comes when the high one waits.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/semaphore.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#define INVERSION_TIMEOUT	(30 * HZ)
#define INVERSION_LATEST	(5 * NSEC_PER_SEC)	/* the high one has to wait by then */
#define INVERSION_LONGEST	NSEC_PER_SEC		/* long before the kernel sees a stall */
#define INVERSION_TURNS		100000u			/* at once */

static char *lock = "semaphore";
module_param(lock, charp, 0400);
static bool far;
module_param(far, bool, 0400);
static unsigned long ns = 1000000;
module_param(ns, ulong, 0400);

static struct semaphore inversion_semaphore = __SEMAPHORE_INITIALIZER(inversion_semaphore, 1);
static DEFINE_MUTEX(inversion_mutex);
static bool inversion_is_mutex;

enum inversion_which { INVERSION_LOW, INVERSION_MIDDLE, INVERSION_HIGH, INVERSION_THREADS };

static struct inversion_thread {
	const char		*name;
	void			(*turn)(void);
	struct task_struct	*task;
	pid_t			pid;
	struct completion	start, done;
} inversion_threads[INVERSION_THREADS];

static bool inversion_stops;

/*
 * Parameters can be read and written before the module is initialised, and while it leaves.
 * It can be used from when all threads are there until they are told to stop.
 */
static DEFINE_MUTEX(inversion_in_use);
static bool inversion_is_ready;

/* Of the turn that goes on. */
static bool inversion_about_to_wait, inversion_has_waited, inversion_is_late;

/* Of all turns since the module was loaded. */
static unsigned int inversion_count;
static u64 inversion_least, inversion_most;

static noinline void inversion_take(void)
{
	if (inversion_is_mutex)
		mutex_lock(&inversion_mutex);
	else
		down(&inversion_semaphore);
}

static noinline void inversion_give(void)
{
	if (inversion_is_mutex)
		mutex_unlock(&inversion_mutex);
	else
		up(&inversion_semaphore);
}

static u64 inversion_now(void)
{
	return ktime_get_mono_fast_ns();
}

static void inversion_start(enum inversion_which which)
{
	complete(&inversion_threads[which].start);
}

static void inversion_low(void)
{
	inversion_take();
	if (!far)	/* it runs at once, and waits */
		inversion_start(INVERSION_HIGH);
	inversion_start(INVERSION_MIDDLE);
	inversion_give();
}

/* Asleep, it waits; it may have got the lock by inheritance before anybody looks. */
static bool inversion_waits(void)
{
	return READ_ONCE(inversion_has_waited) ||
	       (READ_ONCE(inversion_about_to_wait) &&
		!READ_ONCE(inversion_threads[INVERSION_HIGH].task->on_rq));
}

static void inversion_middle(void)
{
	u64 begin = inversion_now(), end;

	if (far)
		inversion_start(INVERSION_HIGH);
	while (!inversion_waits() && !READ_ONCE(inversion_is_late)) {
		cpu_relax();
		if (inversion_now() - begin > INVERSION_LATEST)
			WRITE_ONCE(inversion_is_late, true);
	}
	begin = inversion_now();
	do {
		cpu_relax();
		end = inversion_now();
	} while (end - begin < ns);
	inversion_least += end - begin;
}

static void inversion_high(void)
{
	u64 before = inversion_now();

	WRITE_ONCE(inversion_about_to_wait, true);
	inversion_take();
	inversion_most += inversion_now() - before;
	WRITE_ONCE(inversion_has_waited, true);
	inversion_give();
}

/* Nobody sends these threads a signal; asleep so, they may be for as long as they like. */
static int inversion_thread(void *data)
{
	struct inversion_thread *thread = data;

	for (;;) {
		wait_for_completion_interruptible(&thread->start);
		if (READ_ONCE(inversion_stops))
			return 0;
		thread->turn();
		complete(&thread->done);
	}
}

/* One that comes too late for its turn must not be taken for the next one's. */
static void inversion_reset(void)
{
	int i;

	for (i = 0; i < INVERSION_THREADS; i++) {
		reinit_completion(&inversion_threads[i].start);
		reinit_completion(&inversion_threads[i].done);
	}
	WRITE_ONCE(inversion_about_to_wait, false);
	WRITE_ONCE(inversion_has_waited, false);
	WRITE_ONCE(inversion_is_late, false);
}

static int inversion_turn(void)
{
	int i;

	inversion_reset();
	inversion_start(INVERSION_LOW);
	for (i = 0; i < INVERSION_THREADS; i++)
		if (!wait_for_completion_timeout(&inversion_threads[i].done, INVERSION_TIMEOUT))
			WRITE_ONCE(inversion_is_late, true);
	if (READ_ONCE(inversion_is_late))
		return -ETIMEDOUT;
	inversion_count++;
	return 0;
}

static int inversion_turns(unsigned int n)
{
	int err = 0;

	while (!err && n--) {
		if (READ_ONCE(inversion_stops))
			return -ENODEV;
		if (fatal_signal_pending(current))
			return -EINTR;
		err = inversion_turn();
	}
	return err;
}

static int inversion_run(const char *value, const struct kernel_param *param)
{
	unsigned int n;
	int err;

	err = kstrtouint(value, 0, &n);
	if (err)
		return err;
	if (n > INVERSION_TURNS)
		return -ERANGE;
	if (mutex_lock_killable(&inversion_in_use))
		return -EINTR;
	err = inversion_is_ready ? inversion_turns(n) : -ENODEV;
	mutex_unlock(&inversion_in_use);
	return err;
}

static int inversion_get_threads(char *buf, const struct kernel_param *param)
{
	return sysfs_emit(buf, "%d %d %d\n", READ_ONCE(inversion_threads[INVERSION_LOW].pid),
			  READ_ONCE(inversion_threads[INVERSION_MIDDLE].pid),
			  READ_ONCE(inversion_threads[INVERSION_HIGH].pid));
}

static int inversion_get_known(char *buf, const struct kernel_param *param)
{
	return sysfs_emit(buf, "%u %llu %llu\n", inversion_count, inversion_least, inversion_most);
}

static const struct kernel_param_ops inversion_run_ops = {
	.set = inversion_run,
};

static const struct kernel_param_ops inversion_threads_ops = {
	.get = inversion_get_threads,
};

static const struct kernel_param_ops inversion_known_ops = {
	.get = inversion_get_known,
};

module_param_cb(run, &inversion_run_ops, NULL, 0200);
module_param_cb(threads, &inversion_threads_ops, NULL, 0400);
module_param_cb(known, &inversion_known_ops, NULL, 0400);

static void inversion_end(void)
{
	int i;

	WRITE_ONCE(inversion_stops, true);
	mutex_lock(&inversion_in_use);	/* its turn comes to an end */
	inversion_is_ready = false;
	mutex_unlock(&inversion_in_use);
	for (i = 0; i < INVERSION_THREADS; i++) {
		struct inversion_thread *thread = &inversion_threads[i];

		if (!thread->task)
			continue;
		complete(&thread->start);
		kthread_stop(thread->task);
		put_task_struct(thread->task);
	}
}

static int inversion_begin(enum inversion_which which, const char *name, void (*turn)(void),
			   unsigned int cpu)
{
	struct inversion_thread *thread = &inversion_threads[which];
	struct task_struct *task;

	thread->turn = turn;
	init_completion(&thread->start);
	init_completion(&thread->done);
	task = kthread_create(inversion_thread, thread, "%s", name);
	if (IS_ERR(task))
		return PTR_ERR(task);
	thread->task = get_task_struct(task);
	WRITE_ONCE(thread->pid, task->pid);
	kthread_bind(task, cpu);
	wake_up_process(task);
	return 0;
}

static int __init inversion_init(void)
{
	unsigned int first = cpumask_first(cpu_online_mask), last = cpumask_last(cpu_online_mask);
	int err;

	if (!IS_ENABLED(CONFIG_PREEMPT_RT)) {
		pr_err("ft_inversion: this kernel has no PREEMPT_RT\n");
		return -EOPNOTSUPP;
	}
	inversion_is_mutex = !strcmp(lock, "mutex");
	if (ns > INVERSION_LONGEST)
		return -ERANGE;
	if ((!inversion_is_mutex && strcmp(lock, "semaphore")) || (far && first == last))
		return -EINVAL;
	err = inversion_begin(INVERSION_LOW, "ft_low", inversion_low, last);
	if (!err)
		err = inversion_begin(INVERSION_MIDDLE, "ft_middle", inversion_middle, last);
	if (!err)
		err = inversion_begin(INVERSION_HIGH, "ft_high", inversion_high,
				      far ? first : last);
	if (err) {
		inversion_end();
		return err;
	}
	mutex_lock(&inversion_in_use);
	inversion_is_ready = true;
	mutex_unlock(&inversion_in_use);
	return 0;
}

static void __exit inversion_exit(void)
{
	inversion_end();
}

module_init(inversion_init);
module_exit(inversion_exit);

MODULE_DESCRIPTION("Feather-Trace test: priority inversions");
MODULE_LICENSE("Dual MIT/GPL");
