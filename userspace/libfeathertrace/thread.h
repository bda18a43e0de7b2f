/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The path of an event in a program: from a thread to its ring. No lock, no system
 * call, no allocation, no loop, but for the thread's first event.
 *
 * Both libraries compile this text; the thread's state is the same for both.
 */
#ifndef FT_LIBFEATHERTRACE_THREAD_H
#define FT_LIBFEATHERTRACE_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "libfeathertrace/session.h"

/**
 * struct ft_thread - what a thread has at hand
 * @ring:	where to write, if *@guard says so; never NULL
 * @guard:	points to a word that is @ring as long as @ring may be written to at
 *		once
 * @tag:	what marks the addresses of this process, shifted to its place
 * @tid:	its number
 *
 * The word lies in memory that the kernel wipes in a child (MADV_WIPEONFORK),
 * however that was made: a child has no ring, and never writes to one of its parent.
 * After vfork() the memory is the parent's: the child writes as the thread that
 * waits for it, which is what it is.
 */
struct ft_thread {
	struct ft_ring		*ring;
	struct ft_ring *const	*guard;
	__u64			tag;
	__s32			tid;
};

/* There is always room for so few bytes, also where the library comes by dlopen(). */
extern __thread struct ft_thread ft_thread
	__attribute__((tls_model("initial-exec")));

/*
 * The way to it. What comes before the clock counts twice: it is not hidden behind
 * it, and each load that waits for another one is 5 cycles of the 25 that an event
 * takes. One of these is of no use: where the thread's variables are, counted from
 * the thread pointer, is the same for all threads, but known to the loader only, and
 * read from memory each time. ft_text_relax() writes it into the instructions, when
 * a traced process begins, as the linker does in a program without libraries.
 *
 * An address of that kind is not one of memory: *(__seg_fs *) adds the pointer.
 * Sanitizers know nothing of that.
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

/* Of an event: which words are addresses, to be marked with the process. */
#define FT_MARK_A	1u
#define FT_MARK_B	2u
/*
 * The event follows an atomic instruction, such as the one that takes a lock. The
 * clock waits for that, and the next atomic instruction for the clock; what is done
 * before the clock is hidden behind that wait. Else it is what is done after the clock
 * that is hidden.
 */
#define FT_BEHIND_ATOMIC	4u

/*
 * An event that does not find a slot at once: the thread's first, or one without a
 * session, or where the clock takes a call, or the ring is full. @marks: FT_MARK_*.
 */
void ft_thread_slow(__u32 id, __u64 a, __u64 b, __u32 marks);

/** ft_thread_places - no place of ft_private.threads from this one on was ever used */
extern __u32 ft_thread_places;

/** ft_thread_forget - no thread has a ring any more; under ft_lock() */
void ft_thread_forget(void);

/** ft_thread_begin - give this thread a ring. Return: false where there is none. */
bool ft_thread_begin(void);

/** ft_thread_slow_clock - the clock takes a call: it could not be put in order */
void ft_thread_slow_clock(void);

/* Is a thread traced, and if not, why not? */
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
 * finished, up to a cache line's way from another CPU too early. Where somebody pays for
 * it to be in order, ft_text_order() makes of this RDTSC, with a prefix that says nothing,
 * RDTSCP, which waits for all loads before it, and is as long.
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
 * The clock as it comes, in two registers. To make one of them takes two instructions,
 * and in front of an atomic instruction these cost more than two stores do behind it.
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
 * The reader has had the lines of the ring in the meantime. To have one again takes
 * as long as several events, and the next atomic instruction, such as that of an
 * unlock, waits for all stores: so ask for it some records ahead. Beyond the end of
 * the ring this does no harm.
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

/* @ts: 0 for the clock that takes no call. */
static __always_inline void
ft_thread_put(ft_thread_here *t, struct ft_record *slot, __u32 word, __u64 ts, __u64 a,
	      __u64 b, __u32 marks)
{
	if (marks & FT_BEHIND_ATOMIC) {
		ft_thread_fill(slot, t, a, b, marks);
		__asm__ volatile("" : : : "memory");
		slot->ts = ts ? ts : ft_thread_clock_behind();
	} else {
		slot->ts = ts ? ts : ft_thread_clock();
		ft_thread_fill(slot, t, a, b, marks);
	}
	ft_ring_commit(slot, word);
	ft_thread_prefetch(slot);
}

/* Into the ring at hand, or another one if that is full. */
static __always_inline void
ft_thread_write(ft_thread_here *t, struct ft_ring *ring, __u32 id, __u64 a, __u64 b,
		__u32 marks)
{
	__u32 word = FT_RING_ID(id);
	struct ft_record *slot = ft_ring_reserve_or(ring, &word);

	if (likely(slot))
		ft_thread_put(t, slot, word, 0, a, b, marks);
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

#endif /* FT_LIBFEATHERTRACE_THREAD_H */
