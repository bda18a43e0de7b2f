// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Tasks that sleep inside lock functions, for as long as one wants.
 *
 *	echo 1 >/sys/module/ft_sleep/parameters/hold	a thread takes all locks
 *	echo NAME >/sys/module/ft_sleep/parameters/start	a new thread calls NAME
 *	cat /sys/module/ft_sleep/parameters/inside	how many are in there
 *	cat /sys/module/ft_sleep/parameters/functions	the names
 *	echo 0 >/sys/module/ft_sleep/parameters/hold	all locks are released
 *
 * The module cannot be unloaded while a thread sleeps.
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rtmutex.h>
#include <linux/rwsem.h>
#include <linux/semaphore.h>
#include <linux/string.h>
#include <linux/ww_mutex.h>

static DEFINE_MUTEX(sleep_mutex);
static struct semaphore sleep_sem;
static DECLARE_RWSEM(sleep_rwsem);
static DEFINE_WW_CLASS(sleep_class);
static struct ww_mutex sleep_ww;

static atomic_t sleep_inside = ATOMIC_INIT(0);

/* What can fail does not: nobody sends these threads a signal. */
#define SLEEP(name, lock)						\
static int sleep_##name(void)						\
{									\
	return name(lock);						\
}

#define SLEEP_VOID(name, lock)						\
static int sleep_##name(void)						\
{									\
	name(lock);							\
	return 0;							\
}

SLEEP_VOID(mutex_lock, &sleep_mutex)
SLEEP_VOID(mutex_lock_io, &sleep_mutex)
SLEEP_VOID(down, &sleep_sem)
SLEEP_VOID(down_read, &sleep_rwsem)
SLEEP_VOID(down_write, &sleep_rwsem)
SLEEP(mutex_lock_interruptible, &sleep_mutex)
SLEEP(mutex_lock_killable, &sleep_mutex)
SLEEP(down_interruptible, &sleep_sem)
SLEEP(down_killable, &sleep_sem)
SLEEP(down_read_interruptible, &sleep_rwsem)
SLEEP(down_read_killable, &sleep_rwsem)
SLEEP(down_write_killable, &sleep_rwsem)

static int sleep_ww_mutex_lock_interruptible(void)
{
	return ww_mutex_lock_interruptible(&sleep_ww, NULL);
}

static int sleep_atomic_dec_and_mutex_lock(void)
{
	atomic_t one = ATOMIC_INIT(1);

	return !atomic_dec_and_mutex_lock(&one, &sleep_mutex);
}

static int sleep_ww_mutex_lock(void)
{
	return ww_mutex_lock(&sleep_ww, NULL);
}

static int sleep_down_timeout(void)
{
	return down_timeout(&sleep_sem, MAX_SCHEDULE_TIMEOUT);
}

#ifdef CONFIG_PREEMPT_RT
/*
 * Who holds these may be preempted, but must not go to sleep. So the holder takes
 * the sleeping locks that are inside.
 */
static DEFINE_SPINLOCK(sleep_spin);
static DEFINE_RWLOCK(sleep_rwlock);

#define SLEEP_RT(name, take, give)					\
static int sleep_##name(void)						\
{									\
	take;								\
	give;								\
	return 0;							\
}

SLEEP_RT(rt_spin_lock, spin_lock(&sleep_spin), spin_unlock(&sleep_spin))
SLEEP_RT(rt_read_lock, read_lock(&sleep_rwlock), read_unlock(&sleep_rwlock))
SLEEP_RT(rt_write_lock, write_lock(&sleep_rwlock), write_unlock(&sleep_rwlock))

static void sleep_hold_rt(void)
{
	rt_mutex_lock((struct rt_mutex *)&sleep_spin.lock);
	down_write((struct rw_semaphore *)&sleep_rwlock.rwbase);
}

static void sleep_drop_rt(void)
{
	up_write((struct rw_semaphore *)&sleep_rwlock.rwbase);
	rt_mutex_unlock((struct rt_mutex *)&sleep_spin.lock);
}
#else
static void sleep_hold_rt(void)
{
}

static void sleep_drop_rt(void)
{
}
#endif

static void sleep_unlock(void)
{
	mutex_unlock(&sleep_mutex);
}

static void sleep_ww_unlock(void)
{
	ww_mutex_unlock(&sleep_ww);
}

static void sleep_up(void)
{
	up(&sleep_sem);
}

static void sleep_up_read(void)
{
	up_read(&sleep_rwsem);
}

static void sleep_up_write(void)
{
	up_write(&sleep_rwsem);
}

#define SLEEPER(name, give)	{ #name, sleep_##name, give }
static const struct sleeper {
	const char	*name;
	int		(*take)(void);
	void		(*give)(void);
} sleepers[] = {
	SLEEPER(mutex_lock, sleep_unlock),
	SLEEPER(mutex_lock_io, sleep_unlock),
	SLEEPER(mutex_lock_interruptible, sleep_unlock),
	SLEEPER(mutex_lock_killable, sleep_unlock),
	SLEEPER(ww_mutex_lock, sleep_ww_unlock),
	SLEEPER(ww_mutex_lock_interruptible, sleep_ww_unlock),
	SLEEPER(atomic_dec_and_mutex_lock, sleep_unlock),
	SLEEPER(down, sleep_up),
	SLEEPER(down_interruptible, sleep_up),
	SLEEPER(down_killable, sleep_up),
	SLEEPER(down_timeout, sleep_up),
	SLEEPER(down_read, sleep_up_read),
	SLEEPER(down_read_interruptible, sleep_up_read),
	SLEEPER(down_read_killable, sleep_up_read),
	SLEEPER(down_write, sleep_up_write),
	SLEEPER(down_write_killable, sleep_up_write),
#ifdef CONFIG_PREEMPT_RT
	SLEEPER(rt_spin_lock, NULL),
	SLEEPER(rt_read_lock, NULL),
	SLEEPER(rt_write_lock, NULL),
#endif
};

static int sleep_thread(void *data)
{
	const struct sleeper *sleeper = data;

	if (!sleeper->take() && sleeper->give)
		sleeper->give();
	atomic_dec(&sleep_inside);
	module_put_and_kthread_exit(0);
	return 0;
}

static int sleep_start(const char *value, const struct kernel_param *param)
{
	struct task_struct *task;
	int i;

	for (i = 0; i < ARRAY_SIZE(sleepers); i++)
		if (sysfs_streq(value, sleepers[i].name))
			break;
	if (i == ARRAY_SIZE(sleepers))
		return -EINVAL;

	__module_get(THIS_MODULE);
	atomic_inc(&sleep_inside);
	task = kthread_run(sleep_thread, (void *)&sleepers[i], "ft_sleep");
	if (IS_ERR(task)) {
		atomic_dec(&sleep_inside);
		module_put(THIS_MODULE);
		return PTR_ERR(task);
	}
	return 0;
}

static struct task_struct *sleep_holder;
static DECLARE_COMPLETION(sleep_held);

static int sleep_hold_thread(void *data)
{
	mutex_lock(&sleep_mutex);
	ww_mutex_lock(&sleep_ww, NULL);
	down(&sleep_sem);
	down_write(&sleep_rwsem);
	sleep_hold_rt();
	complete(&sleep_held);

	set_current_state(TASK_INTERRUPTIBLE);
	while (!kthread_should_stop()) {
		schedule();
		set_current_state(TASK_INTERRUPTIBLE);
	}
	__set_current_state(TASK_RUNNING);

	sleep_drop_rt();
	up_write(&sleep_rwsem);
	up(&sleep_sem);
	ww_mutex_unlock(&sleep_ww);
	mutex_unlock(&sleep_mutex);
	return 0;
}

/* Parameters of a module are set one at a time. */
static int sleep_hold(const char *value, const struct kernel_param *param)
{
	struct task_struct *task;
	bool hold;
	int err;

	err = kstrtobool(value, &hold);
	if (err || hold == !!sleep_holder)
		return err;
	if (!hold) {
		kthread_stop(sleep_holder);
		sleep_holder = NULL;
		return 0;
	}
	reinit_completion(&sleep_held);
	task = kthread_run(sleep_hold_thread, NULL, "ft_sleep_hold");
	if (IS_ERR(task))
		return PTR_ERR(task);
	wait_for_completion(&sleep_held);
	sleep_holder = task;
	return 0;
}

static int sleep_get_inside(char *buf, const struct kernel_param *param)
{
	return sysfs_emit(buf, "%d\n", atomic_read(&sleep_inside));
}

static int sleep_get_functions(char *buf, const struct kernel_param *param)
{
	int i, len = 0;

	for (i = 0; i < ARRAY_SIZE(sleepers); i++)
		len += sysfs_emit_at(buf, len, "%s\n", sleepers[i].name);
	return len;
}

static const struct kernel_param_ops sleep_start_ops = {
	.set = sleep_start,
};

static const struct kernel_param_ops sleep_hold_ops = {
	.set = sleep_hold,
};

static const struct kernel_param_ops sleep_inside_ops = {
	.get = sleep_get_inside,
};

static const struct kernel_param_ops sleep_functions_ops = {
	.get = sleep_get_functions,
};

module_param_cb(start, &sleep_start_ops, NULL, 0200);
module_param_cb(hold, &sleep_hold_ops, NULL, 0200);
module_param_cb(inside, &sleep_inside_ops, NULL, 0400);
module_param_cb(functions, &sleep_functions_ops, NULL, 0400);

static int __init sleep_init(void)
{
	sema_init(&sleep_sem, 1);
	ww_mutex_init(&sleep_ww, &sleep_class);
	return 0;
}

static void __exit sleep_exit(void)
{
	if (sleep_holder)
		kthread_stop(sleep_holder);
}

module_init(sleep_init);
module_exit(sleep_exit);

MODULE_DESCRIPTION("Feather-Trace test: tasks asleep inside lock functions");
MODULE_LICENSE("Dual MIT/GPL");
