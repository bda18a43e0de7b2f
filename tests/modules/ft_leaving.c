// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * How feather_trace wraps and leaves the lock functions: watches the steps, stops one, and
 * has ftrace refuse.
 *
 *	echo ERRNO >/sys/module/ft_leaving/parameters/refuse
 *		ftrace answers with -ERRNO and does nothing, when a direct call is to be
 *		taken away; 0: it says that it has done it; -1: it does it
 *	echo ERRNO >/sys/module/ft_leaving/parameters/fail
 *		ftrace adds a direct call and answers with -ERRNO, as if it had disabled itself
 *		on the way; 0: it says what it has done
 *	echo 1 >/sys/module/ft_leaving/parameters/kill
 *		ftrace disables itself, as it does after an error. For good
 *	echo 1 >/sys/module/ft_leaving/parameters/wait
 *		who enables events waits when they are prepared, 0: no more
 *	cat /sys/module/ft_leaving/parameters/waits
 *		does somebody?
 *	cat /sys/module/ft_leaving/parameters/steps
 *		since it was written to: T every CPU switches to another task,
 *		S synchronize_rcu_tasks(), D a direct call was taken away,
 *		U ftrace's list of ops no longer passes over one
 */
#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "../../module/compat.h"

static int leaving_refusal = -1;
static int leaving_failure;
static bool leaving_wait;
static bool leaving_waits;
static typeof(int (long, long, long, long, long, long)) *leaving_start;
static char leaving_steps[512];
static unsigned int leaving_count;
static DEFINE_RAW_SPINLOCK(leaving_lock);

static void leaving_step(char step)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&leaving_lock, flags);
	if (leaving_count < sizeof(leaving_steps) - 1)
		leaving_steps[leaving_count++] = step;
	raw_spin_unlock_irqrestore(&leaving_lock, flags);
}

static int leaving_switch(struct kprobe *p, struct pt_regs *regs)
{
	leaving_step('T');
	return 0;
}

static int leaving_tasks(struct kprobe *p, struct pt_regs *regs)
{
	leaving_step('S');
	return 0;
}

static int leaving_unmute(struct kprobe *p, struct pt_regs *regs)
{
	leaving_step('U');
	return 0;
}

/* What does the function's RET, in its place. */
static noinline void leaving_return(void)
{
	asm volatile("");
}

static int leaving_delete(struct kprobe *p, struct pt_regs *regs)
{
	int refusal = READ_ONCE(leaving_refusal);

	leaving_step('D');
	if (refusal < 0)
		return 0;
	regs_set_return_value(regs, -refusal);
	instruction_pointer_set(regs, (unsigned long)leaving_return);
	return 1;
}

/* In the place of ft_table_start_prepared(), with its arguments */
static int leaving_stay(long a, long b, long c, long d, long e, long f)
{
	WRITE_ONCE(leaving_waits, true);
	while (READ_ONCE(leaving_wait))
		msleep(20);
	WRITE_ONCE(leaving_waits, false);
	return leaving_start(a, b, c, d, e, f);
}

static int leaving_enter(struct kprobe *p, struct pt_regs *regs)
{
	if (!READ_ONCE(leaving_wait))
		return 0;
	leaving_start = (void *)p->addr;
	instruction_pointer_set(regs, (unsigned long)leaving_stay);
	return 1;
}

/* A probe with a post handler is not optimised into a jump, which cannot redirect. */
static void leaving_after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe leaving_probes[] = {
	{ .symbol_name = "ft_trace_switch", .pre_handler = leaving_switch },
	{ .symbol_name = "synchronize_rcu_tasks", .pre_handler = leaving_tasks },
	{ .symbol_name = "ft_hook_unmute", .pre_handler = leaving_unmute },
	{ .symbol_name = __stringify(FT_FTRACE_DIRECT_DEL), .pre_handler = leaving_delete,
	  .post_handler = leaving_after },
	{ .symbol_name = "ft_table_start_prepared", .pre_handler = leaving_enter,
	  .post_handler = leaving_after },
};

static int leaving_added(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	int failure = READ_ONCE(leaving_failure);

	if (failure && !regs_return_value(regs))
		regs_set_return_value(regs, -failure);
	return 0;
}

static struct kretprobe leaving_add_probe = {
	.kp.symbol_name = __stringify(ft_ftrace_direct_add), .handler = leaving_added,
};

static int leaving_set_kill(const char *value, const struct kernel_param *param)
{
	struct kprobe kp = { .symbol_name = "ftrace_kill" };
	void (*kill)(void);
	int err;

	/* It is not exported, but a probe finds it. */
	err = register_kprobe(&kp);
	if (err)
		return err;
	kill = (void *)kp.addr;
	unregister_kprobe(&kp);
	kill();
	return 0;
}

static int leaving_set_steps(const char *value, const struct kernel_param *param)
{
	raw_spin_lock_irq(&leaving_lock);
	leaving_count = 0;
	memset(leaving_steps, 0, sizeof(leaving_steps));
	raw_spin_unlock_irq(&leaving_lock);
	return 0;
}

static int leaving_get_steps(char *buf, const struct kernel_param *param)
{
	return sysfs_emit(buf, "%s\n", leaving_steps);
}

static const struct kernel_param_ops leaving_kill_ops = {
	.set = leaving_set_kill,
};

static const struct kernel_param_ops leaving_steps_ops = {
	.set = leaving_set_steps,
	.get = leaving_get_steps,
};

module_param_named(wait, leaving_wait, bool, 0600);
module_param_named(waits, leaving_waits, bool, 0400);
module_param_named(refuse, leaving_refusal, int, 0600);
module_param_named(fail, leaving_failure, int, 0600);
module_param_cb(kill, &leaving_kill_ops, NULL, 0200);
module_param_cb(steps, &leaving_steps_ops, NULL, 0600);

static int __init leaving_init(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(leaving_probes); i++) {
		err = register_kprobe(&leaving_probes[i]);
		if (err) {
			pr_err("no probe on %s\n", leaving_probes[i].symbol_name);
			goto err_unregister;
		}
	}
	err = register_kretprobe(&leaving_add_probe);
	if (!err)
		return 0;
	pr_err("no probe on %s\n", leaving_add_probe.kp.symbol_name);

err_unregister:
	while (i--)
		unregister_kprobe(&leaving_probes[i]);
	return err;
}

static void __exit leaving_exit(void)
{
	unsigned int i;

	unregister_kretprobe(&leaving_add_probe);
	for (i = 0; i < ARRAY_SIZE(leaving_probes); i++)
		unregister_kprobe(&leaving_probes[i]);
}

module_init(leaving_init);
module_exit(leaving_exit);

MODULE_DESCRIPTION("Feather-Trace test: how wrapped lock functions are left");
MODULE_LICENSE("Dual MIT/GPL");
