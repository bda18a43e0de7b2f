/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The spinning locks that a CPU holds, as far as sensors look at them.
 *
 * All contexts share one stack. An interrupt releases what it has acquired before it ends, so the
 * code that it interrupted finds the stack as it was, except above the top. An entry is put on
 * the top first and filled then: what comes in between goes above it. If an interrupt leaves an
 * entry, because its release is not seen, that stays until the next one takes its place, or the
 * stack is full and a task empties it. An interrupt does not: what it came into may have found
 * an entry, and be about to read it.
 *
 * A release lowers the top by one instruction, which adds to memory. If an interrupt empties the
 * stack just before, as one does that is about to end and looks like a task already, the top
 * comes to lie below the bottom, by one for each context that was about to lower it. There is
 * room for that, @below. The bottom looks like the end, so the next acquisition of a task that
 * comes there empties the stack again, with what is below it.
 *
 * Locks may be released in any order: a release is searched for from the top, and what is
 * above it moves down. tests/model/stack.pml has the steps.
 */
#ifndef _FT_SENSOR_STACK_H
#define _FT_SENSOR_STACK_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/limits.h>
#include <linux/percpu.h>
#include <linux/types.h>

/**
 * struct ft_stack_entry - a lock that was acquired
 * @lock:	or FT_STACK_NONE
 * @ts:		when
 * @site:	where
 * @word:	id of the event; or FT_STACK_WORD(), if somebody may ask for what that has
 * @tid:	who, if @word says that it is known
 */
struct ft_stack_entry {
	u64	lock;
	u64	ts;
	u64	site;
	u32	word;
	s32	tid;
};

/* Bits of struct ft_record.ctx, and that they and the task are known. */
#define FT_STACK_WORD(id, context)	((id) | FT_STACK_KNOWN | (u32)(context) << 16)
#define FT_STACK_KNOWN			BIT(31)
#define FT_STACK_ID(word)		((word) & U16_MAX)

/* What comes into the middle of something else on its CPU. */
#define FT_STACK_INTERRUPTS		(FT_CTX_SOFTIRQ | FT_CTX_HARDIRQ | FT_CTX_NMI)

#define FT_STACK_NONE	0	/* above the top, or being filled, or forgotten */

#define FT_STACK_DEPTH	15	/* and one below them, which is nothing */

/* The address of an entry tells whether it is the bottom, or behind the end. */
#define FT_STACK_BYTES	((FT_STACK_DEPTH + 1) * sizeof(struct ft_stack_entry))
#define FT_STACK_MASK	(FT_STACK_BYTES - 1)

struct ft_stack {
	struct ft_stack_entry	below[FT_STACK_DEPTH + 1];
	struct ft_stack_entry	open[FT_STACK_DEPTH + 1];
} __aligned(FT_STACK_BYTES);

DECLARE_PER_CPU(struct ft_stack, ft_stacks);
DECLARE_PER_CPU(unsigned long, ft_stack_above);		/* address of the entry above the top */

static __always_inline struct ft_stack_entry *ft_stack_next(void)
{
	return (struct ft_stack_entry *)raw_cpu_read(ft_stack_above);
}

/* A probe that counts instructions reads it as ft_stack_next()[-1]: its address takes one more. */
static __always_inline struct ft_stack_entry *ft_stack_top(void)
{
	return ft_stack_next() - 1;
}

static __always_inline bool ft_stack_is_bottom(const struct ft_stack_entry *open)
{
	return !((unsigned long)open & FT_STACK_MASK);
}

/* Also of one beyond the end. */
static __always_inline bool ft_stack_is_end(const struct ft_stack_entry *next)
{
	return ft_stack_is_bottom(next);
}

/* The same, for a @mask of FT_STACK_MASK; always, for one of 0. */
static __always_inline bool ft_stack_is_full(const struct ft_stack_entry *next, u32 mask)
{
	return !((unsigned long)next & mask);
}

static __always_inline void ft_stack_raise(struct ft_stack_entry *next, u64 site, u32 word)
{
	/* Stored, not added to: an entry left at the last place would put it behind the end. */
	raw_cpu_write(ft_stack_above, (unsigned long)(next + 1));
	barrier();	/* whatever interrupts goes above it */
	WRITE_ONCE(next->site, site);
	WRITE_ONCE(next->word, word);
}

/* After this, it is there: it has a time already. */
static __always_inline void ft_stack_fill(struct ft_stack_entry *next, u64 lock)
{
	WRITE_ONCE(next->lock, lock);
}

static __always_inline void ft_stack_pop(struct ft_stack_entry *top)
{
	/* Until here, what interrupts goes above it. */
	WRITE_ONCE(top->lock, FT_STACK_NONE);
	this_cpu_sub(ft_stack_above, sizeof(*top));
}

/* The latest acquisition of a lock, or NULL. */
struct ft_stack_entry *ft_stack_search(u64 lock);

/* Takes one away. */
void ft_stack_drop(struct ft_stack_entry *open);

/* How many are below it in the same context. */
u64 ft_stack_depth(const struct ft_stack_entry *open);

/*
 * All CPUs' are empty. No acquisition is on its way; a release that is lowers the top once more, as
 * if an interrupt had emptied the stack.
 */
void ft_stack_reset(void);

/* Drop what CPUs hold of an event, as its releases were not seen for a time. Waits for them. */
void ft_stack_forget(u32 id);

#endif /* _FT_SENSOR_STACK_H */
