// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Makes a function of the kernel or of a module slow to begin, or to return, so that what
 * happens between two steps once in a million times happens each time.
 *
 *	insmod ft_delay.ko symbol=NAME ms=MILLISECONDS [at_return=1] [until_signal=1]
 *
 * until_signal: no longer than until its task is sent a signal.
 */
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched/signal.h>

static char *symbol = "";
module_param(symbol, charp, 0444);

static unsigned int ms = 10;
module_param(ms, uint, 0444);

static bool at_return;
module_param(at_return, bool, 0444);

static bool until_signal;
module_param(until_signal, bool, 0444);

/* How many wait at the moment: a test that is to do something meanwhile looks at it. */
static unsigned int waiting;
module_param(waiting, uint, 0444);

static atomic_t waiters = ATOMIC_INIT(0);

static int delay(void)
{
	unsigned int i;

	WRITE_ONCE(waiting, atomic_inc_return(&waiters));
	for (i = 0; i < ms && !(until_signal && signal_pending(current)); i++)
		mdelay(1);
	WRITE_ONCE(waiting, atomic_dec_return(&waiters));
	return 0;
}

static int delay_handler(struct kprobe *probe, struct pt_regs *regs)
{
	return delay();
}

static int delay_return_handler(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	return delay();
}

static struct kprobe delay_probe = { .pre_handler = delay_handler };
static struct kretprobe delay_return_probe = { .handler = delay_return_handler };

static int __init delay_init(void)
{
	delay_probe.symbol_name = symbol;
	delay_return_probe.kp.symbol_name = symbol;
	return at_return ? register_kretprobe(&delay_return_probe) :
			   register_kprobe(&delay_probe);
}

static void __exit delay_exit(void)
{
	if (at_return)
		unregister_kretprobe(&delay_return_probe);
	else
		unregister_kprobe(&delay_probe);
}

module_init(delay_init);
module_exit(delay_exit);

MODULE_DESCRIPTION("Feather-Trace test: a function that begins or returns slowly");
MODULE_LICENSE("Dual MIT/GPL");
