// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What happens to a TSC.
 *
 *	echo unstable >/sys/module/ft_tsc/parameters/make	as the kernel's watchdog
 *			does it; there is no way back
 *	echo distrust >/sys/module/ft_tsc/parameters/make	who asks the kernel is
 *			told that it is; and 'trust' takes that back
 *	echo restart >/sys/module/ft_tsc/parameters/make	each suspend from now on:
 *			what feather_trace has read before is more than any TSC has;
 *			'stop': it is almost what the TSC has afterwards
 *	echo backwards >/sys/module/ft_tsc/parameters/make	the TSC is less at a
 *			mutex's release than at its acquisition, if a sensor looks at
 *			the time at all; and 'forwards' takes that back
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/string.h>

#include <asm/tsc.h>

static bool tsc_stops;

/* Arguments 2 and 3 of ft_clock_is_behind() are readings; ticks stand first in each. */
static int tsc_before(struct kprobe *probe, struct pt_regs *regs)
{
	u64 *before = (u64 *)regs->si, *now = (u64 *)regs->dx;

	*before = tsc_stops ? *now - 1 : U64_MAX;
	return 0;
}

static struct kprobe tsc_probe = {
	.symbol_name	= "ft_clock_is_behind",
	.pre_handler	= tsc_before,
};

static int tsc_fake(bool stops)
{
	tsc_stops = stops;
	return tsc_probe.addr ? 0 : register_kprobe(&tsc_probe);
}

static int tsc_distrusted(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	regs_set_return_value(regs, 1);
	return 0;
}

static struct kretprobe tsc_distrust = {
	.kp.symbol_name	= "check_tsc_unstable",
	.handler	= tsc_distrusted,
};

/* What registering has found out must not be there when it is done again. */
static void tsc_trust(void)
{
	unregister_kretprobe(&tsc_distrust);
	tsc_distrust.kp.addr = NULL;
	tsc_distrust.kp.flags = 0;
}

/* Argument 5 of ft_sensor_sleep_look() is the time. */
static int tsc_fell(struct kprobe *probe, struct pt_regs *regs)
{
	regs->r8 = -BIT_ULL(40);
	return 0;
}

static struct kprobe tsc_look = {
	.symbol_name	= "ft_sensor_sleep_look",
	.pre_handler	= tsc_fell,
};

static void tsc_forwards(void)
{
	if (tsc_look.addr)
		unregister_kprobe(&tsc_look);
	tsc_look.addr = NULL;
	tsc_look.flags = 0;
}

static int tsc_make(const char *value, const struct kernel_param *param)
{
	if (sysfs_streq(value, "unstable"))
		mark_tsc_unstable("a test");
	else if (sysfs_streq(value, "distrust"))
		return register_kretprobe(&tsc_distrust);
	else if (sysfs_streq(value, "trust"))
		tsc_trust();
	else if (sysfs_streq(value, "restart"))
		return tsc_fake(false);
	else if (sysfs_streq(value, "stop"))
		return tsc_fake(true);
	else if (sysfs_streq(value, "backwards"))
		return register_kprobe(&tsc_look);
	else if (sysfs_streq(value, "forwards"))
		tsc_forwards();
	else
		return -EINVAL;
	return 0;
}

static const struct kernel_param_ops tsc_ops = {
	.set = tsc_make,
};
module_param_cb(make, &tsc_ops, NULL, 0200);

static int __init ft_tsc_init(void)
{
	return 0;
}

static void __exit ft_tsc_exit(void)
{
	if (tsc_probe.addr)
		unregister_kprobe(&tsc_probe);
	tsc_forwards();
}

module_init(ft_tsc_init);
module_exit(ft_tsc_exit);

MODULE_DESCRIPTION("Feather-Trace tests: TSCs that become unstable, or restart");
MODULE_LICENSE("Dual MIT/GPL");
