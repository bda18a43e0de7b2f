// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Which instructions are executed.
 *
 *	echo 'FUNCTION OFFSET' >/sys/module/ft_hits/parameters/watch	one more; up to 8
 *	cat /sys/module/ft_hits/parameters/watch	lines "FUNCTION OFFSET HITS"
 *	echo >/sys/module/ft_hits/parameters/watch	none any more
 *
 * Not in what a kprobe itself does: spinlocks.
 */
#include <linux/atomic.h>
#include <linux/kprobes.h>
#include <linux/module.h>

#define HITS_MAX	8

static struct hits {
	struct kprobe	probe;
	char		function[64];
	atomic_t	count;
} hits[HITS_MAX];
static unsigned int hits_watched;

static int hits_one(struct kprobe *probe, struct pt_regs *regs)
{
	atomic_inc(&container_of(probe, struct hits, probe)->count);
	return 0;
}

static void hits_stop(void)
{
	while (hits_watched)
		unregister_kprobe(&hits[--hits_watched].probe);
}

static int hits_watch(const char *value, const struct kernel_param *param)
{
	struct hits *hit = &hits[hits_watched];
	unsigned int offset;
	int err;

	if (*value == '\n') {
		hits_stop();
		return 0;
	}
	if (hits_watched == HITS_MAX)
		return -ENOSPC;
	memset(hit, 0, sizeof(*hit));
	if (sscanf(value, "%63s %x", hit->function, &offset) != 2)
		return -EINVAL;
	hit->probe.symbol_name = hit->function;
	hit->probe.offset = offset;
	hit->probe.pre_handler = hits_one;
	err = register_kprobe(&hit->probe);
	if (!err)
		hits_watched++;
	return err;
}

static int hits_get(char *buffer, const struct kernel_param *param)
{
	unsigned int i;
	int size = 0;

	for (i = 0; i < hits_watched; i++)
		size += scnprintf(buffer + size, PAGE_SIZE - size, "%s %#x %d\n",
				  hits[i].function, hits[i].probe.offset,
				  atomic_read(&hits[i].count));
	return size;
}

static const struct kernel_param_ops hits_ops = {
	.set = hits_watch,
	.get = hits_get,
};
module_param_cb(watch, &hits_ops, NULL, 0600);

static int __init hits_init(void)
{
	return 0;
}

static void __exit hits_exit(void)
{
	hits_stop();
}

module_init(hits_init);
module_exit(hits_exit);

MODULE_DESCRIPTION("Feather-Trace tests: which instructions are executed");
MODULE_LICENSE("Dual MIT/GPL");
