// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Calls every variant of every lock function, each on locks of its own, and says
 * which records that must give.
 *
 *	echo N >/sys/module/ft_variants/parameters/run	each one N times
 *	cat /proc/ft_variants		lines of: variant, event, lock, records
 *
 * The lines are of all runs since the module was loaded. All events of a lock's
 * kind are in there, those with 0 records, too.
 *
 * Interruptible variants that fail need a signal and a lock that somebody else
 * holds: there is a second thread that takes and releases it on request.
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "ft_variants.h"

static const char *const variants_families[] = {
	[FT_LOCK_SPIN]		= "spin",
	[FT_LOCK_RWLOCK_READ]	= "rwlock_read",
	[FT_LOCK_RWLOCK_WRITE]	= "rwlock_write",
	[FT_LOCK_MUTEX]		= "mutex",
	[FT_LOCK_SEMAPHORE]	= "semaphore",
	[FT_LOCK_RWSEM_READ]	= "rwsem_read",
	[FT_LOCK_RWSEM_WRITE]	= "rwsem_write",
	[FT_LOCK_RAW_SPIN]	= "raw_spin",
};

/* A variant, and locks of its own. */
struct instance {
	const struct variant	*variant;
	struct locks		locks;
};

static struct instance *variants;
static unsigned int variants_n;
static unsigned int variants_rounds;	/* so far */

const char *ft_variants_wrong;

static void show_family(struct seq_file *m, const struct instance *i, int family,
			int count)
{
	static const char *const events[] = { "acquire", "release" };
	unsigned int k;

	for (k = 0; k < ARRAY_SIZE(events); k++)
		seq_printf(m, "%s %s_%s 0x%lx %u\n", i->variant->name,
			   variants_families[family], events[k],
			   (unsigned long)&i->locks + i->variant->lock,
			   count * variants_rounds);
}

static int variants_show(struct seq_file *m, void *unused)
{
	const struct instance *i;

	for (i = variants; i < variants + variants_n; i++) {
		show_family(m, i, i->variant->family, i->variant->count);
		if (i->variant->other_family >= 0)
			show_family(m, i, i->variant->other_family,
				    i->variant->other_count);
	}
	return 0;
}

/* --- running them ------------------------------------------------------------ */

struct variants_run {
	struct kthread_work	work;
	unsigned int		rounds;
};

/* In a thread of its own, which takes signals. */
static void variants_work(struct kthread_work *work)
{
	struct variants_run *run = container_of(work, struct variants_run, work);
	unsigned int i, round;

	allow_signal(SIGUSR1);
	allow_signal(SIGKILL);
	for (round = 0; round < run->rounds; round++)
		for (i = 0; i < variants_n; i++)
			variants[i].variant->run(&variants[i].locks);
}

static int variants_set_run(const char *value, const struct kernel_param *param)
{
	struct kthread_worker *worker;
	struct variants_run run;
	int err;

	err = kstrtouint(value, 0, &run.rounds);
	if (err)
		return err;
	worker = kthread_create_worker(0, "ft_variants");
	if (IS_ERR(worker))
		return PTR_ERR(worker);

	ft_variants_wrong = NULL;
	kthread_init_work(&run.work, variants_work);
	kthread_queue_work(worker, &run.work);
	kthread_destroy_worker(worker);
	variants_rounds += run.rounds;
	if (!ft_variants_wrong)
		return 0;
	pr_err("%s: a lock function returned something else than it should\n",
	       ft_variants_wrong);
	return -EIO;
}

static const struct kernel_param_ops variants_run_ops = {
	.set = variants_set_run,
};

module_param_cb(run, &variants_run_ops, NULL, 0200);

static void variants_init_locks(struct locks *l)
{
	raw_spin_lock_init(&l->raw);
	spin_lock_init(&l->spin);
	rwlock_init(&l->rwlock);
	mutex_init(&l->mutex);
	ww_mutex_init(&l->ww, &ft_variants_class);
	ww_mutex_init(&l->ww_second, &ft_variants_class);
	sema_init(&l->sem, 1);
	init_rwsem(&l->rwsem);
}

/* Appends a table to the variants, if there is room yet. */
static void variants_add(const struct variant *table)
{
	for (; table->name; table++, variants_n++) {
		if (!variants)
			continue;
		variants[variants_n].variant = table;
		variants_init_locks(&variants[variants_n].locks);
	}
}

static void variants_add_all(void)
{
	variants_n = 0;
	variants_add(ft_variants_spin);
	variants_add(ft_variants_mutex);
	variants_add(ft_variants_sem);
}

static int __init variants_init(void)
{
	int err;

	variants_add_all();	/* counts them */
	variants = kcalloc(variants_n, sizeof(*variants), GFP_KERNEL);
	if (!variants)
		return -ENOMEM;
	variants_add_all();
	err = ft_variants_other_start();
	if (err)
		goto err_free;
	err = -ENOMEM;
	if (!proc_create_single("ft_variants", 0400, NULL, variants_show))
		goto err_stop_other;
	return 0;

err_stop_other:
	ft_variants_other_stop();
err_free:
	kfree(variants);
	return err;
}

static void __exit variants_exit(void)
{
	remove_proc_entry("ft_variants", NULL);
	ft_variants_other_stop();
	kfree(variants);
}

module_init(variants_init);
module_exit(variants_exit);

MODULE_DESCRIPTION("Feather-Trace test: every variant of every lock function");
MODULE_LICENSE("Dual MIT/GPL");
