// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The clock of the records: the TSC if the kernel trusts it, because it costs least
 * by far and needs no lock; otherwise the monotonic clock, in the variant that an NMI
 * may read.
 */
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "clock.h"
#include "grace.h"

#ifdef CONFIG_X86_TSC
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/tsc.h>

/* The kernel marks the TSC unstable if it stops, jumps, or differs between CPUs. */
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

/* How often clock and wall clock are compared at the start of a trace. */
#define FT_CLOCK_TRIES	16

/* The values of the module's parameter. */
static enum { FT_CLOCK_WANT_AUTO, FT_CLOCK_WANT_TSC, FT_CLOCK_WANT_MONO }
	ft_clock_wanted __ro_after_init;

/* Guarded by ft_trace_mutex. */
static enum ft_clock_way ft_clock_chosen;	/* last */
static struct ft_grace *ft_clock_grace;		/* between TSC and monotonic clock, or NULL */

static int ft_clock_judge(bool ordered, enum ft_clock_way *way)
{
	if (ft_clock_wanted == FT_CLOCK_WANT_MONO)
		*way = FT_WAY_MONO;
	else if (ft_clock_tsc_usable())
		*way = ordered ? FT_WAY_TSC_ORDERED : FT_WAY_TSC;
	else if (ft_clock_wanted == FT_CLOCK_WANT_AUTO)
		*way = FT_WAY_MONO;
	else
		return -ENODEV;
	return 0;
}

int __init ft_clock_init(const char *name)
{
	if (!strcmp(name, "auto")) {
		ft_clock_wanted = FT_CLOCK_WANT_AUTO;
	} else if (!strcmp(name, "tsc")) {
		ft_clock_wanted = FT_CLOCK_WANT_TSC;
	} else if (!strcmp(name, "mono")) {
		ft_clock_wanted = FT_CLOCK_WANT_MONO;
	} else {
		pr_err("clock=%s: no such clock; use auto, tsc or mono\n", name);
		return -EINVAL;
	}

	if (ft_clock_judge(false, &ft_clock_chosen)) {
		pr_err("clock=tsc: this machine's TSC is not reliable; use clock=auto\n");
		return -ENODEV;
	}
	if (ft_clock_chosen == FT_WAY_MONO &&
	    ktime_get_resolution_ns() > NSEC_PER_USEC)
		pr_warn("the kernel's clock advances in steps of %u us: records have times of this resolution\n",
			ktime_get_resolution_ns() / (u32)NSEC_PER_USEC);
	return 0;
}

/*
 * A task that was preempted in a probe of the previous trace, before it disabled
 * preemption, would write a record with the other clock's time. No trace runs, and none begins
 * with the TSC from now on.
 */
static int ft_clock_change(void)
{
	struct ft_grace *grace = ft_clock_grace;

	if (!grace) {
		grace = ft_grace_new();
		if (!grace)
			return -ENOMEM;
		pr_notice("the TSC has become unstable: records now have the time of the kernel's monotonic clock\n");
		ft_grace_begin(grace);
		/* Pairs with the acquire in ft_clock_settle(). */
		smp_store_release(&ft_clock_grace, grace);
	}
	return ft_grace_is_over(grace) ? 0 : -EINPROGRESS;
}

int ft_clock_settle(void)
{
	/* Pairs with the release in ft_clock_change(). */
	struct ft_grace *grace = smp_load_acquire(&ft_clock_grace);

	return grace ? ft_grace_wait(grace) : 0;
}

void ft_clock_exit(void)
{
	ft_grace_free(ft_clock_grace);
}

int ft_clock_choose(bool ordered, bool others, enum ft_clock_way *way)
{
	int err;

	if (ft_clock_judge(ordered, way)) {
		pr_err("clock=tsc: the TSC has become unstable; load the module with clock=auto\n");
		return -EOPNOTSUPP;
	}
	/* One probe may write records of several traces, with one reading of the clock. */
	if (others) {
		if (ft_clock_chosen == FT_WAY_MONO)
			*way = FT_WAY_MONO;
		else
			*way = ordered ? FT_WAY_TSC_ORDERED : FT_WAY_TSC;
		return 0;
	}

	if (*way == FT_WAY_MONO && ft_clock_chosen != FT_WAY_MONO) {
		err = ft_clock_change();
		if (err)
			return err;
	}
	ft_clock_chosen = *way;
	return 0;
}

enum ft_clock_way ft_clock_default(void)
{
	return ft_clock_chosen;
}

bool ft_clock_is_unstable(const struct ft_clock *clock)
{
	return clock->source == FT_CLOCK_TSC && !ft_clock_tsc_usable();
}

u64 ft_clock_now(const struct ft_clock *clock)
{
	return clock->source == FT_CLOCK_TSC ? ft_clock_tsc_read() :
					       ktime_get_mono_fast_ns();
}

void ft_clock_look(const struct ft_clock *clock, struct ft_clock_look *look)
{
	look->ticks = ft_clock_now(clock);
	look->ns = ktime_get_boottime_ns();
}

/*
 * The kernel may read the length of a suspend from the RTC, which counts whole seconds:
 * so 2 s are no difference, nor is 1/1024, for a clock with a lower frequency than it
 * states. If the kernel has no RTC either, its own time is behind.
 */
noinline bool ft_clock_is_behind(const struct ft_clock *clock,
				 const struct ft_clock_look *before,
				 const struct ft_clock_look *now)
{
	u64 expected = mul_u64_u64_div_u64(now->ns - before->ns, clock->hz,
					   NSEC_PER_SEC);

	return now->ticks < before->ticks ||
	       now->ticks - before->ticks + 2 * clock->hz + (expected >> 10) <
	       expected;
}

/*
 * Reads the clock and the wall clock at one moment: of several tries it takes the one
 * with the shortest time between the readings, because interrupts, and hosts of virtual
 * machines, may delay any of them.
 */
static void ft_clock_compare(const struct ft_clock *clock, u64 *now, u64 *wall)
{
	u64 before, real, width, best = U64_MAX;
	int i;

	for (i = 0; i < FT_CLOCK_TRIES; i++) {
		before = ft_clock_now(clock);
		real = ktime_get_real_ns();
		width = ft_clock_now(clock) - before;
		if (width < best) {
			best = width;
			*now = before + width / 2;
			*wall = real;
		}
	}
}

void ft_clock_get(struct ft_clock *clock, enum ft_clock_way way)
{
	u64 now = 0, wall = 0, rest, whole;
	u32 ns;

	clock->source = way == FT_WAY_MONO ? FT_CLOCK_MONO : FT_CLOCK_TSC;
	clock->ordered = way != FT_WAY_TSC;
	clock->hz = clock->source == FT_CLOCK_TSC ? ft_clock_tsc_hz() :
						    NSEC_PER_SEC;
	ft_clock_compare(clock, &now, &wall);

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
