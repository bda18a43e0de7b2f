// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The second thread, which takes and releases locks on request. */
#include <linux/err.h>
#include <linux/kthread.h>

#include "ft_variants.h"

static struct kthread_worker *variants_other;

static void other_work(struct kthread_work *work)
{
	struct other_work *other = container_of(work, struct other_work, work);

	other->fn(other->l);
}

void ft_variants_other_queue(struct other_work *other, struct locks *l,
			     void (*fn)(struct locks *l))
{
	kthread_init_work(&other->work, other_work);
	other->l = l;
	other->fn = fn;
	kthread_queue_work(variants_other, &other->work);
}

void ft_variants_other(struct locks *l, void (*fn)(struct locks *l))
{
	struct other_work work;

	ft_variants_other_queue(&work, l, fn);
	kthread_flush_work(&work.work);
}

int ft_variants_other_start(void)
{
	variants_other = kthread_create_worker(0, "ft_variants_other");
	return PTR_ERR_OR_ZERO(variants_other);
}

void ft_variants_other_stop(void)
{
	kthread_destroy_worker(variants_other);
}
