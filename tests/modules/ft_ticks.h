/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * How long a loop takes: with QEMU's -icount a tick is an instruction; interrupts are
 * off, so that none of theirs are counted.
 */
#ifndef _FT_TICKS_H
#define _FT_TICKS_H

#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <asm/msr.h>

/* @count: how many rounds, as text; @ticks: of all. Return: 0 or an error */
static inline int ft_ticks(const char *count, void (*loop)(u64 count), u64 *ticks)
{
	unsigned long flags;
	u64 start, n;
	int err;

	err = kstrtou64(count, 0, &n);
	if (err)
		return err;

	local_irq_save(flags);
	start = rdtsc_ordered();
	loop(n);
	*ticks = rdtsc_ordered() - start;
	local_irq_restore(flags);
	return 0;
}

#endif /* _FT_TICKS_H */
