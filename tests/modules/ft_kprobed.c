// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A function that is called in the handler of a kprobe, where the kernel handles no other one,
 * and one that is not as long in another build (ft_kprobed_too).
 *
 *	echo N >/sys/module/ft_kprobed/parameters/inside	calls it there so many times,
 *	echo N >/sys/module/ft_kprobed/parameters/outside	or elsewhere
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

static noinline void kprobed_inner(unsigned long i)
{
	barrier_data(&i);
}

static noinline void kprobed_outer(unsigned long i)
{
	barrier_data(&i);
}

/* In ft_kprobed_too it is shorter. */
static noinline void kprobed_moves(void)
{
	asm volatile(".rept 256\n\tnop\n\t.endr");
}

static int kprobed_handler(struct kprobe *kp, struct pt_regs *regs)
{
	kprobed_inner(0);
	return 0;
}

/*
 * With this, the kernel makes no jump of the breakpoint. It takes jumps back later: a module
 * that comes back at the same address meanwhile could not register its kprobe.
 */
static void kprobed_post(struct kprobe *kp, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe kprobed_kprobe = {
	.symbol_name	= "kprobed_outer",
	.pre_handler	= kprobed_handler,
	.post_handler	= kprobed_post,
};

static int kprobed_call(const char *text, void (*function)(unsigned long i))
{
	unsigned long i, n;
	int err = kstrtoul(text, 0, &n);

	for (i = 1; !err && i <= n; i++)
		function(i);
	kprobed_moves();
	return err;
}

static int kprobed_inside(const char *text, const struct kernel_param *param)
{
	return kprobed_call(text, kprobed_outer);
}

static int kprobed_outside(const char *text, const struct kernel_param *param)
{
	return kprobed_call(text, kprobed_inner);
}

static const struct kernel_param_ops kprobed_inside_ops = { .set = kprobed_inside };
static const struct kernel_param_ops kprobed_outside_ops = { .set = kprobed_outside };

module_param_cb(inside, &kprobed_inside_ops, NULL, 0200);
module_param_cb(outside, &kprobed_outside_ops, NULL, 0200);

static int __init kprobed_init(void)
{
	return register_kprobe(&kprobed_kprobe);
}

static void __exit kprobed_exit(void)
{
	unregister_kprobe(&kprobed_kprobe);
}

module_init(kprobed_init);
module_exit(kprobed_exit);

MODULE_DESCRIPTION("Feather-Trace test: a function that is called in the handler of a kprobe");
MODULE_LICENSE("Dual MIT/GPL");
