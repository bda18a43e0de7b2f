// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A chain of calls that is known, down to where locks are held for long and waited for.
 *
 *	echo N >/sys/module/ft_stacks/parameters/run
 *
 * N times, in a worker, stacks_one() calls stacks_two(), and so on to stacks_eight(), which
 * holds stacks_mutex and then stacks_spin for at least 400 us each, stacks_short for as short a
 * time as can be, and waits for stacks_waited, which the writer holds for 20 ms.
 *
 *	echo N >/sys/module/ft_stacks/parameters/many
 *
 * stacks_spin is held for 400 us N times, each time by another way to stacks_eight(): the bits of
 * the number choose which of two functions calls the next one. N is up to 256.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "ft_spin.h"

static DEFINE_MUTEX(stacks_mutex);
static DEFINE_MUTEX(stacks_waited);
static DEFINE_RAW_SPINLOCK(stacks_spin);
static DEFINE_RAW_SPINLOCK(stacks_short);
static DECLARE_COMPLETION(stacks_here);

static noinline void stacks_eight(void)
{
	mutex_lock(&stacks_mutex);
	ft_spin_us(400);
	mutex_unlock(&stacks_mutex);
	raw_spin_lock(&stacks_spin);
	ft_spin_us(400);
	raw_spin_unlock(&stacks_spin);
	raw_spin_lock(&stacks_short);
	raw_spin_unlock(&stacks_short);
	complete(&stacks_here);
	mutex_lock(&stacks_waited);
	mutex_unlock(&stacks_waited);
	barrier();
}

/* No jump instead of the call: then there would be no frame. */
#define STACKS_CALLS(name, next)					\
static noinline void stacks_##name(void)				\
{									\
	stacks_##next();						\
	barrier();							\
}

STACKS_CALLS(seven, eight)
STACKS_CALLS(six, seven)
STACKS_CALLS(five, six)
STACKS_CALLS(four, five)
STACKS_CALLS(three, four)
STACKS_CALLS(two, three)
STACKS_CALLS(one, two)

static void stacks_work_fn(struct work_struct *work)
{
	stacks_one();
	barrier();
}

static DECLARE_WORK(stacks_work, stacks_work_fn);

static int stacks_run(const char *value, const struct kernel_param *kp)
{
	unsigned int rounds;
	int err = kstrtouint(value, 0, &rounds);

	for (; !err && rounds; rounds--) {
		reinit_completion(&stacks_here);
		mutex_lock(&stacks_waited);
		schedule_work(&stacks_work);
		wait_for_completion(&stacks_here);
		msleep(20);
		mutex_unlock(&stacks_waited);
		flush_work(&stacks_work);
	}
	return err;
}

static noinline void stacks_way(unsigned int number, unsigned int left);

/* Two call sites are two ways. */
static noinline void stacks_way(unsigned int number, unsigned int left)
{
	if (!left) {
		raw_spin_lock(&stacks_spin);
		ft_spin_us(400);
		raw_spin_unlock(&stacks_spin);
	} else if (number & 1) {
		stacks_way(number >> 1, left - 1);
		barrier();
	} else {
		stacks_way(number >> 1, left - 1);
		barrier_data(&left);
	}
}

static int stacks_many(const char *value, const struct kernel_param *kp)
{
	unsigned int rounds, i;
	int err = kstrtouint(value, 0, &rounds);

	for (i = 0; !err && i < rounds; i++)
		stacks_way(i, 8);
	return err;
}

static const struct kernel_param_ops stacks_run_ops = { .set = stacks_run };
static const struct kernel_param_ops stacks_many_ops = { .set = stacks_many };

module_param_cb(run, &stacks_run_ops, NULL, 0200);
MODULE_PARM_DESC(run, "how many rounds to make, when it is written");
module_param_cb(many, &stacks_many_ops, NULL, 0200);
MODULE_PARM_DESC(many, "how many ways to hold a lock, when it is written");

MODULE_DESCRIPTION("Feather-Trace test: calls that are known, above locks");
MODULE_LICENSE("Dual MIT/GPL");
