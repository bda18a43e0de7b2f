// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The hot path: what an enabled trigger calls. Instructions are counted here
 * (make bench), and tests/host/module looks at the compiled code: no LOCK prefix,
 * no division, no loop.
 *
 * There is a copy of the path for each clock. A test of which one to read would
 * cost an instruction in every event; instead the triggers' static calls are
 * pointed at the right copy when events are registered.
 *
 * The module is built without function tracing, so nothing here can recurse.
 */
#include <linux/export.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

#include <feather_trace/event.h>

#include "attach.h"
#include "clock.h"
#include "context.h"
#include "probe.h"

DEFINE_PER_CPU_ALIGNED(struct ft_ring, ft_ring);

static __always_inline void ft_probe_stamp(struct ft_record *slot,
					   enum ft_clock_source source)
{
	if (source == FT_CLOCK_TSC)
		ft_context_stamp_tsc(slot);
	else
		slot->ts = ktime_get_mono_fast_ns();
}

/*
 * Preemption is off: the CPU and with it the ring stay the same. Interrupts are
 * on; whatever comes in writes its own records between ours.
 */
static __always_inline void ft_probe_write(unsigned int id, u64 a, u64 b,
					   enum ft_clock_source source)
{
	struct ft_record *slot;
	u32 word = FT_RING_ID(id);

	slot = ft_ring_reserve(&ft_ring, &word);
	if (unlikely(!slot))
		return;

	slot->a = a;
	slot->b = b;
	ft_probe_stamp(slot, source);
	slot->tid = current->pid;
	ft_ring_commit(slot, word | FT_RING_CTX(ft_context_bits()));
}

static void ft_probe_record_tsc(unsigned int id, u64 a, u64 b)
{
	preempt_disable_notrace();
	ft_probe_write(id, a, b, FT_CLOCK_TSC);
	preempt_enable_notrace();
}

static void ft_probe_record_mono(unsigned int id, u64 a, u64 b)
{
	preempt_disable_notrace();
	ft_probe_write(id, a, b, FT_CLOCK_MONO);
	preempt_enable_notrace();
}

static void ft_probe_lock_tsc(unsigned int event, unsigned long lock,
			      unsigned long ip)
{
	ft_probe_write(FT_ID_LOCK + event, lock, ip, FT_CLOCK_TSC);
}

static void ft_probe_lock_mono(unsigned int event, unsigned long lock,
			       unsigned long ip)
{
	ft_probe_write(FT_ID_LOCK + event, lock, ip, FT_CLOCK_MONO);
}

/*
 * From the hooks of wrapped lock functions: they stay there for a while when their
 * event is off, and preemption may be on.
 */
static void ft_probe_attach_tsc(unsigned long lock, unsigned long ip,
				unsigned int id)
{
	if (!ft_attach_wants(id))
		return;
	preempt_disable_notrace();
	ft_probe_write(id, lock, ip, FT_CLOCK_TSC);
	preempt_enable_notrace();
}

static void ft_probe_attach_mono(unsigned long lock, unsigned long ip,
				 unsigned int id)
{
	if (!ft_attach_wants(id))
		return;
	preempt_disable_notrace();
	ft_probe_write(id, lock, ip, FT_CLOCK_MONO);
	preempt_enable_notrace();
}

/* Where a trigger points before its event is registered; keys are off then. */
void ft_probe_none(unsigned int id, u64 a, u64 b)
{
}
EXPORT_SYMBOL_GPL(ft_probe_none);

ft_probe_t ft_probe_record(void)
{
	return ft_clock_source() == FT_CLOCK_TSC ? ft_probe_record_tsc
						 : ft_probe_record_mono;
}

ft_lock_probe_t ft_probe_lock(void)
{
	return ft_clock_source() == FT_CLOCK_TSC ? ft_probe_lock_tsc
						 : ft_probe_lock_mono;
}

ft_attach_probe_t ft_probe_attach(void)
{
	return ft_clock_source() == FT_CLOCK_TSC ? ft_probe_attach_tsc
						 : ft_probe_attach_mono;
}
