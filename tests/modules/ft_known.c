// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Locks of each family, held and waited for as long as is known.
 *
 *	echo N >/sys/module/ft_known/parameters/hold	each lock N times
 *	echo N >/sys/module/ft_known/parameters/wait	N waits for each lock that sleeps
 *	echo N >/sys/module/ft_known/parameters/spin	N for each lock that spins, but it
 *							is not known how long
 *	cat /sys/module/ft_known/parameters/known
 *		lines of: hold|wait, family, lock, number, sum and longest, which are at
 *		least so much, and at most, in ns of the clock that never stops nor jumps
 *
 * What is between two readings inside of the section is less than a section lasts, and
 * what is between two around it is more, whatever interrupts it.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/sched/task.h>
#include <linux/semaphore.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>

#include "ft_spin.h"

static DEFINE_SPINLOCK(known_spin);
static DEFINE_RWLOCK(known_rwlock);
#ifdef CONFIG_PREEMPT_RT	/* elsewhere of the family spin */
static DEFINE_RAW_SPINLOCK(known_raw_spin);
#endif
static DEFINE_MUTEX(known_mutex);
static struct semaphore known_semaphore = __SEMAPHORE_INITIALIZER(known_semaphore, 1);
static DECLARE_RWSEM(known_rwsem);

/* What is known of some sections, or of some waits. */
struct known_times {
	unsigned int	n;
	u64		sum_low, sum_high;
	u64		max_low, max_high;
};

/* Call sites are in these functions, or where they are called, if they end with a jump. */
#define KNOWN(family, take, give)					\
static noinline void known_take_##family(void)				\
{									\
	take;								\
}									\
static noinline void known_give_##family(void)				\
{									\
	give;								\
}

KNOWN(spin, spin_lock(&known_spin), spin_unlock(&known_spin))
KNOWN(rwlock_read, read_lock(&known_rwlock), read_unlock(&known_rwlock))
KNOWN(rwlock_write, write_lock(&known_rwlock), write_unlock(&known_rwlock))
#ifdef CONFIG_PREEMPT_RT
KNOWN(raw_spin, raw_spin_lock(&known_raw_spin), raw_spin_unlock(&known_raw_spin))
#endif
KNOWN(mutex, mutex_lock(&known_mutex), mutex_unlock(&known_mutex))
KNOWN(semaphore, down(&known_semaphore), up(&known_semaphore))
KNOWN(rwsem_read, down_read(&known_rwsem), up_read(&known_rwsem))
KNOWN(rwsem_write, down_write(&known_rwsem), up_write(&known_rwsem))

/*
 * @keep, @drop: what another one has while somebody waits in @take
 * @spins: so that nothing is known of waits
 */
static struct known_lock {
	const char		*family;
	void			*lock;
	void			(*take)(void);
	void			(*give)(void);
	void			(*keep)(void);
	void			(*drop)(void);
	bool			spins;
	struct known_times	hold, wait;
} known_locks[] = {
#define LOCK(family, lock, ...)						\
	{ #family, &(lock), known_take_##family, known_give_##family, __VA_ARGS__ }
	LOCK(spin, known_spin, known_take_spin, known_give_spin, true),
	LOCK(rwlock_read, known_rwlock, known_take_rwlock_write, known_give_rwlock_write, true),
	LOCK(rwlock_write, known_rwlock, known_take_rwlock_write, known_give_rwlock_write, true),
#ifdef CONFIG_PREEMPT_RT
	LOCK(raw_spin, known_raw_spin, known_take_raw_spin, known_give_raw_spin, true),
#endif
	LOCK(mutex, known_mutex, known_take_mutex, known_give_mutex),
	LOCK(semaphore, known_semaphore, known_take_semaphore, known_give_semaphore),
	LOCK(rwsem_read, known_rwsem, known_take_rwsem_write, known_give_rwsem_write),
	LOCK(rwsem_write, known_rwsem, known_take_rwsem_write, known_give_rwsem_write),
};

static void known_enter(struct known_times *t, u64 low, u64 high)
{
	t->n++;
	t->sum_low += low;
	t->sum_high += high;
	t->max_low = max(t->max_low, low);
	t->max_high = max(t->max_high, high);
}

static u64 known_now(void)
{
	return ktime_get_mono_fast_ns();
}

static void known_hold(struct known_lock *l, u64 ns)
{
	u64 before, begin, end;

	before = known_now();
	l->take();
	begin = known_now();
	do {
		cpu_relax();
		end = known_now();
	} while (end - begin < ns);
	l->give();
	known_enter(&l->hold, end - begin, known_now() - before);
}

/* --- waits ------------------------------------------------------------------- */

struct known_waiter {
	struct known_lock	*l;
	bool			is_about_to;
	u64			before, after;
	struct completion	done;
};

static int known_wait_thread(void *data)
{
	struct known_waiter *w = data;

	WRITE_ONCE(w->is_about_to, true);
	w->before = known_now();
	w->l->take();
	w->after = known_now();
	w->l->give();
	complete(&w->done);
	return 0;
}

/* Asleep, it waits; and has begun to, whatever it spun for before. */
static bool known_is_asleep(const struct known_waiter *w, const struct task_struct *task)
{
	return READ_ONCE(w->is_about_to) && !READ_ONCE(task->on_rq);
}

/* Return: a thread that is not awake yet, or an error. */
static struct task_struct *known_new_waiter(struct known_waiter *w)
{
	init_completion(&w->done);
	return kthread_create(known_wait_thread, w, "ft_known");
}

static int known_wait(struct known_lock *l)
{
	struct known_waiter w = { .l = l };
	struct task_struct *task = known_new_waiter(&w);
	u64 begin, end;

	if (IS_ERR(task))
		return PTR_ERR(task);
	/* It may have ended when somebody looks at it for the last time. */
	get_task_struct(task);
	l->keep();
	wake_up_process(task);
	while (!known_is_asleep(&w, task))
		usleep_range(100, 200);
	begin = known_now();
	usleep_range(500, 1000);
	end = known_now();
	l->drop();
	wait_for_completion(&w.done);
	put_task_struct(task);
	known_enter(&l->wait, end - begin, w.after - w.before);
	return 0;
}

/* With the lock, until another CPU has come to wait for it. */
static int known_spin_once(struct known_lock *l, unsigned int cpu)
{
	struct known_waiter w = { .l = l };
	struct task_struct *task = known_new_waiter(&w);
	u64 end;

	if (IS_ERR(task))
		return PTR_ERR(task);
	kthread_bind(task, cpu);
	end = ktime_get_ns() + NSEC_PER_SEC;
	l->keep();
	wake_up_process(task);
	while (!READ_ONCE(w.is_about_to) && ktime_get_ns() < end)
		cpu_relax();
	ft_spin_us(100);	/* it may still be on its way */
	l->drop();
	wait_for_completion(&w.done);
	return 0;
}

/* --- parameters -------------------------------------------------------------- */

static int known_set_hold(const char *value, const struct kernel_param *param)
{
	unsigned int i, k, n;
	int err = kstrtouint(value, 0, &n);

	for (i = 0; i < n && !err; i++)
		for (k = 0; k < ARRAY_SIZE(known_locks); k++)
			known_hold(&known_locks[k], (1 + i % 8) * 10 * NSEC_PER_USEC);
	return err;
}

static int known_set_wait(const char *value, const struct kernel_param *param)
{
	unsigned int i, k, n;
	int err = kstrtouint(value, 0, &n);

	for (i = 0; i < n && !err; i++)
		for (k = 0; k < ARRAY_SIZE(known_locks) && !err; k++)
			if (!known_locks[k].spins)
				err = known_wait(&known_locks[k]);
	return err;
}

static int known_set_spin(const char *value, const struct kernel_param *param)
{
	unsigned int i, k, n = 0, cpu;
	int err = kstrtouint(value, 0, &n);

	migrate_disable();
	cpu = cpumask_any_but(cpu_online_mask, smp_processor_id());
	if (cpu >= nr_cpu_ids)
		err = -ENODEV;
	for (i = 0; i < n && !err; i++)
		for (k = 0; k < ARRAY_SIZE(known_locks) && !err; k++)
			if (known_locks[k].spins)
				err = known_spin_once(&known_locks[k], cpu);
	migrate_enable();
	return err;
}

static int known_put(char *buf, int len, const char *what, const struct known_lock *l,
		     const struct known_times *t)
{
	return sysfs_emit_at(buf, len, "%s %s 0x%lx %u %llu %llu %llu %llu\n", what, l->family,
			     (unsigned long)l->lock, t->n, t->sum_low, t->sum_high, t->max_low,
			     t->max_high);
}

static int known_get(char *buf, const struct kernel_param *param)
{
	const struct known_lock *l;
	int len = 0;

	for (l = known_locks; l < known_locks + ARRAY_SIZE(known_locks); l++) {
		len += known_put(buf, len, "hold", l, &l->hold);
		if (!l->spins)
			len += known_put(buf, len, "wait", l, &l->wait);
	}
	return len;
}

static const struct kernel_param_ops known_hold_ops = { .set = known_set_hold };
static const struct kernel_param_ops known_wait_ops = { .set = known_set_wait };
static const struct kernel_param_ops known_spin_ops = { .set = known_set_spin };
static const struct kernel_param_ops known_ops = { .get = known_get };
module_param_cb(hold, &known_hold_ops, NULL, 0200);
module_param_cb(wait, &known_wait_ops, NULL, 0200);
module_param_cb(spin, &known_spin_ops, NULL, 0200);
module_param_cb(known, &known_ops, NULL, 0400);

MODULE_DESCRIPTION("Feather-Trace test: locks that are held and waited for as long as is known");
MODULE_LICENSE("Dual MIT/GPL");
