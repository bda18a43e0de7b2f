// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Takes hold of mutex_lock() as a live patch does, and changes nothing: ftrace
 * gives a function to one such user only. The module cannot be loaded if another
 * one has it.
 *
 *	cat /sys/module/ft_ipmodify/parameters/calls	how often it was called
 */
#include <linux/atomic.h>
#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/mutex.h>

static atomic64_t ipmodify_calls = ATOMIC64_INIT(0);

static void notrace ipmodify_handle(unsigned long ip, unsigned long parent,
				    struct ftrace_ops *ops,
				    struct ftrace_regs *fregs)
{
	atomic64_inc(&ipmodify_calls);
}

static struct ftrace_ops ipmodify_ops = {
	.func	= ipmodify_handle,
	.flags	= FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY,
};

static int ipmodify_get_calls(char *buf, const struct kernel_param *param)
{
	return sysfs_emit(buf, "%lld\n", atomic64_read(&ipmodify_calls));
}

static const struct kernel_param_ops ipmodify_calls_ops = {
	.get = ipmodify_get_calls,
};

module_param_cb(calls, &ipmodify_calls_ops, NULL, 0400);

static int __init ipmodify_init(void)
{
	int err;

	err = ftrace_set_filter_ip(&ipmodify_ops, (unsigned long)mutex_lock, 0, 0);
	if (err)
		return err;
	err = register_ftrace_function(&ipmodify_ops);
	if (err)
		ftrace_free_filter(&ipmodify_ops);
	return err;
}

static void __exit ipmodify_exit(void)
{
	unregister_ftrace_function(&ipmodify_ops);
	ftrace_free_filter(&ipmodify_ops);
}

module_init(ipmodify_init);
module_exit(ipmodify_exit);

MODULE_DESCRIPTION("Feather-Trace test: a user like a live patch");
MODULE_LICENSE("Dual MIT/GPL");
