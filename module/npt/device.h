/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The non-preempt test with interrupts off: the loop, and its device. See
 * <linux/feather_trace_npt.h>.
 *
 * A file may define ft_npt_work(number, begin) before it includes this; each turn then does it:
 * the modules that compare tracers (tests/modules/ft_npt_event.c, ft_npt_point.c).
 */
#ifndef _FT_NPT_DEVICE_H
#define _FT_NPT_DEVICE_H

#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/irqflags.h>
#include <linux/math64.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/time64.h>
#include <linux/uaccess.h>
#include <asm/msr.h>
#include <asm/tsc.h>

#include <uapi/linux/feather_trace_npt.h>

#ifndef ft_npt_work
#define ft_npt_work(number, begin)	do { } while (0)
#endif

/* What a call needs, all of it in memory before the loop begins. */
struct ft_npt_state {
	u64			ticks;
	struct ft_npt		call;
	struct ft_npt_turn	*longs;
	u64			bin[FT_NPT_BINS];
};

static unsigned int ft_npt_bin(u64 length)
{
	unsigned int shift;

	if (length < BIT(FT_NPT_BITS))
		return length;
	shift = 63 - __builtin_clzll(length) - FT_NPT_BITS;
	return (shift << FT_NPT_BITS) + (length >> shift);
}

static void ft_npt_add_square(u64 sum[2], u64 length)
{
	u64 low = length * length;

	sum[0] += low;
	sum[1] += mul_u64_u64_shr(length, length, 64) + (sum[0] < low);
}

static void ft_npt_count(struct ft_npt_state *s, u64 begin, u64 end)
{
	u64 length = end - begin;

	s->bin[ft_npt_bin(length)]++;
	s->call.turns++;
	s->call.sum += length;
	ft_npt_add_square(s->call.squares, length);
	s->call.min = min(s->call.min, length);
	if (length > s->call.max) {
		s->call.max = length;
		s->call.max_begin = begin;
	}
	if (length < s->call.limit)
		return;
	if (s->call.n_long < s->call.room)
		s->longs[s->call.n_long] = (struct ft_npt_turn){ begin, end };
	s->call.n_long++;
	s->call.long_sum += length;
}

static void ft_npt_loop(struct ft_npt_state *s, u64 turns)
{
	unsigned long flags;
	u64 last, next;

	local_irq_save(flags);
	s->call.begin = rdtsc();
	for (last = s->call.begin; s->call.turns < turns && s->call.sum < s->ticks; last = next) {
		ft_npt_work(s->call.turns, last);
		next = rdtsc();
		ft_npt_count(s, last, next);
	}
	local_irq_restore(flags);
}

static int ft_npt_answer(struct ft_npt_state *s, void __user *arg)
{
	u32 n = min(s->call.n_long, s->call.room);

	if (copy_to_user(u64_to_user_ptr(s->call.longs), s->longs, n * sizeof(*s->longs)) ||
	    copy_to_user(u64_to_user_ptr(s->call.bins), s->bin, sizeof(s->bin)) ||
	    copy_to_user(arg, &s->call, sizeof(s->call)))
		return -EFAULT;
	return 0;
}

static int ft_npt_run(struct ft_npt_state *s, void __user *arg)
{
	u64 turns;
	int err;

	if (copy_from_user(&s->call, arg, sizeof(s->call)))
		return -EFAULT;
	turns = s->call.turns;
	if (!s->call.ns || s->call.ns > FT_NPT_NS_MAX || !turns || s->call.room > FT_NPT_ROOM_MAX)
		return -EINVAL;
	s->longs = kvcalloc(s->call.room + 1, sizeof(*s->longs), GFP_KERNEL);
	if (!s->longs)
		return -ENOMEM;
	s->ticks = div_u64(s->call.ns * tsc_khz, USEC_PER_SEC);
	s->call.turns = 0;
	s->call.n_long = 0;
	s->call.long_sum = 0;
	s->call.sum = 0;
	s->call.min = U64_MAX;
	s->call.max = 0;
	memset(s->call.squares, 0, sizeof(s->call.squares));
	ft_npt_loop(s, turns);
	err = ft_npt_answer(s, arg);
	kvfree(s->longs);
	return err;
}

static long ft_npt_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct ft_npt_state *s;
	int err;

	if (cmd != FT_IOC_NPT)
		return -ENOTTY;
	s = kvzalloc(sizeof(*s), GFP_KERNEL);
	if (!s)
		return -ENOMEM;
	err = ft_npt_run(s, (void __user *)arg);
	kvfree(s);
	return err;
}

/* Keeping interrupts off can stop a machine. */
static int ft_npt_open(struct inode *inode, struct file *file)
{
	return capable(CAP_SYS_ADMIN) ? 0 : -EPERM;
}

static const struct file_operations ft_npt_fops = {
	.owner		= THIS_MODULE,
	.open		= ft_npt_open,
	.unlocked_ioctl	= ft_npt_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.llseek		= noop_llseek,
};

static struct miscdevice ft_npt_device = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "ft_npt",
	.fops	= &ft_npt_fops,
	.mode	= 0600,
};

#endif /* _FT_NPT_DEVICE_H */
