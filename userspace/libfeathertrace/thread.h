/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The path of an event in a program, from a thread to its ring. No lock, no system call,
 * no allocation, no loop, except at the thread's first event.
 *
 * Both libraries compile this text; the thread's state is the same for both.
 */
#ifndef FT_LIBFEATHERTRACE_THREAD_H
#define FT_LIBFEATHERTRACE_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "libfeathertrace/session.h"

/**
 * struct ft_thread - what a thread needs for an event
 * @ring:	where to write, if *@guard says so; never NULL
 * @guard:	points to a word that is @ring as long as @ring may be written to at
 *		once
 * @tag:	marks the addresses of this process, already shifted
 * @tid:	its number
 *
 * The word lies in memory that the kernel wipes in a child (MADV_WIPEONFORK), however
 * that was made: a child has no ring, and never writes to one of its parent. After
 * vfork() the memory is the parent's: the child writes as the parent's thread that waits
 * for it.
 */
struct ft_thread {
	struct ft_ring		*ring;
	struct ft_ring *const	*guard;
	__u64			tag;
	__s32			tid;
};

/* Static TLS has room for so few bytes, even if dlopen() loads the library. */
extern __thread struct ft_thread ft_thread
	__attribute__((tls_model("initial-exec")));

/*
 * Finds the thread's variables. Work before the clock counts twice: it does not overlap
 * with the clock, and each dependent load is 5 cycles of the 25 that an event takes. One
 * load can be saved: the variables' offset from the thread pointer is the same for all
 * threads, but only the loader knows it, so it is read from memory each time.
 * ft_text_relax() writes it into the instructions, when a traced process begins, as the
 * linker does in a program without libraries.
 *
 * Such an address is relative: *(__seg_fs *) adds the thread pointer. Sanitizers do not
 * understand that.
 */
#if defined(__x86_64__) && defined(__SEG_FS) && \
	!defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define FT_THREAD_RELAX

typedef const __seg_fs struct ft_thread ft_thread_here;

static __always_inline ft_thread_here *ft_thread_find(void)
{
	ft_thread_here *here;

	__asm__("1:	mov ft_thread@gottpoff(%%rip), %0\n"
		"	.pushsection ft_relax, \"a\", @progbits\n"
		"	.balign 4\n"
		"	.long 1b - .\n"
		"	.popsection\n"
		: "=r" (here));
	return here;
}
#else
typedef const struct ft_thread ft_thread_here;

static __always_inline ft_thread_here *ft_thread_find(void)
{
	return &ft_thread;
}
#endif

#define FT_THREAD_AHEAD	8	/* records */

/* Flags of an event: which of its words are addresses, to be marked with the process. */
#define FT_MARK_A	1u
#define FT_MARK_B	2u
/*
 * The event follows an atomic instruction, such as the one that takes a lock. The clock
 * waits for that instruction, and the next atomic instruction for the clock; work before
 * the clock overlaps with that wait. For other events, work after the clock overlaps.
 */
#define FT_BEHIND_ATOMIC	4u

/*
 * An event that does not find a slot at once: the thread's first, or one without a
 * session, or where the clock takes a call, or the ring is full. @marks: FT_MARK_*.
 */
void ft_thread_slow(__u32 id, __u64 a, __u64 b, __u32 marks);

struct ft_sense;

/** ft_thread_sense - count a value. Context: any, signal handlers too. */
void ft_thread_sense(const struct ft_sense *sense, __u64 value);

/** ft_thread_places - the first index in ft_private.threads that was never used */
extern __u32 ft_thread_places;

/** ft_thread_forget - take the ring from every thread; the caller holds ft_lock() */
void ft_thread_forget(void);

/** ft_thread_begin - give this thread a ring. Return: false if none is free. */
bool ft_thread_begin(void);

/** ft_thread_slow_clock - the clock takes a call: it could not be put in order */
void ft_thread_slow_clock(void);

/* Whether a thread is traced, and if not, why not. */
enum ft_stop {
	FT_STOP_NOT,
	FT_STOP_CLOCK,		/* it may not read the clock any more */
	FT_STOP_TWIN,		/* a child runs with its thread-local variables */
};

/**
 * ft_thread_stop - from now on the calling thread is not traced, or is again
 *
 * Return: what it was before.
 */
enum ft_stop ft_thread_stop(enum ft_stop why);

bool ft_thread_is_stopped(void);

/** ft_thread_stop_later - nor are threads that have no ring yet, and children */
void ft_thread_stop_later(void);

#if defined(__x86_64__)
#define ft_thread_clock()	__builtin_ia32_rdtsc()
#else
#define ft_thread_clock()	0	/* never alive: see ft_process_join() */
#endif

/*
 * The clock behind an atomic instruction. As it stands it is read before that one has
 * finished, up to a cache line's way from another CPU too early. If the user asks for an
 * ordered clock, ft_text_order() replaces this RDTSC, which has a prefix without effect,
 * by RDTSCP, which waits for all loads before it, and is as long.
 */
#if defined(__x86_64__)
static __always_inline __u64 ft_thread_clock_behind(void)
{
	__u32 low, high;

	__asm__ volatile("1:	.byte 0x3e, 0x0f, 0x31\n"
			 "	.pushsection ft_ordered, \"a\", @progbits\n"
			 "	.balign 4\n"
			 "	.long 1b - .\n"
			 "	.popsection\n"
			 : "=a" (low), "=d" (high) : : "ecx", "memory");
	return (__u64)high << 32 | low;
}
#else
#define ft_thread_clock_behind()	ft_thread_clock()
#endif

/*
 * The clock as the CPU returns it, in two registers. Joining them takes two
 * instructions, which cost more before an atomic instruction than two stores after it.
 */
struct ft_stamp {
	__u32	low, high;
};

static __always_inline struct ft_stamp ft_thread_stamp(void)
{
	struct ft_stamp stamp = { 0, 0 };

#if defined(__x86_64__)
	__asm__ volatile("rdtsc" : "=a" (stamp.low), "=d" (stamp.high) : : "memory");
#endif
	return stamp;
}

static __always_inline void ft_stamp_store(struct ft_stamp stamp, struct ft_record *slot)
{
	__builtin_memcpy((char *)&slot->ts, &stamp.low, sizeof(stamp.low));
	__builtin_memcpy((char *)&slot->ts + sizeof(stamp.low), &stamp.high,
			 sizeof(stamp.high));
}

/*
 * The reader's CPU has the ring's cache lines by now. Fetching one takes as long as
 * several events, and the next atomic instruction, such as that of an unlock, waits for
 * all stores: so prefetch some records ahead. Beyond the end of the ring this does no
 * harm.
 */
static __always_inline void ft_thread_prefetch(const struct ft_record *slot)
{
#if defined(__x86_64__)
	__asm__ volatile("prefetchw %0" : : "m" (slot[FT_THREAD_AHEAD]));
#else
	__builtin_prefetch(slot + FT_THREAD_AHEAD, 1);
#endif
}

static __always_inline void
ft_thread_fill(struct ft_record *slot, ft_thread_here *t, __u64 a, __u64 b, __u32 marks)
{
	slot->tid = t->tid;
	slot->a = marks & FT_MARK_A ? a | t->tag : a;
	slot->b = marks & FT_MARK_B ? b | t->tag : b;
}

static __always_inline void
ft_thread_put(ft_thread_here *t, struct ft_record *slot, __u32 word, __u64 a, __u64 b,
	      __u32 marks)
{
	if (marks & FT_BEHIND_ATOMIC) {
		ft_thread_fill(slot, t, a, b, marks);
		__asm__ volatile("" : : : "memory");
		slot->ts = ft_thread_clock_behind();
	} else {
		slot->ts = ft_thread_clock();
		ft_thread_fill(slot, t, a, b, marks);
	}
	ft_ring_commit(slot, word);
	ft_thread_prefetch(slot);
}

/* Writes to the current ring, or to another one if that is full. */
static __always_inline void
ft_thread_write(ft_thread_here *t, struct ft_ring *ring, __u32 id, __u64 a, __u64 b,
		__u32 marks)
{
	__u32 word = FT_RING_ID(id);
	struct ft_record *slot = ft_ring_reserve_or(ring, &word);

	if (likely(slot))
		ft_thread_put(t, slot, word, a, b, marks);
	else
		ft_thread_slow(id, a, b, marks);
}

/** ft_thread_record - an event of this thread. Context: any, signal handlers too. */
static __always_inline void
ft_thread_record(__u32 id, __u64 a, __u64 b, __u32 marks)
{
	ft_thread_here *t = ft_thread_find();
	struct ft_ring *ring = t->ring;

	if (likely(*t->guard == ring))
		ft_thread_write(t, ring, id, a, b, marks);
	else
		ft_thread_slow(id, a, b, marks);
}

/**
 * ft_thread_record_at - the same, with a time that the caller has read: see ft_event_at()
 *
 * What this cannot record at once is recorded as any other event, which reads the clock.
 */
static __always_inline void
ft_thread_record_at(__u32 id, __u64 ticks, __u64 a, __u64 b)
{
	ft_thread_here *t = ft_thread_find();
	struct ft_ring *ring = t->ring;
	__u32 word = FT_RING_ID(id);
	struct ft_record *slot;

	slot = likely(*t->guard == ring) ? ft_ring_reserve_or(ring, &word) : NULL;
	if (unlikely(!slot)) {
		ft_thread_slow(id, a, b, 0);
		return;
	}
	slot->ts = likely(ft_ring_is_in_time(ring, slot, ticks)) ? ticks : ft_thread_clock();
	ft_thread_fill(slot, t, a, b, 0);
	ft_ring_commit(slot, word);
	ft_thread_prefetch(slot);
}

#endif /* FT_LIBFEATHERTRACE_THREAD_H */
