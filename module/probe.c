// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The hot path: what an enabled trigger calls. Instructions are counted here
 * (make bench), and tests/host/module looks at the compiled code: no LOCK prefix,
 * no division, no loop.
 *
 * There is a copy of the path for each session, whose rings it addresses directly, and
 * for each way to read the clock. Choosing in the path would cost instructions in every
 * event; instead, turning an event on points its trigger's static call at the right copy.
 * The same holds for each set of sessions.
 *
 * The module is built without function tracing, so nothing here can recurse.
 */
#include <linux/bitops.h>
#include <linux/export.h>
#include <linux/log2.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

#include <feather_trace/event.h>

#include "context.h"
#include "probe.h"

DEFINE_PER_CPU_ALIGNED(struct ft_ring, ft_ring[FT_SESSIONS]);

/* In which sessions an event is on, a bit each. */
static u8 ft_probe_sessions[FT_ID_MAX + 1];

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
					   unsigned int session,
					   enum ft_clock_way way)
{
	u32 word = FT_RING_ID(id);
	struct ft_record *slot;

	slot = ft_ring_reserve(&ft_ring[session], &word);
	if (unlikely(!slot))
		return;

	slot->a = a;
	slot->b = b;
	ft_probe_stamp(slot, way);
	slot->tid = current->pid;
	ft_ring_commit(slot, word | FT_RING_CTX(ft_context_bits()));
}

/* The same into the rings of several sessions, one after the other, each with its own time. */
static __always_inline void ft_probe_write_each(unsigned int id, u64 a, u64 b, u8 sessions,
						enum ft_clock_way way)
{
	const u32 all = FT_RING_ID(id) | FT_RING_CTX(ft_context_bits());
	const s32 tid = current->pid;
	struct ft_record *slot;
	unsigned int i;
	u32 word;

	/* No loop: addresses are constants. */
#pragma GCC unroll 8
	for (i = 0; i < FT_SESSIONS; i++) {
		if (!(sessions & BIT(i)))
			continue;
		word = all;
		slot = ft_ring_reserve(&ft_ring[i], &word);
		if (unlikely(!slot))
			continue;
		slot->a = a;
		slot->b = b;
		ft_probe_stamp(slot, way);
		slot->tid = tid;
		ft_ring_commit(slot, word);
	}
}

/*
 * The same out of line, if one of the rings has no room. It takes the caller's sessions, not
 * those in which the event is on by now: while one of them ends, a ring that is open gets all
 * records or counts them as lost, whether or not another one is full.
 */
#define FT_PROBE_APART(name, way)					\
static noinline void ft_probe_apart_##name(unsigned int id, u64 a, u64 b, \
					   u8 sessions)			\
{									\
	ft_probe_write_each(id, a, b, sessions, way);			\
}

FT_PROBE_APART(tsc, FT_WAY_TSC)
FT_PROBE_APART(ordered, FT_WAY_TSC_ORDERED)

/*
 * Into the rings of two sessions. The clock is read once, and so after both
 * reservations: in each ring, records that interrupt this one have the earlier time.
 * If a ring has no room, the other one gets its record apart. Both slots are kept in registers.
 */
static __always_inline void ft_probe_write_two(unsigned int id, u64 a, u64 b,
					       unsigned int one, unsigned int two,
					       enum ft_clock_way way)
{
	u32 word = FT_RING_ID(id), word_two = FT_RING_ID(id), ctx;
	struct ft_record *slot, *slot_two;
	s32 tid;
	u64 ts;

	if (unlikely(!ft_ring_has_room(&ft_ring[one]) ||
		     !ft_ring_has_room(&ft_ring[two]))) {
		if (way == FT_WAY_TSC)
			ft_probe_apart_tsc(id, a, b, BIT(one) | BIT(two));
		else
			ft_probe_apart_ordered(id, a, b, BIT(one) | BIT(two));
		return;
	}
	slot = ft_ring_next(&ft_ring[one], &word);
	slot->a = a;
	slot->b = b;
	slot_two = ft_ring_next(&ft_ring[two], &word_two);
	slot_two->a = a;
	slot_two->b = b;
	ts = way == FT_WAY_TSC ? ft_context_tsc() : ft_context_tsc_ordered();
	slot->ts = ts;
	slot_two->ts = ts;
	tid = current->pid;
	slot->tid = tid;
	slot_two->tid = tid;
	ctx = FT_RING_CTX(ft_context_bits());
	ft_ring_commit(slot, word | ctx);
	ft_ring_commit(slot_two, word_two | ctx);
}

/*
 * The same for more sessions, a constant. There are not enough registers, so slots hold the
 * gaps until they are published: ft_ring_begin(). Each session more costs 13 instructions.
 */
static __always_inline void ft_probe_write_set(unsigned int id, u64 a, u64 b,
					       const u8 sessions, enum ft_clock_way way)
{
	/* In a kernel that clears all variables, an array without {} would be in memory. */
	struct ft_record *slot[FT_SESSIONS] = {};
	unsigned int i;
	u64 ts, last;

#pragma GCC unroll 8
	for (i = 0; i < FT_SESSIONS; i++)
		if (sessions & BIT(i) && unlikely(!ft_ring_has_room(&ft_ring[i])))
			goto apart;
#pragma GCC unroll 8
	for (i = 0; i < FT_SESSIONS; i++) {
		if (!(sessions & BIT(i)))
			continue;
		slot[i] = ft_ring_begin(&ft_ring[i]);
		slot[i]->a = a;
		slot[i]->b = b;
	}
	ts = way == FT_WAY_TSC ? ft_context_tsc() : ft_context_tsc_ordered();
	last = ft_ring_last(FT_RING_ID(id) | FT_RING_CTX(ft_context_bits()), current->pid);
#pragma GCC unroll 8
	for (i = 0; i < FT_SESSIONS; i++) {
		if (!(sessions & BIT(i)))
			continue;
		slot[i]->ts = ts;
		ft_ring_finish(slot[i], last);
	}
	return;
apart:
	if (way == FT_WAY_TSC)
		ft_probe_apart_tsc(id, a, b, sessions);
	else
		ft_probe_apart_ordered(id, a, b, sessions);
}

/*
 * The clock is read in order for acquisitions; releases do not need it: other CPUs see
 * the store that releases the lock only after the RDTSC before it. The meaning of other events is
 * not known, so the clock is read in order for all of them.
 */
enum ft_clock_way ft_probe_way(unsigned int id, enum ft_clock_way way)
{
	return way == FT_WAY_TSC_ORDERED && FT_ID_IS_LOCK(id) && FT_ID_IS_RELEASE(id) ?
	       FT_WAY_TSC : way;
}

/* The probes of all triggers: ft_event(), tracepoints, locks. */
#define FT_PROBES(session, name, way)					\
static void ft_probe_record_##session##_##name(unsigned int id, u64 a, u64 b) \
{									\
	preempt_disable_notrace();					\
	ft_probe_write(id, a, b, session, way);				\
	preempt_enable_notrace();					\
}

#define FT_PROBES_OF(session)						\
	FT_PROBES(session, tsc, FT_WAY_TSC)				\
	FT_PROBES(session, ordered, FT_WAY_TSC_ORDERED)			\
	FT_PROBES(session, mono, FT_WAY_MONO)

#define FT_EACH_SESSION(do)						\
	do(0) do(1) do(2) do(3) do(4) do(5) do(6) do(7)

FT_EACH_SESSION(FT_PROBES_OF)
static_assert(FT_SESSIONS == 8);

/* The probes of an event that is on in several sessions: two hexadecimal digits, a bit each. */
#define FT_PROBE_SET(high, low, name, way)				\
static void ft_probe_set_##high##low##_##name(unsigned int id, u64 a, u64 b) \
{									\
	const u8 set = 0x##high##low;					\
									\
	preempt_disable_notrace();					\
	if (hweight8(set) == 2)						\
		ft_probe_write_two(id, a, b, __ffs(set), ilog2(set), way); \
	else								\
		ft_probe_write_set(id, a, b, set, way);			\
	preempt_enable_notrace();					\
}

#define FT_PROBE_SET_OF(high, low)					\
	FT_PROBE_SET(high, low, tsc, FT_WAY_TSC)			\
	FT_PROBE_SET(high, low, ordered, FT_WAY_TSC_ORDERED)

#define FT_EACH_LOW_OF_NONE(of, high)					\
	of(high, 3) of(high, 5) of(high, 6) of(high, 7)			\
	of(high, 9) of(high, a) of(high, b) of(high, c)			\
	of(high, d) of(high, e) of(high, f)
#define FT_EACH_LOW_OF_ONE(of, high)					\
	of(high, 1) of(high, 2) of(high, 4) of(high, 8)			\
	FT_EACH_LOW_OF_NONE(of, high)
#define FT_EACH_LOW(of, high)						\
	of(high, 0) FT_EACH_LOW_OF_ONE(of, high)

/* All sets of at least two. */
#define FT_EACH_SET(of)							\
	FT_EACH_LOW_OF_NONE(of, 0)					\
	FT_EACH_LOW_OF_ONE(of, 1) FT_EACH_LOW_OF_ONE(of, 2)		\
	FT_EACH_LOW(of, 3) FT_EACH_LOW_OF_ONE(of, 4)			\
	FT_EACH_LOW(of, 5) FT_EACH_LOW(of, 6) FT_EACH_LOW(of, 7)	\
	FT_EACH_LOW_OF_ONE(of, 8)					\
	FT_EACH_LOW(of, 9) FT_EACH_LOW(of, a) FT_EACH_LOW(of, b)	\
	FT_EACH_LOW(of, c) FT_EACH_LOW(of, d) FT_EACH_LOW(of, e)	\
	FT_EACH_LOW(of, f)

FT_EACH_SET(FT_PROBE_SET_OF)

static void ft_probe_each_mono(unsigned int id, u64 a, u64 b)
{
	preempt_disable_notrace();
	ft_probe_write_each(id, a, b, READ_ONCE(ft_probe_sessions[id]), FT_WAY_MONO);
	preempt_enable_notrace();
}

/* The target of a trigger whose event was never on, and of hooks whose event is off. */
void ft_probe_none(unsigned int id, u64 a, u64 b)
{
}
EXPORT_SYMBOL_GPL(ft_probe_none);

/* --- which of them -------------------------------------------------------- */

/*
 * Entries of the tables. Reading the monotonic clock costs so much that to read it once for
 * several sessions saves little.
 */
#define FT_WAYS(kind)							\
{									\
	[FT_WAY_TSC]		= kind##_tsc,				\
	[FT_WAY_TSC_ORDERED]	= kind##_ordered,			\
	[FT_WAY_MONO]		= kind##_mono,				\
}
#define FT_PROBE_WAYS		(FT_WAY_MONO + 1)

#define FT_RECORD_ENTRY(session)					\
	[BIT(session)] = FT_WAYS(ft_probe_record_##session),
#define FT_SET_ENTRY(high, low)						\
	[0x##high##low] = {						\
		[FT_WAY_TSC]		= ft_probe_set_##high##low##_tsc, \
		[FT_WAY_TSC_ORDERED]	= ft_probe_set_##high##low##_ordered, \
		[FT_WAY_MONO]		= ft_probe_each_mono,		\
	},

/* By the sessions, a bit each. */
static const ft_probe_t ft_probe_records[1 << FT_SESSIONS][FT_PROBE_WAYS] = {
	[0] = { ft_probe_none, ft_probe_none, ft_probe_none },
	FT_EACH_SESSION(FT_RECORD_ENTRY)
	FT_EACH_SET(FT_SET_ENTRY)
};

ft_probe_t ft_probe_record(u8 sessions, enum ft_clock_way way)
{
	return ft_probe_records[sessions][way];
}

void ft_probe_announce(unsigned int id, u8 sessions)
{
	WRITE_ONCE(ft_probe_sessions[id], sessions);
}

u8 ft_probe_announced(unsigned int id)
{
	return READ_ONCE(ft_probe_sessions[id]);
}
