/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Spinning for a known time. */
#ifndef _FT_SPIN_H
#define _FT_SPIN_H

#include <linux/processor.h>
#include <linux/timekeeping.h>

/*
 * At least so long by the kernel's clock. Not udelay(): that is calibrated in a moment of the
 * boot, and an emulator that was interrupted then makes all of its delays too short.
 */
static inline void ft_spin_us(unsigned int us)
{
	u64 end = ktime_get_ns() + us * NSEC_PER_USEC;

	while (ktime_get_ns() < end)
		cpu_relax();
}

#endif /* _FT_SPIN_H */
