/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Time and interrupt context of a record, in as few instructions as the
 * architecture has. Included by probe.c only.
 */
#ifndef _FT_CONTEXT_H
#define _FT_CONTEXT_H

#include <linux/build_bug.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <uapi/linux/feather_trace.h>

#include "compat.h"

#ifdef CONFIG_X86_TSC
#include <asm/msr.h>
#include <asm/tsc.h>

/*
 * The TSC is read as two halves and stored as two halves: joining them first would take
 * one more instruction. The record is not published yet, so no reader sees it in
 * between.
 *
 * RDTSC is not ordered with what is in front of it. The xadd of the ring was made
 * by this CPU, and what the reader mends is the order of records, not of memory
 * accesses; but see ft_context_stamp_tsc_ordered().
 */
static __always_inline void ft_context_stamp_tsc(struct ft_record *slot)
{
	u32 *half = (u32 *)&slot->ts;

	asm volatile("rdtsc" : "=a" (half[0]), "=d" (half[1]));
}

/*
 * The same, but not before what is in front of it has finished. A lock's atomic
 * instruction that waits for a cache line is overtaken by a plain RDTSC: then the
 * acquisition seems to come before the release that it waited for.
 */
static __always_inline void ft_context_stamp_tsc_ordered(struct ft_record *slot)
{
	slot->ts = rdtsc_ordered();
}

/* For several records of one event. */
static __always_inline u64 ft_context_tsc(void)
{
	return rdtsc();
}

static __always_inline u64 ft_context_tsc_ordered(void)
{
	return rdtsc_ordered();
}

/* A time in two halves, not joined: the second one is what ft_context_tsc_since() reads. */
static __always_inline void ft_context_keep_tsc(u64 *ts)
{
	u32 *half = (u32 *)ts, low, high;

	asm volatile("rdtsc" : "=a" (low), "=d" (high));
	WRITE_ONCE(half[0], low);
	WRITE_ONCE(half[1], high);
}

/*
 * How long ago that was, in two halves as well: loads of halves need not wait until stores of
 * halves have reached the cache. Operations of 32 bits clear the rest. Return: whether @high is 0.
 */
static __always_inline bool ft_context_tsc_since(const u64 *ts, u64 *low, u64 *high)
{
	const u32 *half = (const u32 *)ts;
	bool is_short;

	asm volatile("rdtsc\n\t"
		     "subl %[then_low], %k[low]\n\t"
		     "sbbl %[then_high], %k[high]"
		     : [low] "=&a" (*low), [high] "=&d" (*high), "=@ccz" (is_short)
		     : [then_low] "m" (half[0]), [then_high] "m" (half[1]));
	return is_short;
}
#else
static __always_inline void ft_context_keep_tsc(u64 *ts)
{
	WRITE_ONCE(*ts, 0);
}

static __always_inline bool ft_context_tsc_since(const u64 *ts, u64 *low, u64 *high)
{
	*low = 0;
	*high = 0;
	return true;
}

static __always_inline void ft_context_stamp_tsc(struct ft_record *slot)
{
}

static __always_inline u64 ft_context_tsc(void)
{
	return 0;
}

static __always_inline u64 ft_context_tsc_ordered(void)
{
	return 0;
}

static __always_inline void ft_context_stamp_tsc_ordered(struct ft_record *slot)
{
}
#endif

/*
 * preempt_count has eight bits of hardirq and NMI nesting side by side. The bit that
 * says a softirq is served is further down in it; on PREEMPT_RT it is the task's,
 * whose counter has bits at the same places.
 */
static __always_inline u32 ft_context_bits(void)
{
#ifdef FT_PREEMPT_COUNT
	/* As a number: some kernels declare it in %gs's own address space. */
	const u8 *count = (const u8 *)(uintptr_t)&FT_PREEMPT_COUNT;
	u32 bits;

	/* The softirq bit into the carry, and from there below the others. */
	asm("btl %[softirq], " FT_SOFTIRQ_SEGMENT "%[softirqs]\n\t"
	    "movzbl %%gs:%[irqs], %k[bits]\n\t"
	    "adcb %b[bits], %b[bits]"
	    : [bits] "=q" (bits)
	    : [softirq] "i" (SOFTIRQ_SHIFT),
	      [softirqs] "m" (FT_SOFTIRQ_COUNT(count)),
	      [irqs] "m" (count[HARDIRQ_SHIFT / 8])
	    : "cc");
	return bits;
#else
	return (in_serving_softirq() ? FT_CTX_SOFTIRQ : 0) |
	       ((preempt_count() >> (HARDIRQ_SHIFT - 1)) &
		(FT_CTX_HARDIRQ | FT_CTX_NMI));
#endif
}

/* What the code above takes for granted. */
static_assert(HARDIRQ_MASK << 1 >> HARDIRQ_SHIFT == FT_CTX_HARDIRQ);
static_assert(((NMI_MASK << 1 >> HARDIRQ_SHIFT) & 0xff) == FT_CTX_NMI);
static_assert(HARDIRQ_SHIFT % 8 == 0);

#endif /* _FT_CONTEXT_H */
