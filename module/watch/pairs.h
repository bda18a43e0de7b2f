/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Pairs of events: the time from one event to the next one with the same key. */
#ifndef _FT_PAIRS_H
#define _FT_PAIRS_H

#include <linux/bits.h>
#include <linux/types.h>
#include <uapi/linux/feather_trace.h>

#include "compat.h"

/**
 * enum ft_pairs_kind - which second event ends a pair
 * @FT_PAIRS_CPU:	on the same CPU in the same kind of context: spinning locks
 * @FT_PAIRS_WAIT:	as FT_PAIRS_FIRST, from contention_begin to contention_end, with the flags
 *			of the former as its word: a lock that sleeps has a spinlock at its own
 *			address, for which its waiter may have to wait, too. These are FT_PAIRS_CPU
 * @FT_PAIRS_TASK:	of the same task, on any CPU: sleeping locks
 * @FT_PAIRS_READ:	the same, but a task may hold it twice: both first events count, if there
 *			is room. Locks for reading
 * @FT_PAIRS_FIRST:	the same, but the first of several first events counts: a task that
 *			waits for a lock may begin anew before it gets it
 * @FT_PAIRS_KEY:	of the same key, in any task on any CPU: semaphores, other events
 */
enum ft_pairs_kind {
	FT_PAIRS_CPU,
	FT_PAIRS_WAIT,		/* the last one that has stacks */
	FT_PAIRS_TASK,
	FT_PAIRS_READ,
	FT_PAIRS_FIRST,
	FT_PAIRS_KEY,
};

/**
 * struct ft_pair - two events; two words, which registers hold
 * @time:	from the first one to the second one; FT_PAIRS_NONE: there is no first one
 * @word:	what was kept with the first one
 */
struct ft_pair {
	u64	time;
	u64	word;
};

#define FT_PAIRS_NONE	((u64)-1)

/* Clocks of CPUs differ by less, in ticks or ns; a clock that began anew differs by more. */
#define FT_PAIRS_DIFFER	BIT_ULL(24)

/*
 * A time that may be negative. Return: 0 if the clocks of two CPUs differed; FT_PAIRS_NONE if the
 * clock began anew meanwhile, as that of many machines in a suspend: nobody knows how long it was.
 */
static inline u64 ft_pairs_forward(u64 time)
{
	if (likely((s64)time >= 0))
		return time;
	return -time < FT_PAIRS_DIFFER ? 0 : FT_PAIRS_NONE;
}

/**
 * struct ft_pairs_books - events that could not be paired
 * @alone:	second events without a first one
 * @forgotten:	first events that were dropped to make room, for another key
 */
struct ft_pairs_books {
	u64	alone;
	u64	forgotten;
};

struct ft_pairs;

/*
 * Does a CPU hold such a lock, and not a task? On PREEMPT_RT, spinlock_t and rwlock_t sleep,
 * and only raw spinlocks do not.
 */
static inline bool ft_pairs_is_spinning(u32 id)
{
	if (FT_RAW_IS_OTHER)
		return (id & ~1u) == FT_ID_ACQUIRE(FT_LOCK_RAW_SPIN);
	return id >= FT_ID_LOCK && id < FT_ID_ACQUIRE(FT_LOCK_MUTEX);
}

/* Return: the kind of pairs of two events of a condition. */
enum ft_pairs_kind ft_pairs_kind_of(u32 begin, u32 end);

/* Return: the kind of pairs in which the earliest of several first events counts. */
static inline enum ft_pairs_kind ft_pairs_kind_of_waits(u32 begin, u32 end)
{
	return begin == FT_ID_CONTENTION_BEGIN && end == FT_ID_CONTENTION_END ?
	       FT_PAIRS_WAIT : FT_PAIRS_FIRST;
}

/* Return: new pairs, or NULL without memory. May sleep. */
struct ft_pairs *ft_pairs_new(enum ft_pairs_kind kind);
void ft_pairs_free(struct ft_pairs *pairs);

/**
 * ft_pairs_begin() - a first event
 * @pairs:	where to keep it
 * @key:	what the second event has in common with it
 * @ts:		when it was
 * @since:	first events from before that do not count any more
 * @word:	is kept with it; of FT_PAIRS_WAIT the flags
 *
 * Wait-free. Context: any, with preemption disabled.
 *
 * Return: how many first events had to make room, or gave way to this one, which has their key.
 */
unsigned int ft_pairs_begin(struct ft_pairs *pairs, u64 key, u64 ts, u64 since, u64 word);

/**
 * ft_pairs_end() - a second event
 *
 * Takes the latest of several first events with this key. Arguments as above. Wait-free.
 * Context: as ft_pairs_begin().
 *
 * Return: the pair; its time is in the unit of @ts.
 */
struct ft_pair ft_pairs_end(struct ft_pairs *pairs, u64 key, u64 ts, u64 since);

struct ft_pairs_table;

/* One in which nothing can be entered, and nothing is found. */
extern struct ft_pairs_table ft_pairs_nowhere;

/*
 * Return: what ft_pairs_enter_quick() and ft_pairs_find_quick() want: it is &ft_pairs_nowhere
 * unless these are sleeping locks of tasks.
 */
struct ft_pairs_table *ft_pairs_table(const struct ft_pairs *pairs);

/*
 * Return: whether a wait spins, by the @word of its pair. Each wait that spins must begin here,
 * even if it is not wanted: its end is the next one at that address, and would end the wait
 * around it.
 */
bool ft_pairs_is_spin_wait(const struct ft_pairs *pairs, u64 word);

void ft_pairs_look(const struct ft_pairs *pairs, struct ft_pairs_books *books);

#endif /* _FT_PAIRS_H */
