// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The clock of the records: the TSC where the kernel trusts it, for it is the
 * cheapest by far and needs no lock; else the monotonic clock in the variant
 * that an NMI may read.
 */
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "clock.h"

#ifdef CONFIG_X86_TSC
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/tsc.h>

/* The kernel marks a TSC unstable that stops, jumps, or differs between CPUs. */
static bool ft_clock_tsc_usable(void)
{
	return boot_cpu_has(X86_FEATURE_TSC) && tsc_khz && !check_tsc_unstable();
}

static u64 ft_clock_tsc_hz(void)
{
	return tsc_khz * 1000ull;
}

static u64 ft_clock_tsc_read(void)
{
	return rdtsc_ordered();
}
#else
static bool ft_clock_tsc_usable(void)
{
	return false;
}

static u64 ft_clock_tsc_hz(void)
{
	return NSEC_PER_SEC;
}

static u64 ft_clock_tsc_read(void)
{
	return 0;
}
#endif

static enum ft_clock_source ft_clock_chosen __ro_after_init;

int __init ft_clock_init(const char *name)
{
	bool usable = ft_clock_tsc_usable();

	if (!strcmp(name, "mono") || (!strcmp(name, "auto") && !usable)) {
		ft_clock_chosen = FT_CLOCK_MONO;
	} else if (!strcmp(name, "auto") || !strcmp(name, "tsc")) {
		ft_clock_chosen = FT_CLOCK_TSC;
	} else {
		pr_err("clock=%s: no such clock; use auto, tsc or mono\n", name);
		return -EINVAL;
	}

	if (ft_clock_chosen == FT_CLOCK_TSC && !usable) {
		pr_err("clock=tsc: the TSC of this machine is not usable; use clock=auto\n");
		return -ENODEV;
	}
	if (ft_clock_chosen == FT_CLOCK_MONO &&
	    ktime_get_resolution_ns() > NSEC_PER_USEC)
		pr_warn("the kernel's clock goes in steps of %u us: so coarse are times of records\n",
			ktime_get_resolution_ns() / (u32)NSEC_PER_USEC);
	return 0;
}

enum ft_clock_source ft_clock_source(void)
{
	return ft_clock_chosen;
}

void ft_clock_get(struct ft_clock *clock)
{
	u64 now, rest, whole, wall;
	u32 ns;

	clock->source = ft_clock_chosen;
	if (clock->source == FT_CLOCK_TSC) {
		clock->hz = ft_clock_tsc_hz();
		preempt_disable();
		now = ft_clock_tsc_read();
		wall = ktime_get_real_ns();
		preempt_enable();
	} else {
		clock->hz = NSEC_PER_SEC;
		preempt_disable();
		now = ktime_get_mono_fast_ns();
		wall = ktime_get_real_ns();
		preempt_enable();
	}

	/* wall = offset + now / hz: without overflow, seconds and rest apart */
	whole = div64_u64_rem(now, clock->hz, &rest);
	clock->offset_s = div_u64_rem(wall, NSEC_PER_SEC, &ns) - whole;
	clock->offset = mul_u64_u64_div_u64(ns, clock->hz, NSEC_PER_SEC);
	if (clock->offset < rest) {
		clock->offset_s--;
		clock->offset += clock->hz;
	}
	clock->offset -= rest;
}
