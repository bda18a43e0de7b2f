/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The ring: records from many nested contexts of one CPU to one reader.
 *
 *                 r                        w
 *                 |                        |
 *     +----+----+----+----+----+----+----+----+----+----+----+----+
 *     |  free   | ready to be read  | .. |      free      | RESERVE |
 *     +----+----+----+----+----+----+----+----+----+----+----+----+
 *                                     ^                   ^
 *                       reserved, being filled          limit
 *
 * Who writes. A ring belongs to one CPU (in the kernel) or to one thread (in
 * user space). Its writers are the contexts that interrupt each other there:
 * task, softirq, hardirq, NMI; or a thread and its signal handlers. They nest:
 * one that interrupts another finishes first. So no two of them ever run at
 * the same time, and one instruction that cannot be cut in two by an interrupt
 * is all the atomicity they need: no LOCK prefix, no retry, no loop.
 *
 * Positions. @w and @r count bytes and only grow; a slot is found by masking
 * them.
 *
 * Writing. A writer looks whether there is room, reserves a slot by adding to
 * @w, takes the time, fills the slot and publishes it with one store: the id.
 *
 *     if (w >= limit) { lost++; return; }	room?
 *     slot = &slots[xadd(&w, 32) & mask]	reserve
 *     slot->ts = clock; slot->... = ...	fill
 *     store_release(slot->{id, ctx, gap})	publish
 *
 * A free slot has id 0, which is no event. The reader takes records until it
 * meets one, and writes the zeroes back before it moves @limit. So nobody keeps
 * a count of finished records, which nested writers could not do without
 * looking at each other: slots become ready in any order, and are read in the
 * order of @w. And the writer, whose instructions count, need not compute a mark
 * that differs from one round to the next.
 *
 * RESERVE. The look at @limit and the xadd are two instructions. A writer that
 * found the last free slot can be interrupted between them by another that
 * finds it, too. Each level of nesting can do this once, so up to (levels - 1)
 * slots are taken beyond @limit; FT_RING_RESERVE slots are kept for them.
 * tests/model/ proves it, and that one fewer is not enough.
 *
 * Time. The clock is read after the reservation. A writer A interrupted in
 * between by B gets the earlier slot and the later time:
 *
 *     A reserves 7 ... B reserves 8, takes time 100, publishes ... A takes 101
 *
 * The reader mends it: going backwards, no record may be later than the one
 * after it. 7 becomes 100, which is also the truth, for A's event came before
 * B's. To mend the last records of a batch it looks beyond the batch's end, at
 * up to (levels - 1) records, as B can have been interrupted in the same place,
 * and so on. It stops at a record that is not ready: were it inside a ready one
 * it would have been finished first. (Taking the clock before the reservation
 * would turn the inversion round, not remove it.)
 *
 * Accounting. Every attempt either reserves a slot or adds one to @lost, or finds
 * the ring closed, which counts nothing; every reserved slot is published and
 * read. Hence attempts = records + lost, exactly. As a closed ring looks full at
 * first, a writer without room looks a second time, off the straight path: what
 * it finds then is what the attempt counts as. One look would not do: the ring
 * may be opened between it and the count, and a refusal be taken for a loss.
 *
 * Gaps. A count of losses does not say where they were, and a release that
 * follows a lost release and acquire looks like the end of a long critical
 * section. So each record carries the low bits of @gaps, which grows with the
 * first loss or refusal at a position. If a context missed something between two
 * records of its own, two neighbours between them (or they themselves) differ;
 * and if nothing is missing, none do. A context that was interrupted on its way to count
 * a loss can make it grow later or twice.
 *
 * Two orders matter. A record takes @gaps before it reserves, so what all
 * records before @w carry is older than any loss at @w. And a loss first makes
 * @gaps grow, then notes in @gap_w that it has: others that lose at @w find the
 * note and rely on it, while the one that left it may stand still for long.
 *
 * And @gap_w never goes back: no loss that is counted is at a later position, so a
 * reader that has passed @gap_w has passed them all. A context that lost at w0 may be
 * interrupted before it says so, and by the time it goes on others have lost at w1 > w0.
 * If it finds their note it leaves it: they came after its look at @w, so @gaps has
 * grown since. If they come after its last look at the note, its exchange, which is one
 * instruction, finds another value and stores nothing.
 *
 * The idea of slots reserved by one fetch-and-add and published by a mark in
 * the slot is Feather-Trace's (Brandenburg and Anderson, OSPERT 2007); per-CPU
 * rings take the place of its global buffer, and the room check that of its
 * second atomic operation.
 *
 * This header is freestanding: the kernel module and user space compile the
 * same text. It needs types, and the instructions and barriers of ring_access.h.
 */
#ifndef _FEATHER_TRACE_RING_H
#define _FEATHER_TRACE_RING_H

#ifdef __KERNEL__
#include <linux/cache.h>
#include <uapi/linux/feather_trace.h>
#else
#include <linux/feather_trace.h>
#endif
#include <feather_trace/ring_access.h>

/*
 * Slots beyond the limit. There are fewer levels that can nest on a CPU: task,
 * softirq, hardirq, debug exception, NMI, machine check.
 */
#ifndef FT_RING_RESERVE
#define FT_RING_RESERVE		8u
#endif

/* Records beyond the end of a batch that can still change its timestamps. */
#ifndef FT_RING_LOOKAHEAD
#define FT_RING_LOOKAHEAD	(FT_RING_RESERVE - 1)
#endif

#define FT_RING_MIN_SLOTS	16u
#define FT_RING_CACHELINE	64

/**
 * struct ft_ring - a ring and its two ends
 * @w:		bytes reserved, and where it began; the writers' own
 * @lost:	attempts that found no room; the writers' own
 * @gap_w:	position of the latest gap, only grows; the writers' own
 * @gaps:	how many gaps, times FT_RING_GAP; the writers' own
 * @slots:	the memory, (@mask + 1) bytes; constant while writers may run
 * @mask:	size in bytes - 1; constant while writers may run
 * @limit:	writers stop here; written by the reader only; 0: closed
 * @r:		bytes given back to the writers; the reader's own
 * @open:	whether writers are let in; the reader's own
 *
 * The two ends lie on different cache lines: the reader's work costs a writer
 * at most one miss a batch, when @limit has moved.
 */
struct ft_ring {
	__u64			w;
	__u64			lost;
	__u64			gap_w;
	__u32			gaps;
	struct ft_record	*slots;
	__u64			mask;

	__u64			limit __attribute__((aligned(FT_RING_CACHELINE)));
	__u64			r;
	__u32			open;
} __attribute__((aligned(FT_RING_CACHELINE)));

/*
 * What publishes a record is one word: id, ctx and gap, side by side as in struct
 * ft_record. A gap more must not reach the other two, so it has the upper bits.
 */
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "struct ft_record has its gap in the upper bits of a little-endian word"
#endif
#define FT_RING_ID(id)		((__u32)(id))
#define FT_RING_CTX(ctx)	((__u32)(ctx) << 16)
#define FT_RING_GAP		0x01000000u

typedef __u32 __attribute__((may_alias)) ft_ring_word;

/* The same with the tid above it, which fills the word of 64 bits. */
typedef __u64 __attribute__((may_alias)) ft_ring_words;

/* A limit that no position is below: open, but without memory. */
#define FT_RING_NO_MEMORY	1

/* --- writers -------------------------------------------------------------- */

/*
 * Note that something is missing at position @w, or leave a later note: see "Gaps" above.
 * @gaps before @gap_w: an interrupt between them counts the same gap again, but the other
 * way round it would not be counted for what the interrupt loses and then records.
 */
static __always_inline void ft_ring_note_gap(struct ft_ring FT_OWN *ring, __u64 w)
{
	__u64 noted;

	/* Compared in memory: most losses end here, and the exchange needs a look of its own. */
	if (ft_own_load(ring->gap_w) >= w)
		return;
	ft_own_inc(ring->gaps, FT_RING_GAP);
	noted = ft_own_reload(ring->gap_w);
	if (noted < w)
		ft_own_cmpxchg(ring->gap_w, noted, w);
}

/*
 * There seemed to be no room. Look again whether the ring is closed, or still full. Return:
 * whether there is room.
 */
static __always_inline int ft_ring_look_again(struct ft_ring FT_OWN *ring)
{
	__u64 limit = ft_own_reload(ring->limit);
	__u64 w = ft_own_reload(ring->w);

	if (w < limit)
		return 1;

	ft_ring_note_gap(ring, w);
	if (limit)
		ft_own_inc(ring->lost, 1);
	return 0;
}

/* Reserves the next slot, where there is room for it. */
static __always_inline struct ft_record *ft_ring_take(struct ft_ring FT_OWN *ring)
{
	struct ft_record *slot;
	__u64 pos;

	pos = ft_own_add(ring->w, sizeof(*slot)) & ft_own_const(ring->mask);
	slot = (struct ft_record *)((char *)ft_own_const(ring->slots) + pos);

	/* Saves the caller's test for NULL on this path. */
	if (!slot)
		__builtin_unreachable();
	return slot;
}

/* The next slot, where there is room for it. */
static __always_inline struct ft_record *
ft_ring_next(struct ft_ring FT_OWN *ring, __u32 *word)
{
	/* Before the addition: see "Gaps" above. */
	*word |= ft_own_load(ring->gaps);
	return ft_ring_take(ring);
}

/**
 * ft_ring_reserve() - take the next slot
 * @ring:	the ring of this CPU or thread
 * @word:	the beginning of what ft_ring_commit() is to be told: FT_RING_ID(),
 *		FT_RING_CTX(), or 0; this adds the gap
 *
 * Wait-free: a fixed number of instructions, no loop. The linearisation point
 * is the addition to @w, which also fixes the order of the records; where there
 * is no room, the second look at @limit.
 *
 * The caller fills all of the slot but its id, ctx and gap, and then calls
 * ft_ring_commit(), without leaving the CPU or the thread. It may be interrupted
 * at any instruction by others that do the same.
 *
 * Context: any (NMI, signal handler). In the kernel with preemption disabled.
 * Return: the slot, or NULL if the ring is full or closed; if it is full, the
 * loss is counted.
 */
static __always_inline struct ft_record *
ft_ring_reserve(struct ft_ring FT_OWN *ring, __u32 *word)
{
	__u64 w = ft_own_load(ring->w);

	/*
	 * Pairs with the release of @limit in ft_ring_release(): the reader is
	 * done with the slot before it is filled again. In the kernel the
	 * control dependency from this load to the stores is enough.
	 */
	if (unlikely(w >= ft_own_load_limit(ring->limit)) &&
	    !ft_ring_look_again(ring))
		return NULL;
	return ft_ring_next(ring, word);
}

/**
 * ft_ring_has_room() - will ft_ring_reserve() find a slot?
 * @ring:	a ring of this CPU or thread
 *
 * Nobody else makes the answer wrong: contexts that interrupt the caller may, by at most
 * the slots that FT_RING_RESERVE is for.
 */
static __always_inline int ft_ring_has_room(struct ft_ring FT_OWN *ring)
{
	/* The barrier is that of ft_ring_reserve(). */
	return ft_own_load(ring->w) < ft_own_load_limit(ring->limit);
}

/**
 * ft_ring_reserve_or() - take the next slot, or another ring
 * @ring:	as for ft_ring_reserve()
 * @word:	the same
 *
 * As ft_ring_reserve(), but where there is no room nothing is lost yet, nor counted: the
 * caller has another ring, or asks ft_ring_reserve().
 */
static __always_inline struct ft_record *
ft_ring_reserve_or(struct ft_ring FT_OWN *ring, __u32 *word)
{
	return likely(ft_ring_has_room(ring)) ? ft_ring_next(ring, word) : NULL;
}

/**
 * ft_ring_commit() - publish a filled slot
 * @slot:	what ft_ring_reserve() returned
 * @word:	FT_RING_ID() of the event, not 0; FT_RING_CTX() of the context,
 *		FT_CTX_*; and what ft_ring_reserve() added
 *
 * Wait-free: one store. After it the reader sees the whole record; before it,
 * nothing.
 *
 * Context: as for ft_ring_reserve().
 */
static __always_inline void ft_ring_commit(struct ft_record *slot, __u32 word)
{
	/* Pairs with the acquire in ft_ring_is_ready(): content, then id. */
	ft_store_release((ft_ring_word *)&slot->id, word);
}

/**
 * ft_ring_is_in_time() - may the record of a slot have a time that was read before?
 * @ring:	the ring, of which ft_ring_reserve() has returned
 * @slot:	this one
 * @ts:		the time
 *
 * It may unless the record before it is later. That one's time can be relied on if it is
 * published: all before it are not later, or will be made so by ft_ring_ready(). If it is not, it
 * is free, or the caller has interrupted its writer: then nothing is known, and the caller has to
 * read the clock. The reader writes to no record whose follower is not published but its id.
 *
 * Wait-free. Context: as for ft_ring_reserve(). Return: 0: it may not, or is not known to.
 */
static __always_inline int ft_ring_is_in_time(struct ft_ring FT_OWN *ring,
					      const struct ft_record *slot, __u64 ts)
{
	const char *slots = (const char *)ft_own_const(ring->slots);
	const struct ft_record *before;
	__u64 pos = (__u64)((const char *)slot - slots) - sizeof(*slot);

	before = (const struct ft_record *)(slots + (pos & ft_own_const(ring->mask)));
	return ft_any_load(&before->id) && ft_any_load(&before->ts) <= ts;
}

/*
 * One record in several rings. Slots of all rings are reserved before any is published,
 * and to hold a word of each costs registers, so the slot holds it: the gap, beside an
 * id of 0, which readers take for a free slot. Then id, ctx and tid, which are the same
 * in all rings, are one addition to memory each.
 */

/**
 * ft_ring_begin() - take the next slot of a ring that has room
 * @ring:	a ring of this CPU or thread, of which ft_ring_has_room()
 *
 * As ft_ring_reserve(), but ft_ring_finish() publishes the slot.
 */
static __always_inline struct ft_record *ft_ring_begin(struct ft_ring FT_OWN *ring)
{
	/* Before the addition: see "Gaps" above. */
	__u64 gap = ft_own_load(ring->gaps);
	struct ft_record *slot = ft_ring_take(ring);

	ft_any_store((ft_ring_words *)&slot->id, gap);
	return slot;
}

/* What ft_ring_finish() adds; @word: FT_RING_ID() and FT_RING_CTX(). */
static __always_inline __u64 ft_ring_last(__u32 word, __s32 tid)
{
	return (__u64)(__u32)tid << 32 | word;
}

/**
 * ft_ring_finish() - publish a filled slot
 * @slot:	what ft_ring_begin() returned; all but its id, ctx, gap and tid is filled
 * @last:	ft_ring_last()
 *
 * Wait-free: one store. As ft_ring_commit().
 */
static __always_inline void ft_ring_finish(struct ft_record *slot, __u64 last)
{
	/* Pairs with the acquire in ft_ring_is_ready(): content, then id. */
	ft_own_publish((ft_ring_words *)&slot->id, last);
}

/* --- the reader ----------------------------------------------------------- */

/**
 * ft_ring_slot() - the slot of a position
 * @ring:	the ring
 * @pos:	position in bytes, as in @ring->r
 *
 * Return: the slot; it may be read if ft_ring_ready() counted it.
 */
static inline struct ft_record *
ft_ring_slot(const struct ft_ring *ring, __u64 pos)
{
	return (struct ft_record *)((char *)ring->slots + (pos & ring->mask));
}

/* Is the record of position @pos published? Then its content may be read. */
static inline int ft_ring_is_ready(const struct ft_ring *ring, __u64 pos)
{
	/* Pairs with the release in ft_ring_commit(): id, then content. */
	return ft_load_acquire(&ft_ring_slot(ring, pos)->id) != 0;
}

/**
 * ft_ring_ready() - how many records can be read now
 * @ring:	the ring
 * @max:	no more than this
 *
 * Mends the timestamps of these records, in place: ready slots are the reader's
 * until they are released. Over all batches they never decrease, if the clock
 * does not.
 *
 * Lock-free for the reader, of no consequence to writers. Readers exclude each
 * other. Time: proportional to the result.
 *
 * Return: the number of records from @ring->r on, at most @max. Calling again
 * before ft_ring_release() returns at least as many.
 */
static inline __u32 ft_ring_ready(const struct ft_ring *ring, __u32 max)
{
	__u64 r = ring->r, end = r, top;
	struct ft_record *next, *prev;
	__u32 count;

	/* The whole ring may be ready; its first slot must not be met again. */
	top = (__u64)max + FT_RING_LOOKAHEAD;
	if (top > (ring->mask + 1) / sizeof(*next))
		top = (ring->mask + 1) / sizeof(*next);
	top = r + top * sizeof(*next);

	while (end != top && ft_ring_is_ready(ring, end))
		end += sizeof(*next);

	count = (__u32)((end - r) / sizeof(*next));

	if (count) {
		for (end -= sizeof(*next); end != r; end -= sizeof(*next)) {
			next = ft_ring_slot(ring, end);
			prev = ft_ring_slot(ring, end - sizeof(*next));
			if (prev->ts > next->ts)
				prev->ts = next->ts;
		}
	}

	return count < max ? count : max;
}

/**
 * ft_ring_release() - give slots back to the writers
 * @ring:	the ring
 * @count:	how many, from @ring->r on; at most what ft_ring_ready() returned
 *
 * Readers exclude each other. The slots must not be looked at afterwards.
 *
 * @r moves first: should the reader die on the way, the slots between @limit
 * and @r are those that are to be cleared.
 */
static inline void ft_ring_release(struct ft_ring *ring, __u32 count)
{
	__u64 pos = ring->r;

	/* Pairs with the acquire in ft_ring_used(): @w is never behind @r. */
	ft_store_release(&ring->r, pos + (__u64)count * sizeof(struct ft_record));
	for (; pos != ring->r; pos += sizeof(struct ft_record))
		ft_any_store(&ft_ring_slot(ring, pos)->id, 0);

	/* Pairs with the load of @limit in ft_ring_reserve(). */
	if (ft_any_load(&ring->open))
		ft_store_release(&ring->limit, ring->r + ring->mask + 1 -
				 FT_RING_RESERVE * sizeof(struct ft_record));
}

/**
 * ft_ring_trim() - release the oldest records of a ring without a reader
 * @ring:	the ring
 * @keep:	leave so many records
 * @max:	release no more than this
 * @ts:		out: the last one's timestamp, if any is released
 *
 * To the ring this is a reader, which takes what it does not look at. It makes room that
 * writers need soon, so that they always find some: the flight recorder. Readers exclude
 * each other. Time: proportional to the result. Return: how many were released.
 */
static inline __u32 ft_ring_trim(struct ft_ring *ring, __u64 keep, __u32 max, __u64 *ts)
{
	__u64 used = (ft_any_load(&ring->w) - ring->r) / sizeof(struct ft_record);
	__u32 count;

	if (used <= keep)
		return 0;
	count = ft_ring_ready(ring, used - keep < max ? (__u32)(used - keep) : max);
	if (count) {
		*ts = ft_ring_slot(ring, ring->r +
				   (__u64)(count - 1) * sizeof(struct ft_record))->ts;
		ft_ring_release(ring, count);
	}
	return count;
}

/**
 * ft_ring_used() - roughly how many records are waiting
 * @ring:	the ring
 *
 * From any context, without exclusion; counts reserved slots, too.
 */
static inline __u64 ft_ring_used(const struct ft_ring *ring)
{
	/* @r first, or the reader could overtake what was seen of @w. */
	__u64 r = ft_load_acquire(&ring->r);

	return (ft_any_load(&ring->w) - r) / sizeof(struct ft_record);
}

/* --- set-up --------------------------------------------------------------- */

/**
 * ft_ring_init() - give a ring its memory
 * @ring:	the ring; closed or all zeroes, no writer under way, no reader
 * @slots:	the memory, zeroed, aligned to 32 bytes; or NULL
 * @count:	how many slots, a power of two, at least FT_RING_MIN_SLOTS; or 0
 *
 * The ring is closed: attempts are refused until ft_ring_restart(). Without
 * memory they are lost from then on.
 *
 * Positions begin one round up, so that they are never below a limit of
 * FT_RING_NO_MEMORY.
 */
static inline void ft_ring_init(struct ft_ring *ring, struct ft_record *slots,
				__u32 count)
{
	ring->slots = slots;
	ring->mask = (__u64)count * sizeof(*slots) - 1;
	ring->w = ring->mask + 1 + !count;
	ring->gap_w = 0;
	ring->r = ring->w;
	ft_any_store(&ring->open, 0);
	ft_store_release(&ring->limit, 0);
}

/**
 * ft_ring_close() - let no more records in
 * @ring:	the ring
 *
 * Attempts from now on are refused, and not counted; those under way still
 * finish. What is in the ring can be read and released. Excludes readers.
 */
static inline void ft_ring_close(struct ft_ring *ring)
{
	ft_any_store(&ring->open, 0);
	ft_store_release(&ring->limit, 0);
}

/**
 * ft_ring_open() - let records in
 * @ring:	the ring
 *
 * What is in the ring stays. Excludes readers.
 */
static inline void ft_ring_open(struct ft_ring *ring)
{
	ft_any_store(&ring->open, 1);
	if (ring->slots)
		ft_ring_release(ring, 0);
	else
		ft_store_release(&ring->limit, FT_RING_NO_MEMORY);
}

/**
 * ft_ring_clear() - forget what is in a closed ring
 * @ring:	the ring; closed, and no writer under way
 *
 * Positions go on, and so does @lost, as only its writers may change it: who
 * counts by the trace keeps its value at the start. Excludes readers.
 */
static inline void ft_ring_clear(struct ft_ring *ring)
{
	ft_ring_release(ring, (__u32)ft_ring_used(ring));
}

/**
 * ft_ring_restart() - forget what is in a closed ring and open it
 * @ring:	as for ft_ring_clear()
 */
static inline void ft_ring_restart(struct ft_ring *ring)
{
	ft_ring_clear(ring);
	ft_ring_open(ring);
}

#endif /* _FEATHER_TRACE_RING_H */
