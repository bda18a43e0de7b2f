// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Makes a function of the kernel or of a module slow to begin, so that what happens
 * between two steps once in a million times happens each time.
 *
 *	insmod ft_delay.ko symbol=NAME ms=MILLISECONDS
 */
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/module.h>

static char *symbol = "";
module_param(symbol, charp, 0444);

static unsigned int ms = 10;
module_param(ms, uint, 0444);

static int delay_handler(struct kprobe *probe, struct pt_regs *regs)
{
	unsigned int i;

	for (i = 0; i < ms; i++)
		mdelay(1);
	return 0;
}

static struct kprobe delay_probe = { .pre_handler = delay_handler };

static int __init delay_init(void)
{
	delay_probe.symbol_name = symbol;
	return register_kprobe(&delay_probe);
}

static void __exit delay_exit(void)
{
	unregister_kprobe(&delay_probe);
}

module_init(delay_init);
module_exit(delay_exit);

MODULE_DESCRIPTION("Feather-Trace test: a function that begins slowly");
MODULE_LICENSE("Dual MIT/GPL");
