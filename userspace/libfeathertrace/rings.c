// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Rings of the session: see rings.h. */
#include <sched.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "libfeathertrace/process.h"
#include "libfeathertrace/rings.h"

/* Rings kept for a process that locks its memory. */
static const __u32 keep[FT_RINGS_KINDS] = {
	[FT_RINGS_FIRST] = 64,
	[FT_RINGS_MORE] = 4,
};

/* The owner of rings that may be taken: FT_RING_FREE, or the process that reserved them. */
static __u64 unused;

static bool claim(struct ft_user_ring *r, __s32 tid)
{
	__u64 owner = __atomic_load_n(&unused, __ATOMIC_SEQ_CST);

	/* Pairs with the release of @owner: its writes are visible. */
	return __atomic_load_n(&r->owner, __ATOMIC_RELAXED) == owner &&
	       __atomic_compare_exchange_n(&r->owner, &owner,
					   FT_RING_OWNER(ft_process_index(), tid), false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static __u32 take(enum ft_session_kind kind, __s32 tid)
{
	const struct ft_session *s = ft_session;
	__u32 first = ft_session_first(s->rings, kind);
	/*
	 * Pairs with the release in run_prepare(): rings are initialised before they are
	 * counted.
	 */
	__u32 n = __atomic_load_n(&s->rings[kind].prepared, __ATOMIC_ACQUIRE);

	for (__u32 i = 0; i < n; i++) {
		struct ft_user_ring *r = ft_session_ring(s, first + i);

		/* records of the last owner may still be unread */
		if (!ft_ring_has_room(&r->ring) || !claim(r, tid))
			continue;
		r->ring.slots = ft_session_at(s, ft_session_slots_at(s->rings, first + i));
		ft_session_raise(&ft_session->rings[kind].high, i);
		return first + i + 1;
	}
	return 0;
}

/* ft_rings_shrink() waits until no thread is in here. */
__u32 ft_rings_take(enum ft_session_kind kind, __s32 tid)
{
	__u32 taken;

	ft_takers_enter();
	taken = take(kind, tid);
	ft_takers_leave();
	return taken;
}

void ft_rings_give_back(struct ft_user_ring *r)
{
	/* Pairs with the acquire in ring_read() of ft run. */
	__atomic_store_n(&r->settled, r->ring.w, __ATOMIC_RELEASE);
	/* Pairs with the acquire in claim(): the writes of this owner. */
	__atomic_store_n(&r->owner, unused, __ATOMIC_RELEASE);
}

/* --- memory that is locked ------------------------------------------------ */

#define WAIT_ROUNDS	100000

static bool wait_for_takers(void)
{
	for (unsigned int i = 0; i < WAIT_ROUNDS; i++) {
		if (!__atomic_load_n(&ft_private->takers, __ATOMIC_ACQUIRE))
			return true;
		sched_yield();
	}
	return false;
}

static void keep_back(enum ft_session_kind kind)
{
	__u32 first = ft_session_first(ft_session->rings, kind), kept = 0;
	__u32 n = __atomic_load_n(&ft_session->rings[kind].prepared, __ATOMIC_ACQUIRE);

	for (__u32 i = 0; i < n && kept < keep[kind]; i++)
		kept += claim(ft_session_ring(ft_session, first + i), -1);
}

/* Unmaps the whole pages between @begin and @end. */
static void unmap(__u64 begin, __u64 end)
{
	begin = FT_SESSION_PAGE(begin);
	end &= ~4095ull;
	if (begin < end)
		munmap(ft_session_at(ft_session, begin), end - begin);
}

static void unmap_slots(enum ft_session_kind kind)
{
	const struct ft_session_rings *rings = ft_session->rings;
	__u32 i = ft_session_first(rings, kind), end = i + rings[kind].rings;
	__u64 size = (__u64)rings[kind].slots * sizeof(struct ft_record);
	__u64 begin = ft_session_slots_at(rings, i), at = begin;

	for (; i < end; i++, at += size) {
		__u64 owner = __atomic_load_n(&ft_session_ring(ft_session, i)->owner,
					      __ATOMIC_ACQUIRE);

		if (owner == FT_RING_FREE || FT_RING_PROCESS(owner) != ft_process_index())
			continue;
		unmap(begin, at);
		begin = at + size;
	}
	unmap(begin, at);
}

void ft_rings_shrink(void)
{
	sigset_t old;

	if (!ft_session || !ft_process_join() || ft_rings_are_shrunk())
		return;
	ft_lock(&old);
	keep_back(FT_RINGS_FIRST);
	keep_back(FT_RINGS_MORE);
	__atomic_store_n(&unused, FT_RING_KEPT(ft_process_index()), __ATOMIC_SEQ_CST);
	/* A thread that was taking another ring has it by now, and it is kept. */
	if (wait_for_takers()) {
		unmap(FT_SESSION_AT_OBJECTS, FT_SESSION_AT_SLOTS);
		unmap_slots(FT_RINGS_FIRST);
		unmap_slots(FT_RINGS_MORE);
	}
	ft_unlock(&old);
}

bool ft_rings_are_shrunk(void)
{
	/* After ft_takers_enter(). */
	return __atomic_load_n(&unused, __ATOMIC_SEQ_CST) != FT_RING_FREE;
}

void ft_rings_forget(void)
{
	__atomic_store_n(&unused, FT_RING_FREE, __ATOMIC_SEQ_CST);
}
