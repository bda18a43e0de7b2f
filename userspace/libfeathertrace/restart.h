/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Records that a signal's handler never cuts in two: restartable sequences, rseq(2).
 *
 * A handler may fork. The child goes on with what its parent had looked up: it would take a
 * slot of its parent's ring, which nobody fills, and for which the reader would wait for ever;
 * or it would fill its parent's slot, which may be another record's by then. So a look whose
 * ring it is and what it allows are one sequence: if a signal comes in the middle, the kernel
 * makes the thread look again before the handler begins. It does so, too, when the thread is
 * preempted.
 *
 * glibc 2.35 and later registers threads for it. Elsewhere, and where GLIBC_TUNABLES forbids
 * it, a few instructions are left in which a child writes to its parent's ring.
 *
 * The event's quick path has no such sequence: it would cost it two instructions more.
 */
#ifndef FT_LIBFEATHERTRACE_RESTART_H
#define FT_LIBFEATHERTRACE_RESTART_H

#include <stdbool.h>
#include <stddef.h>

#include "libfeathertrace/process.h"

/* The same in instructions that a signal may interrupt. */
static inline struct ft_record *ft_unsafe_reserve(struct ft_ring *ring, __u64 joined, __u32 *word)
{
	/* The process last: a handler may have forked since the look for room. */
	return ft_ring_has_room(ring) && joined == ft_process_joined() ?
	       ft_ring_next(ring, word) : NULL;
}

static inline bool ft_unsafe_put(struct ft_record *slot, __u64 joined, __u32 word,
				 const struct ft_record *content)
{
	if (joined != ft_process_joined())
		return false;
	slot->ts = content->ts;
	slot->a = content->a;
	slot->b = content->b;
	slot->tid = content->tid;
	ft_ring_commit(slot, word);
	return true;
}

#if defined(__x86_64__) && defined(__LP64__) && defined(__GLIBC__) && \
	!defined(__SANITIZE_THREAD__) && !defined(FT_RING_NO_ASM)

/* From the thread pointer to the thread's struct rseq; its size, 0: it is not registered. */
#pragma weak __rseq_offset
#pragma weak __rseq_size
extern const ptrdiff_t __rseq_offset;
extern const unsigned int __rseq_size;

static inline bool ft_has_restarts(void)
{
	const unsigned int *size = &__rseq_size; /* NULL: there is none */

	return size && *size;
}

/* A debugger that makes single steps preempts the thread at each. */
#define FT_RESTARTS	8

enum ft_restart { FT_RESTART_REFUSED, FT_RESTART_DONE, FT_RESTART_AGAIN };

/*
 * @sequence: ends in the one store that cannot be taken back; leaves by a jump to 50 where it
 * is not to be. Operands: result, tmp, rseq, done, again.
 *
 * struct rseq_cs has a version, flags, begin, length, and where to go instead, in front of
 * which stands a signature, which is an instruction.
 */
#define FT_RESTARTABLE(sequence)					\
	".pushsection __rseq_cs, \"aw\"\n\t"				\
	".balign 32\n"							\
	"10:\t.long 0, 0\n\t"						\
	".quad 20f, 30f - 20f, 40f\n\t"				\
	".popsection\n\t"						\
	"leaq 10b(%%rip), %[tmp]\n\t"					\
	"movq %[tmp], %%fs:8(%[rseq])\n"				\
	"20:\t" sequence						\
	"30:\tmovl %[done], %[result]\n"				\
	"50:\tmovq $0, %%fs:8(%[rseq])\n\t"				\
	".pushsection ft_restart_again, \"ax\"\n\t"			\
	".byte 0x0f, 0xb9, 0x3d\n\t"					\
	".long 0x53053053\n"						\
	"40:\tmovl %[again], %[result]\n\t"				\
	"jmp 50b\n\t"							\
	".popsection"

/* @pos: the position that was reserved */
static inline enum ft_restart ft_try_reserve(struct ft_ring *ring, __u64 joined, __u32 *word,
					     __u64 *pos)
{
	enum ft_restart result = FT_RESTART_REFUSED;
	__u32 gaps = 0;
	__u64 tmp;

	__asm__ volatile(FT_RESTARTABLE("cmpq %[joined], %[now]\n\t"
		"jne 50f\n\t"
		"movq %[w], %[tmp]\n\t"
		"cmpq %[limit], %[tmp]\n\t"
		"jae 50f\n\t"
		"movl %[missed], %[gaps]\n\t"
		"movl %[size], %k[tmp]\n\t"
		"xaddq %[tmp], %[w]\n")
		: [result] "+&r" (result), [tmp] "=&r" (tmp), [gaps] "+&r" (gaps),
		  [w] "+m" (ring->w)
		: [joined] "r" (joined), [now] "m" (ft_private->joined),
		  [limit] "m" (ring->limit), [missed] "m" (ring->gaps),
		  [size] "i" (sizeof(struct ft_record)), [rseq] "r" (__rseq_offset),
		  [done] "i" (FT_RESTART_DONE), [again] "i" (FT_RESTART_AGAIN)
		: "memory", "cc");
	if (result == FT_RESTART_DONE)
		*word |= gaps;
	*pos = tmp;
	return result;
}

static inline enum ft_restart ft_try_put(struct ft_record *slot, __u64 joined, __u32 word,
					 const struct ft_record *content)
{
	enum ft_restart result = FT_RESTART_REFUSED;
	__u64 tmp;

	__asm__ volatile(FT_RESTARTABLE("cmpq %[joined], %[now]\n\t"
		"jne 50f\n\t"
		"movq %c[ts](%[content]), %[tmp]\n\t"
		"movq %[tmp], %c[ts](%[slot])\n\t"
		"movq %c[a](%[content]), %[tmp]\n\t"
		"movq %[tmp], %c[a](%[slot])\n\t"
		"movq %c[b](%[content]), %[tmp]\n\t"
		"movq %[tmp], %c[b](%[slot])\n\t"
		"movl %c[tid](%[content]), %k[tmp]\n\t"
		"movl %k[tmp], %c[tid](%[slot])\n\t"
		"movl %[word], %c[id](%[slot])\n")
		: [result] "+&r" (result), [tmp] "=&r" (tmp)
		: [joined] "r" (joined), [now] "m" (ft_private->joined), [word] "r" (word),
		  [slot] "r" (slot), [content] "r" (content),
		  [ts] "i" (offsetof(struct ft_record, ts)),
		  [id] "i" (offsetof(struct ft_record, id)),
		  [tid] "i" (offsetof(struct ft_record, tid)),
		  [a] "i" (offsetof(struct ft_record, a)),
		  [b] "i" (offsetof(struct ft_record, b)),
		  [rseq] "r" (__rseq_offset),
		  [done] "i" (FT_RESTART_DONE), [again] "i" (FT_RESTART_AGAIN)
		: "memory", "cc");
	return result;
}

/**
 * ft_restart_reserve - ft_ring_reserve_or() for a process
 * @joined:	which: see ft_private.joined
 *
 * Return: NULL if there is no room, or if this is another process, a child.
 */
static inline struct ft_record *ft_restart_reserve(struct ft_ring *ring, __u64 joined, __u32 *word)
{
	enum ft_restart result = FT_RESTART_AGAIN;
	__u64 pos = 0;

	for (int i = 0; ft_has_restarts() && i < FT_RESTARTS && result == FT_RESTART_AGAIN; i++)
		result = ft_try_reserve(ring, joined, word, &pos);
	if (result == FT_RESTART_AGAIN)
		return ft_unsafe_reserve(ring, joined, word);
	return result == FT_RESTART_DONE ? ft_ring_slot(ring, pos) : NULL;
}

/**
 * ft_restart_put - fill and publish a slot that a process has reserved
 * @content:	what it gets, except the id, context and gap, which are @word
 *
 * Return: false if this is another process, a child; then nothing is written.
 */
static inline bool ft_restart_put(struct ft_record *slot, __u64 joined, __u32 word,
				  const struct ft_record *content)
{
	enum ft_restart result = FT_RESTART_AGAIN;

	for (int i = 0; ft_has_restarts() && i < FT_RESTARTS && result == FT_RESTART_AGAIN; i++)
		result = ft_try_put(slot, joined, word, content);
	if (result == FT_RESTART_AGAIN)
		return ft_unsafe_put(slot, joined, word, content);
	return result == FT_RESTART_DONE;
}

#else

static inline struct ft_record *ft_restart_reserve(struct ft_ring *ring, __u64 joined, __u32 *word)
{
	return ft_unsafe_reserve(ring, joined, word);
}

static inline bool ft_restart_put(struct ft_record *slot, __u64 joined, __u32 word,
				  const struct ft_record *content)
{
	return ft_unsafe_put(slot, joined, word, content);
}

#endif

#endif /* FT_LIBFEATHERTRACE_RESTART_H */
