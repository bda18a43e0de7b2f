// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The flight recorder: the rings always hold the latest records.
 *
 * Writers work as in any recording. The recorder releases the oldest records early enough
 * to keep a quarter of each ring free. If a burst fills this quarter between two rounds,
 * the rest of the burst is lost and counted.
 *
 * A thread can have several rings, of which the first is small. Once a record is released,
 * all earlier records of the same thread, in whichever ring, are useless: a trace with them
 * would have a gap that nothing shows. So the recorder keeps, for each thread, the time of
 * the latest record that it released (the cut), and a snapshot leaves out all records up
 * to that time.
 */
#include <stdlib.h>

#include "libfeathertrace/session_init.h"
#include "record/program/run.h"

static void note_cut(struct map *cuts, const struct run_stream *s)
{
	uint64_t old = (uintptr_t)map_get(cuts, (__u32)s->cut_tid);

	if (s->cut > old)
		map_put(cuts, (__u32)s->cut_tid, (void *)(uintptr_t)s->cut);
}

/* If the snapshot being taken has not copied this ring yet, the release affects it, too. */
static void stream_note(struct run *run, const struct run_stream *s)
{
	note_cut(&run->cuts, s);
	if (run->freezing && !s->is_frozen)
		note_cut(&run->freezing->cuts, s);
}

/* Note the times of records about to be released. Programs can write anything: check them. */
static void look_at_released(struct run *run, struct run_stream *s, __u32 count)
{
	__u64 pos = s->ring.r, latest = run_clock_latest(&run->clock);

	for (; count--; pos += sizeof(struct ft_record)) {
		const struct ft_record *r = ft_ring_slot(&s->ring, pos);
		__s32 tid = ft_any_load(&r->tid);
		__u64 ts = ft_any_load(&r->ts);

		if (ts > latest)
			continue;
		if (tid != s->cut_tid) {
			stream_note(run, s);
			s->cut_tid = tid;
		}
		s->cut = ts;
	}
}

static void meet_owner(struct run *run, __u32 i)
{
	const struct ft_user_ring *shared = ft_session_ring(run->session, i);
	__u64 owner = ft_any_load(&shared->owner), w = ft_any_load(&shared->ring.w);
	__u64 lost = ft_any_load(&shared->ring.lost);
	struct run_stream *s = &run->streams[i];

	if (owner == s->met) {
		s->starves |= lost != s->met_lost || (w && ft_any_load(&shared->waits) == w);
		return;
	}
	s->met = owner;
	s->met_lost = lost;
	s->starves = false;
	if (owner != FT_RING_FREE && owner != FT_RING_READER && FT_RING_TID(owner) > 0)
		run_thread_met(run, owner);
}

/* --- a thread's small ring, and the larger one that it took next ---------- */

static void find_larger(struct run *run)
{
	const struct ft_session_rings *first = &run->rings[FT_RINGS_FIRST];

	for (__u32 i = 0; i < first->high; i++)
		run->streams[i].larger = 0;
	for (__u32 i = 0; i < run->rings[FT_RINGS_MORE].high; i++) {
		__u32 larger = ft_session_first(run->rings, FT_RINGS_MORE) + i;
		const struct ft_user_ring *r = ft_session_ring(run->session, larger);
		__u32 small = ft_any_load(&r->next);

		if (small && small <= first->high && ft_any_load(&r->owner) ==
		    ft_any_load(&ft_session_ring(run->session, small - 1)->owner))
			run->streams[small - 1].larger = larger + 1;
	}
}

/* When the owner's larger ring last released a record of it; or 0. */
static __u64 larger_cut(const struct run *run, __u32 i)
{
	__u64 owner = ft_any_load(&ft_session_ring(run->session, i)->owner);
	__u32 larger = run->streams[i].larger;
	const struct run_stream *s;

	if (!larger)
		return 0;
	s = &run->streams[larger - 1];
	return s->cut_tid == FT_RING_TID(owner) ? s->cut : 0;
}

/*
 * A small ring need not be trimmed while its owner can find a larger ring when this one is
 * full, or has found one that still holds all of its records. Nor after its owner's end, while
 * threads find others: the end of a program is no reason to lose the beginning of its history.
 */
static bool may_be_full(const struct run *run, __u32 i)
{
	const struct ft_user_ring *shared = ft_session_ring(run->session, i);
	const struct ft_session_rings *first = &run->rings[FT_RINGS_FIRST];

	if (!run->rings[FT_RINGS_MORE].rings ||
	    ft_session_kind(run->rings, i) != FT_RINGS_FIRST)
		return false;
	if (ft_any_load(&shared->owner) == FT_RING_FREE)
		return first->high <= first->rings / 2;
	return run->streams[i].larger ? !larger_cut(run, i) : !run->streams[i].starves;
}

/* --- releasing ------------------------------------------------------------ */

/* How many records to release. @w comes from shared memory and may be invalid. */
static __u32 excess(const struct run *run, __u32 i, __u64 w)
{
	const struct ft_ring *ring = &run->streams[i].ring;
	__u64 used = w - ring->r, keep = run_flight_keep(ring);

	if (used > ring->mask + 1)
		used = ring->mask + 1;
	if (used <= keep || may_be_full(run, i))
		return 0;
	return (__u32)((used - keep) / sizeof(struct ft_record));
}

static void release(struct run *run, __u32 i, __u32 count)
{
	struct run_stream *s = &run->streams[i];

	look_at_released(run, s, count);
	ft_ring_release(&s->ring, count);
	ft_session_give_back(run->session, i, &s->ring);
}

/* Release the records that are older than the larger ring's cut. */
static void release_cut(struct run *run, __u32 i)
{
	const struct ft_ring *ring = &run->streams[i].ring;
	__u64 cut = larger_cut(run, i);
	__u32 ready = cut ? ft_ring_ready(ring, RUN_SLOTS) : 0, n = 0;

	while (n < ready && ft_any_load(&ft_ring_slot(ring, ring->r + n *
						      sizeof(struct ft_record))->ts) <= cut)
		n++;
	if (n)
		release(run, i, n);
}

/* Losses up to a time are forgotten once records of that time are released. */
static void forget_lost(struct run *run, __u32 i)
{
	struct run_stream *s = &run->streams[i];
	__u64 cut = larger_cut(run, i);

	if (cut < s->cut)
		cut = s->cut;
	if (cut < s->next_time)
		return;
	s->forgotten = s->next_forgotten;
	s->next_forgotten = run_ring_lost(run, i);
	/* Read the clock after the count: every loss counted happened before this time. */
	s->next_time = run_clock_now(&run->clock);
}

static void ring_trim(struct run *run, __u32 i)
{
	struct ft_user_ring *shared = ft_session_ring(run->session, i);
	struct run_stream *s = &run->streams[i];
	__u64 w = ft_any_load(&shared->ring.w), settled;
	__u32 want, count;

	release_cut(run, i);
	while ((want = excess(run, i, w))) {
		/* Pairs with the release in ft_rings_give_back(): read it before the slots. */
		settled = ft_load_acquire(&shared->settled);
		count = ft_ring_ready(&s->ring, want);
		if (count)
			release(run, i, count);
		else if (!run_hole(run, i, settled))
			break;
	}
	forget_lost(run, i);
}

void run_flight_trim(struct run *run)
{
	__u32 i;

	find_larger(run);
	run_for_each_ring(run, i) {
		meet_owner(run, i);
		ring_trim(run, i);
	}
}

__u64 run_flight_window(const struct run *run)
{
	__u64 begin = 0;
	__u32 i;

	run_for_each_ring(run, i) {
		if (run->streams[i].cut > begin)
			begin = run->streams[i].cut;
	}
	return begin;
}

void run_flight_note(struct run *run)
{
	__u32 i;

	run_for_each_ring(run, i)
		note_cut(&run->cuts, &run->streams[i]);
}

bool run_flight_is_cut(const struct run *run, const struct ft_record *r)
{
	return run->cuts.used &&
	       r->ts <= (uintptr_t)map_get(&run->cuts, (__u32)r->tid);
}
