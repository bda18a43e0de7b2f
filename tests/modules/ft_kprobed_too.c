// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Another build of a function that ft_kprobed has, kprobed_moves: a shorter one. A point in it
 * lies in one of these here then, which lie around it.
 *
 *	echo N >/sys/module/ft_kprobed_too/parameters/near	calls each so many times
 */
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>

/* Each byte begins an instruction. */
#define KPROBED_BYTES	".rept 512\n\tnop\n\t.endr"

static noinline void kprobed_near(void)
{
	asm volatile(KPROBED_BYTES);
}

static noinline void kprobed_moves(void)
{
	asm volatile("");
}

static noinline void kprobed_far(void)
{
	asm volatile(KPROBED_BYTES);
}

static int kprobed_call(const char *text, const struct kernel_param *param)
{
	unsigned long i, n;
	int err = kstrtoul(text, 0, &n);

	for (i = 0; !err && i < n; i++) {
		kprobed_near();
		kprobed_moves();
		kprobed_far();
		cond_resched();
	}
	return err;
}

static const struct kernel_param_ops kprobed_ops = { .set = kprobed_call };
module_param_cb(near, &kprobed_ops, NULL, 0200);

MODULE_DESCRIPTION("Feather-Trace test: a function that has become shorter");
MODULE_LICENSE("Dual MIT/GPL");
