/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The spinning locks that a CPU holds, as far as sensors look at them.
 *
 * All contexts share one stack. An interrupt releases what it has acquired before it ends,
 * so whoever it interrupted finds the top where it was. An entry is put on the top first and
 * filled then: what comes in between goes above it. Where an interrupt does leave something,
 * because the release of it is not seen, that is found and dropped when the stack is full.
 *
 * Locks may be released in any order: a release is searched for from the top, and an entry
 * that is not the top becomes a hole. Holes below the top go with the next one above them.
 */
#ifndef _FT_SENSOR_STACK_H
#define _FT_SENSOR_STACK_H

#include <linux/percpu.h>
#include <linux/types.h>

/**
 * struct ft_stack_entry - a lock that was acquired
 * @lock:	or FT_STACK_HOLE, or FT_STACK_NONE
 * @ts:		when
 * @site:	where
 * @id:		event
 * @context:	bits of struct ft_record.ctx, if FT_VALUE_DEPTH is wanted
 */
struct ft_stack_entry {
	u64	lock;
	u64	ts;
	u64	site;
	u32	id;
	u32	context;
};

#define FT_STACK_HOLE	0	/* it was released before one that was acquired later */
#define FT_STACK_NONE	1	/* above the top, or being filled: no hole, and no lock */

#define FT_STACK_DEPTH	15	/* and one below them, which is nothing */

/* Its address tells whether a pointer into it is at the bottom, or at the end. */
#define FT_STACK_BYTES	((FT_STACK_DEPTH + 1) * sizeof(struct ft_stack_entry))

struct ft_stack {
	struct ft_stack_entry	open[FT_STACK_DEPTH + 1];
} __aligned(FT_STACK_BYTES);

DECLARE_PER_CPU(struct ft_stack, ft_stacks);
DECLARE_PER_CPU(struct ft_stack_entry *, ft_stack_top);

static __always_inline bool ft_stack_is_bottom(const struct ft_stack_entry *open)
{
	return !((unsigned long)open & (FT_STACK_BYTES - 1));
}

/* Also of one beyond the end. */
static __always_inline bool ft_stack_is_end(const struct ft_stack_entry *next)
{
	return ft_stack_is_bottom(next);
}

/* All CPUs' are empty. No probe uses them. */
void ft_stack_reset(void);

/* What CPUs hold of an event is from a time when its releases were not seen. May sleep. */
void ft_stack_forget(u32 id);

#endif /* _FT_SENSOR_STACK_H */
