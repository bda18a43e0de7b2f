/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Pairs of events: the time from one to the next one of the same key. */
#ifndef _FT_PAIRS_H
#define _FT_PAIRS_H

#include <linux/types.h>

/**
 * enum ft_pairs_kind - which second event belongs to a first one
 * @FT_PAIRS_CPU:	on the same CPU in the same kind of context: spinning locks
 * @FT_PAIRS_TASK:	of the same task, on any CPU: sleeping locks, waits
 * @FT_PAIRS_KEY:	of the same key, in any task on any CPU
 */
enum ft_pairs_kind {
	FT_PAIRS_CPU,
	FT_PAIRS_TASK,
	FT_PAIRS_KEY,
};

/* What ft_pairs_end() returns if there is no first event. */
#define FT_PAIRS_NONE	((u64)-1)

/**
 * struct ft_pairs_books - what could not be paired
 * @alone:	second events without a first one
 * @forgotten:	first events that had to make room
 */
struct ft_pairs_books {
	u64	alone;
	u64	forgotten;
};

struct ft_pairs;

/* The kind of pairs that begin with an event of this id. */
enum ft_pairs_kind ft_pairs_kind_of(u32 id);

/* Return: it, or NULL without memory. May sleep. */
struct ft_pairs *ft_pairs_new(enum ft_pairs_kind kind);
void ft_pairs_free(struct ft_pairs *pairs);

/**
 * ft_pairs_begin() - a first event
 * @pairs:	where it is kept
 * @key:	not 0
 * @ts:		when it was
 *
 * Wait-free. Context: any, with preemption disabled.
 */
void ft_pairs_begin(struct ft_pairs *pairs, u64 key, u64 ts);

/**
 * ft_pairs_end() - a second event
 *
 * Of several first events with this key, the latest one is taken. Wait-free. Context: as
 * ft_pairs_begin().
 *
 * Return: how long after the first one, in the unit of @ts; or FT_PAIRS_NONE.
 */
u64 ft_pairs_end(struct ft_pairs *pairs, u64 key, u64 ts);

void ft_pairs_look(const struct ft_pairs *pairs, struct ft_pairs_books *books);

#endif /* _FT_PAIRS_H */
