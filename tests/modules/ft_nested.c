// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Critical sections whose nesting and least lengths are known.
 *
 *	echo N >/sys/module/ft_nested/parameters/run
 *
 * N times: a mutex is held for at least 175 us; in it, after 100 us, a spinlock for
 * 75 us; in that, after 50 us, another one for 25 us.
 *
 *	echo N >/sys/module/ft_nested/parameters/crossed
 *
 * N times: a spinlock is held for at least 50 us; in it, after 25 us, another one is
 * acquired, which is released 25 us after the first one.
 *
 *	echo N >/sys/module/ft_nested/parameters/deep
 *
 * N times: 20 spinlocks, each in the one before.
 *
 *	echo N >/sys/module/ft_nested/parameters/interrupted
 *
 * N times: a spinlock is held until an interrupt has taken these 20 on the same CPU.
 *
 *	echo N >/sys/module/ft_nested/parameters/many
 *
 * N times: 800 mutexes, 40 of them at a time.
 *
 *	echo N >/sys/module/ft_nested/parameters/reads
 *
 * N times: a rwsem and then a rwlock are held for reading for at least 75 us, in which the
 * same task reads them once more, for 25 us.
 *
 *	echo N >/sys/module/ft_nested/parameters/thrice
 *
 * N times: the rwsem, and in that all of the above once more.
 *
 *	echo N >/sys/module/ft_nested/parameters/handed
 *
 * N times: one task acquires a semaphore, and after at least 25 us another one releases it.
 */
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/semaphore.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "ft_spin.h"

static DEFINE_MUTEX(nested_mutex);
static DEFINE_RAW_SPINLOCK(nested_outer_lock);
static DEFINE_RAW_SPINLOCK(nested_inner_lock);

/* Each in a function of its own, so that each call site has a name. */
static noinline void nested_inner(void)
{
	raw_spin_lock(&nested_inner_lock);
	ft_spin_us(25);
	raw_spin_unlock(&nested_inner_lock);
}

static noinline void nested_outer(void)
{
	raw_spin_lock(&nested_outer_lock);
	ft_spin_us(50);
	nested_inner();
	raw_spin_unlock(&nested_outer_lock);
}

static noinline void nested_sleeping(void)
{
	mutex_lock(&nested_mutex);
	ft_spin_us(100);
	nested_outer();
	mutex_unlock(&nested_mutex);
}

static noinline void nested_crossed(void)
{
	raw_spin_lock(&nested_outer_lock);
	ft_spin_us(25);
	raw_spin_lock(&nested_inner_lock);
	ft_spin_us(25);
	raw_spin_unlock(&nested_outer_lock);
	ft_spin_us(25);
	raw_spin_unlock(&nested_inner_lock);
}

#define NESTED_DEEP	20
static raw_spinlock_t nested_deep_locks[NESTED_DEEP];
/* Lockdep has eight subclasses: so each lock is of a class of its own. */
static struct lock_class_key nested_deep_keys[NESTED_DEEP];

static noinline void nested_deep(void)
{
	unsigned long flags;
	unsigned int i;

	local_irq_save(flags);
	for (i = 0; i < NESTED_DEEP; i++)
		raw_spin_lock(&nested_deep_locks[i]);
	while (i--)
		raw_spin_unlock(&nested_deep_locks[i]);
	local_irq_restore(flags);
}

static void nested_deep_interrupt(struct irq_work *work)
{
	nested_deep();
}

static struct irq_work nested_interrupt = IRQ_WORK_INIT_HARD(nested_deep_interrupt);

static noinline void nested_interrupted(void)
{
	raw_spin_lock(&nested_outer_lock);
	irq_work_queue(&nested_interrupt);
	while (irq_work_is_busy(&nested_interrupt))
		cpu_relax();
	raw_spin_unlock(&nested_outer_lock);
}

/* Lockdep knows of at most 48 that a task holds. */
#define NESTED_MANY	40
#define NESTED_TIMES	20
/*
 * So many are there to choose from, at random: a table's hash spreads addresses with equal
 * distances evenly, so that it would have a place for each of them.
 */
#define NESTED_CHOICE	200
static struct mutex nested_many_locks[NESTED_CHOICE][NESTED_MANY];
static struct lock_class_key nested_many_keys[NESTED_MANY];

static unsigned int nested_choose(void)
{
	static u32 state = 1;

	state = state * 1664525 + 1013904223;
	return (state >> 16) % NESTED_CHOICE;
}

static noinline void nested_many(void)
{
	static unsigned int chosen[NESTED_MANY];
	unsigned int i, j;

	for (i = 0; i < NESTED_TIMES; i++) {
		for (j = 0; j < NESTED_MANY; j++) {
			chosen[j] = nested_choose();
			mutex_lock(&nested_many_locks[chosen[j]][j]);
		}
		while (j--)
			mutex_unlock(&nested_many_locks[chosen[j]][j]);
	}
}

static DECLARE_RWSEM(nested_rwsem);
static DEFINE_RWLOCK(nested_rwlock);

static noinline void nested_rwsem_inner(void)
{
	down_read(&nested_rwsem);
	ft_spin_us(25);
	up_read(&nested_rwsem);
}

static noinline void nested_rwsem_outer(void)
{
	down_read(&nested_rwsem);
	ft_spin_us(25);
	nested_rwsem_inner();
	ft_spin_us(25);
	up_read(&nested_rwsem);
}

static noinline void nested_rwlock_inner(void)
{
	read_lock(&nested_rwlock);
	ft_spin_us(25);
	read_unlock(&nested_rwlock);
}

static noinline void nested_rwlock_outer(void)
{
	read_lock(&nested_rwlock);
	ft_spin_us(25);
	nested_rwlock_inner();
	ft_spin_us(25);
	read_unlock(&nested_rwlock);
}

/* Lockdep is right that a writer between the two would block both: here is none. */
static noinline void nested_reads(void)
{
	lockdep_off();
	nested_rwsem_outer();
	nested_rwlock_outer();
	lockdep_on();
}

static noinline void nested_thrice(void)
{
	lockdep_off();
	down_read(&nested_rwsem);
	nested_reads();
	up_read(&nested_rwsem);
	lockdep_on();
}

static struct semaphore nested_semaphore = __SEMAPHORE_INITIALIZER(nested_semaphore, 1);

static noinline void nested_handed(void)
{
	down(&nested_semaphore);
	ft_spin_us(25);
}

static unsigned int nested_rounds;
static void (*nested_one)(void);

/* In a worker: whoever writes a parameter holds locks of sysfs. */
static void nested_work_fn(struct work_struct *work)
{
	unsigned int i;

	for (i = 0; i < nested_rounds; i++)
		nested_one();
}

static DECLARE_WORK(nested_work, nested_work_fn);

static int nested_do(const char *value, void (*one)(void))
{
	int err = kstrtouint(value, 0, &nested_rounds);

	if (err)
		return err;
	nested_one = one;
	schedule_work(&nested_work);
	flush_work(&nested_work);
	return 0;
}

static int nested_run(const char *value, const struct kernel_param *kp)
{
	return nested_do(value, nested_sleeping);
}

static int nested_cross(const char *value, const struct kernel_param *kp)
{
	return nested_do(value, nested_crossed);
}

static int nested_dive(const char *value, const struct kernel_param *kp)
{
	return nested_do(value, nested_deep);
}

static int nested_interrupt_it(const char *value, const struct kernel_param *kp)
{
	return nested_do(value, nested_interrupted);
}

static int nested_hoard(const char *value, const struct kernel_param *kp)
{
	return nested_do(value, nested_many);
}

static int nested_read(const char *value, const struct kernel_param *kp)
{
	return nested_do(value, nested_reads);
}

static int nested_read_thrice(const char *value, const struct kernel_param *kp)
{
	return nested_do(value, nested_thrice);
}

/* The worker acquires, and we release. */
static int nested_hand_over(const char *value, const struct kernel_param *kp)
{
	unsigned int n;
	int err = kstrtouint(value, 0, &n);

	for (; !err && n; n--) {
		err = nested_do("1", nested_handed);
		up(&nested_semaphore);
	}
	return err;
}

static const struct kernel_param_ops nested_ops = {
	.set	= nested_run,
};

static const struct kernel_param_ops nested_crossed_ops = {
	.set	= nested_cross,
};

static const struct kernel_param_ops nested_deep_ops = {
	.set	= nested_dive,
};

static const struct kernel_param_ops nested_interrupted_ops = {
	.set	= nested_interrupt_it,
};

static const struct kernel_param_ops nested_many_ops = {
	.set	= nested_hoard,
};

static const struct kernel_param_ops nested_reads_ops = {
	.set	= nested_read,
};

static const struct kernel_param_ops nested_thrice_ops = {
	.set	= nested_read_thrice,
};

static const struct kernel_param_ops nested_handed_ops = {
	.set	= nested_hand_over,
};

module_param_cb(run, &nested_ops, NULL, 0200);
MODULE_PARM_DESC(run, "how many rounds to make, when it is written");
module_param_cb(crossed, &nested_crossed_ops, NULL, 0200);
MODULE_PARM_DESC(crossed, "the same, with crossed sections");
module_param_cb(deep, &nested_deep_ops, NULL, 0200);
MODULE_PARM_DESC(deep, "the same, with many locks");
module_param_cb(interrupted, &nested_interrupted_ops, NULL, 0200);
MODULE_PARM_DESC(interrupted, "the same, in an interrupt that comes into a section");
module_param_cb(many, &nested_many_ops, NULL, 0200);
MODULE_PARM_DESC(many, "the same, with many mutexes");
module_param_cb(reads, &nested_reads_ops, NULL, 0200);
MODULE_PARM_DESC(reads, "the same, with locks that a task reads twice at a time");
module_param_cb(thrice, &nested_thrice_ops, NULL, 0200);
MODULE_PARM_DESC(thrice, "the same, with a rwsem that it reads three times at a time");
module_param_cb(handed, &nested_handed_ops, NULL, 0200);
MODULE_PARM_DESC(handed, "the same, with a semaphore that one task acquires and another one releases");

static int __init nested_init(void)
{
	unsigned int i, j;

	for (i = 0; i < NESTED_DEEP; i++) {
		raw_spin_lock_init(&nested_deep_locks[i]);
		lockdep_set_class(&nested_deep_locks[i], &nested_deep_keys[i]);
	}
	for (i = 0; i < NESTED_CHOICE; i++) {
		for (j = 0; j < NESTED_MANY; j++) {
			mutex_init(&nested_many_locks[i][j]);
			lockdep_set_class(&nested_many_locks[i][j], &nested_many_keys[j]);
		}
	}
	return 0;
}

static void __exit nested_exit(void)
{
}

module_init(nested_init);
module_exit(nested_exit);

MODULE_DESCRIPTION("Feather-Trace test: sections of known length and nesting");
MODULE_LICENSE("Dual MIT/GPL");
