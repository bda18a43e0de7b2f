/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * How long a loop takes: with QEMU's -icount a tick is an instruction; interrupts are
 * off, so that none of theirs are counted. "all 1000": on all CPUs at the same time,
 * for those who look at it from outside (ft_marks.h); the ticks are of one of them.
 */
#ifndef _FT_TICKS_H
#define _FT_TICKS_H

#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <asm/msr.h>

#include "ft_marks.h"

struct ft_ticks {
	void	(*loop)(u64 count);
	u64	count;
	u64	*ticks;
};

static inline void ft_ticks_here(void *arg)
{
	struct ft_ticks *t = arg;
	unsigned long flags;
	u64 start;

	local_irq_save(flags);
	start = rdtsc_ordered();
	t->loop(t->count);
	WRITE_ONCE(*t->ticks, rdtsc_ordered() - start);
	local_irq_restore(flags);
}

/* @count: how many rounds, as text; @ticks: of all. Return: 0 or an error */
static inline int ft_ticks(const char *count, void (*loop)(u64 count), u64 *ticks)
{
	size_t all = str_has_prefix(count, "all ");
	struct ft_ticks t = { .loop = loop, .ticks = ticks };
	int err = kstrtou64(count + all, 0, &t.count);

	if (err)
		return err;

	ft_mark(FT_MARK_RUN);
	if (all)
		on_each_cpu(ft_ticks_here, &t, 1);
	else
		ft_ticks_here(&t);
	return 0;
}

#endif /* _FT_TICKS_H */
