// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Locks and tasks that come and go.
 *
 *	echo N >/sys/module/ft_churn/parameters/locks	N mutexes and as many spinlocks, each
 *							taken once, then never again
 *	echo N >/sys/module/ft_churn/parameters/tasks	N tasks that take a mutex each
 *	echo N >/sys/module/ft_churn/parameters/stays	N times a mutex that stays
 *	cat /sys/module/ft_churn/parameters/stays	where that is
 *
 * Of sixteen mutexes one is taken, and gone before it is given back.
 */
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/vmalloc.h>

struct churn_locks {
	spinlock_t	spin;	/* guards nothing */
	struct mutex	mutex;	/* nor does this */
};

static DEFINE_MUTEX(churn_stays);

static int churn_set_locks(const char *value, const struct kernel_param *param)
{
	struct churn_locks *locks;
	unsigned int i, n;
	int err = kstrtouint(value, 0, &n);

	if (err)
		return err;
	locks = vmalloc(array_size(n, sizeof(*locks)));
	if (!locks)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		mutex_init(&locks[i].mutex);
		spin_lock_init(&locks[i].spin);
		spin_lock(&locks[i].spin);
		spin_unlock(&locks[i].spin);
		mutex_lock(&locks[i].mutex);
		/* lockdep would complain of what is gone while it is held */
		if (i % 16 || IS_ENABLED(CONFIG_LOCKDEP))
			mutex_unlock(&locks[i].mutex);
		cond_resched();
	}
	vfree(locks);
	return 0;
}

static int churn_thread(void *data)
{
	mutex_lock(&churn_stays);
	mutex_unlock(&churn_stays);
	complete(data);
	return 0;
}

static int churn_set_tasks(const char *value, const struct kernel_param *param)
{
	struct task_struct *task;
	unsigned int i, n;
	int err = kstrtouint(value, 0, &n);

	for (i = 0; i < n && !err; i++) {
		DECLARE_COMPLETION_ONSTACK(done);

		task = kthread_run(churn_thread, &done, "ft_churn");
		err = PTR_ERR_OR_ZERO(task);
		if (!err)
			wait_for_completion(&done);
	}
	return err;
}

static int churn_set_stays(const char *value, const struct kernel_param *param)
{
	unsigned int i, n;
	int err = kstrtouint(value, 0, &n);

	for (i = 0; i < n && !err; i++) {
		mutex_lock(&churn_stays);
		mutex_unlock(&churn_stays);
	}
	return err;
}

static int churn_get_stays(char *buf, const struct kernel_param *param)
{
	return sysfs_emit(buf, "0x%lx\n", (unsigned long)&churn_stays);
}

static const struct kernel_param_ops churn_locks_ops = { .set = churn_set_locks };
static const struct kernel_param_ops churn_tasks_ops = { .set = churn_set_tasks };
static const struct kernel_param_ops churn_stays_ops = {
	.set = churn_set_stays,
	.get = churn_get_stays,
};
module_param_cb(locks, &churn_locks_ops, NULL, 0200);
module_param_cb(tasks, &churn_tasks_ops, NULL, 0200);
module_param_cb(stays, &churn_stays_ops, NULL, 0600);

MODULE_DESCRIPTION("Feather-Trace test: locks and tasks that come and go");
MODULE_LICENSE("Dual MIT/GPL");
