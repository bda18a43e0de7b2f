// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Writing a record and telling its time. Sensors that look at an event while it is traced
 * measure with the times in the records: so what they say is what a report of the trace says.
 */
#include <linux/sched.h>
#include <linux/timekeeping.h>

#include "context.h"
#include "probe.h"
#include "watch/timed.h"

static u64 ft_timed_now(enum ft_clock_way way)
{
	if (way == FT_WAY_TSC)
		return ft_context_tsc();
	if (way == FT_WAY_TSC_ORDERED)
		return ft_context_tsc_ordered();
	return ktime_get_mono_fast_ns();
}

/*
 * The clock is read after all reservations, so that records which interrupt this one have
 * the earlier time in each ring.
 */
u64 ft_timed_record(unsigned int id, u64 a, u64 b, enum ft_clock_way way)
{
	const u8 sessions = ft_probe_announced(id);
	struct ft_record *slot[FT_SESSIONS];
	u32 word[FT_SESSIONS], context;
	unsigned int i;
	u64 ts;

	for (i = 0; i < FT_SESSIONS; i++) {
		word[i] = FT_RING_ID(id);
		slot[i] = sessions & BIT(i) ? ft_ring_reserve(&ft_ring[i], &word[i]) : NULL;
	}
	ts = ft_timed_now(way);
	context = FT_RING_CTX(ft_context_bits());
	for (i = 0; i < FT_SESSIONS; i++) {
		if (!slot[i])
			continue;
		slot[i]->a = a;
		slot[i]->b = b;
		slot[i]->ts = ts;
		slot[i]->tid = current->pid;
		ft_ring_commit(slot[i], word[i] | context);
	}
	return ts;
}
