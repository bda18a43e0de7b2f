// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The hot path: what an enabled trigger calls. Instructions are counted here
 * (make bench), and tests/host/module looks at the compiled code: no LOCK prefix,
 * no division, no loop.
 *
 * There is a copy of the path for each way to read the clock. Choosing the way in the
 * path would cost instructions in every event; instead, turning an event on points its
 * trigger's static call at the right copy.
 *
 * The module is built without function tracing, so nothing here can recurse.
 */
#include <linux/export.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

#include <feather_trace/event.h>

#include "context.h"
#include "probe.h"

DEFINE_PER_CPU_ALIGNED(struct ft_ring, ft_ring);

/* Events of wrapped functions that are on, a bit each by id. */
static u32 ft_probe_wanted;

/* Ids are below 32; the mask is for kernels that check each shift (UBSAN). */
static __always_inline u32 ft_probe_bit(unsigned int id)
{
	return 1u << id % 32;
}

static __always_inline void ft_probe_stamp(struct ft_record *slot,
					   enum ft_clock_way way)
{
	if (way == FT_WAY_TSC)
		ft_context_stamp_tsc(slot);
	else if (way == FT_WAY_TSC_ORDERED)
		ft_context_stamp_tsc_ordered(slot);
	else
		slot->ts = ktime_get_mono_fast_ns();
}

/*
 * Preemption is off, so the CPU and its ring stay the same. Interrupts are on; they
 * write their own records between ours.
 */
static __always_inline void ft_probe_write(unsigned int id, u64 a, u64 b,
					   enum ft_clock_way way)
{
	struct ft_record *slot;
	u32 word = FT_RING_ID(id);

	slot = ft_ring_reserve(&ft_ring, &word);
	if (unlikely(!slot))
		return;

	slot->a = a;
	slot->b = b;
	ft_probe_stamp(slot, way);
	slot->tid = current->pid;
	ft_ring_commit(slot, word | FT_RING_CTX(ft_context_bits()));
}

/*
 * The clock is read in order for acquisitions; releases do not need it: other CPUs see
 * the store that releases the lock only after the RDTSC before it. What other events
 * stand for is not known, so for all of them the clock is read in order.
 */
static __always_inline void ft_probe_write_lock(unsigned int id,
						unsigned long lock,
						unsigned long ip,
						enum ft_clock_way way)
{
	if (way == FT_WAY_TSC_ORDERED && FT_ID_IS_RELEASE(id))
		way = FT_WAY_TSC;
	ft_probe_write(id, lock, ip, way);
}

/*
 * The probes of ft_event() and tracepoints, of the kernel patch, and of the hooks of
 * wrapped lock functions. Hooks call their probe with preemption on, and for a while
 * after their event is turned off.
 */
#define FT_PROBES(name, way)						\
static void ft_probe_record_##name(unsigned int id, u64 a, u64 b)	\
{									\
	preempt_disable_notrace();					\
	ft_probe_write(id, a, b, way);					\
	preempt_enable_notrace();					\
}									\
static void ft_probe_lock_##name(unsigned int event, unsigned long lock, \
				 unsigned long ip)			\
{									\
	ft_probe_write_lock(FT_ID_LOCK + event, lock, ip, way);		\
}									\
static void ft_probe_attach_##name(unsigned long lock, unsigned long ip, \
				   unsigned int id)			\
{									\
	if (READ_ONCE(ft_probe_wanted) & ft_probe_bit(id)) {		\
		preempt_disable_notrace();				\
		ft_probe_write_lock(id, lock, ip, way);			\
		preempt_enable_notrace();				\
	}								\
}

FT_PROBES(tsc, FT_WAY_TSC)
FT_PROBES(tsc_ordered, FT_WAY_TSC_ORDERED)
FT_PROBES(mono, FT_WAY_MONO)

/* The target of a trigger whose event was never on; its key is off. */
void ft_probe_none(unsigned int id, u64 a, u64 b)
{
}
EXPORT_SYMBOL_GPL(ft_probe_none);

ft_probe_t ft_probe_record(enum ft_clock_way way)
{
	static const ft_probe_t probes[] = {
		[FT_WAY_TSC]		= ft_probe_record_tsc,
		[FT_WAY_TSC_ORDERED]	= ft_probe_record_tsc_ordered,
		[FT_WAY_MONO]		= ft_probe_record_mono,
	};

	return probes[way];
}

ft_lock_probe_t ft_probe_lock(enum ft_clock_way way)
{
	static const ft_lock_probe_t probes[] = {
		[FT_WAY_TSC]		= ft_probe_lock_tsc,
		[FT_WAY_TSC_ORDERED]	= ft_probe_lock_tsc_ordered,
		[FT_WAY_MONO]		= ft_probe_lock_mono,
	};

	return probes[way];
}

ft_attach_probe_t ft_probe_attach(enum ft_clock_way way)
{
	static const ft_attach_probe_t probes[] = {
		[FT_WAY_TSC]		= ft_probe_attach_tsc,
		[FT_WAY_TSC_ORDERED]	= ft_probe_attach_tsc_ordered,
		[FT_WAY_MONO]		= ft_probe_attach_mono,
	};

	return probes[way];
}

void ft_probe_attach_want(unsigned int id, bool wanted)
{
	u32 others = ft_probe_wanted & ~ft_probe_bit(id);

	WRITE_ONCE(ft_probe_wanted, others | (wanted ? ft_probe_bit(id) : 0));
}

bool ft_probe_attach_is_wanted(void)
{
	return READ_ONCE(ft_probe_wanted);
}
