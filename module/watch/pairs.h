/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Pairs of events: the time from one to the next one of the same key. */
#ifndef _FT_PAIRS_H
#define _FT_PAIRS_H

#include <linux/types.h>

/**
 * enum ft_pairs_kind - which second event belongs to a first one
 * @FT_PAIRS_CPU:	on the same CPU in the same kind of context: spinning locks
 * @FT_PAIRS_TASK:	of the same task, on any CPU: sleeping locks
 * @FT_PAIRS_WAIT:	the same, but the first of several first events counts: a task that
 *			waits for a lock may begin anew before it gets it
 * @FT_PAIRS_KEY:	of the same key, in any task on any CPU: semaphores, other events
 */
enum ft_pairs_kind {
	FT_PAIRS_CPU,
	FT_PAIRS_TASK,
	FT_PAIRS_WAIT,
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
 * @key:	what the second event has in common with it
 * @ts:		when it was
 * @since:	first events from before that do not count any more
 *
 * Wait-free. Context: any, with preemption disabled.
 */
void ft_pairs_begin(struct ft_pairs *pairs, u64 key, u64 ts, u64 since);

/**
 * ft_pairs_end() - a second event
 *
 * Of several first events with this key, the latest one is taken. Arguments as above.
 * Wait-free. Context: as ft_pairs_begin().
 *
 * Return: how long after the first one, in the unit of @ts; or FT_PAIRS_NONE.
 */
u64 ft_pairs_end(struct ft_pairs *pairs, u64 key, u64 ts, u64 since);

void ft_pairs_look(const struct ft_pairs *pairs, struct ft_pairs_books *books);

#endif /* _FT_PAIRS_H */
