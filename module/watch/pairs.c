// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Pairs of events.
 *
 * A spinning lock is released on the CPU that acquired it, in the same kind of context:
 * task, softirq, hardirq, NMI. So each CPU has a small stack for each of these, which
 * only one writer at a time can reach: no atomic operations. The search for the first
 * event begins at the top, as locks may be released in any order. A full stack holds
 * first events whose second one never came: it is emptied.
 *
 * A sleeping lock is released by the task that acquired it, on any CPU. Its pairs are in
 * a hash table that all CPUs write to with plain stores, without waiting for each other.
 * An entry has a checksum over its owner and time; an entry whose checksum is wrong
 * counts as free. If two CPUs write to one entry at once, its words may be mixed, and
 * neither event is paired: a time is missing, and counted, rather than wrong
 * (tests/model/pairs.pml).
 */
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "context.h"
#include "watch/pairs.h"

#define FT_PAIRS_CONTEXTS	4
#define FT_PAIRS_DEPTH		16	/* per stack */
#define FT_PAIRS_ENTRIES	4096	/* per table; a power of two */

struct ft_pairs_stack {
	u32	top;
	struct {
		u64	key;		/* e.g. a lock; 0: its second event has come */
		u64	ts;
	} open[FT_PAIRS_DEPTH];
};

struct ft_pairs_cpu {
	struct ft_pairs_books	books;
	struct ft_pairs_stack	stack[FT_PAIRS_CONTEXTS];
};

/* Free unless ft_pairs_sum() is @sum. */
struct ft_pairs_entry {
	u64	owner;			/* ft_pairs_owner() */
	u64	ts;
	u64	sum;
};

struct ft_pairs {
	enum ft_pairs_kind		kind;
	struct ft_pairs_cpu __percpu	*cpus;
	struct ft_pairs_entry		*table;	/* unless it is FT_PAIRS_CPU */
};

enum ft_pairs_kind ft_pairs_kind_of(u32 id)
{
	if (id == FT_ID_CONTENTION_BEGIN)
		return FT_PAIRS_WAIT;
	/* Any task may release a semaphore. */
	if (id < FT_ID_LOCK || id >= FT_ID_ACQUIRE(FT_LOCK_FAMILIES) ||
	    id == FT_ID_ACQUIRE(FT_LOCK_SEMAPHORE))
		return FT_PAIRS_KEY;
	/* On PREEMPT_RT these sleep. */
	if (!IS_ENABLED(CONFIG_PREEMPT_RT) && id < FT_ID_ACQUIRE(FT_LOCK_MUTEX))
		return FT_PAIRS_CPU;
	return FT_PAIRS_TASK;
}

struct ft_pairs *ft_pairs_new(enum ft_pairs_kind kind)
{
	struct ft_pairs *pairs = kzalloc(sizeof(*pairs), GFP_KERNEL);

	if (!pairs)
		return NULL;
	pairs->kind = kind;
	pairs->cpus = alloc_percpu(struct ft_pairs_cpu);
	if (kind != FT_PAIRS_CPU)
		pairs->table = kvcalloc(FT_PAIRS_ENTRIES, sizeof(*pairs->table), GFP_KERNEL);
	if (pairs->cpus && (pairs->table || kind == FT_PAIRS_CPU))
		return pairs;
	ft_pairs_free(pairs);
	return NULL;
}

void ft_pairs_free(struct ft_pairs *pairs)
{
	if (!pairs)
		return;
	kvfree(pairs->table);
	free_percpu(pairs->cpus);
	kfree(pairs);
}

void ft_pairs_look(const struct ft_pairs *pairs, struct ft_pairs_books *books)
{
	const struct ft_pairs_cpu *c;
	unsigned int cpu;

	*books = (struct ft_pairs_books){};
	for_each_possible_cpu(cpu) {
		c = per_cpu_ptr(pairs->cpus, cpu);
		books->alone += READ_ONCE(c->books.alone);
		books->forgotten += READ_ONCE(c->books.forgotten);
	}
}

/* --- on a CPU ------------------------------------------------------------- */

static struct ft_pairs_stack *ft_pairs_stack(const struct ft_pairs *pairs)
{
	u32 bits = ft_context_bits();
	unsigned int context = 0;

	if (bits & FT_CTX_NMI)
		context = 3;
	else if (bits & FT_CTX_HARDIRQ)
		context = 2;
	else if (bits & FT_CTX_SOFTIRQ)
		context = 1;
	return &this_cpu_ptr(pairs->cpus)->stack[context];
}

static void ft_pairs_push(struct ft_pairs *pairs, u64 key, u64 ts)
{
	struct ft_pairs_stack *stack = ft_pairs_stack(pairs);

	if (stack->top == FT_PAIRS_DEPTH) {
		this_cpu_add(pairs->cpus->books.forgotten, FT_PAIRS_DEPTH);
		stack->top = 0;
	}
	stack->open[stack->top].key = key;
	stack->open[stack->top].ts = ts;
	stack->top++;
}

/* Return: whether @ts was found. */
static bool ft_pairs_pop(struct ft_pairs *pairs, u64 key, u64 *ts)
{
	struct ft_pairs_stack *stack = ft_pairs_stack(pairs);
	unsigned int i = stack->top;

	while (i && stack->open[i - 1].key != key)
		i--;
	if (!i)
		return false;
	*ts = stack->open[i - 1].ts;
	stack->open[i - 1].key = 0;
	while (stack->top && !stack->open[stack->top - 1].key)
		stack->top--;
	return true;
}

/* --- in a table ----------------------------------------------------------- */

/* Identifies a key, and its task if that matters. Idle tasks share the number 0. */
static u64 ft_pairs_owner(const struct ft_pairs *pairs, u64 key)
{
	u64 task = pairs->kind == FT_PAIRS_KEY ? 0 : (unsigned long)current;

	return (key + 1) * GOLDEN_RATIO_64 + (task >> 6) * 0xc2b2ae3d27d4eb4full;
}

/* 0 marks a free entry: one pair in 2^64 has this sum, and is not measured. */
static u64 ft_pairs_sum(u64 owner, u64 ts)
{
	return ~(owner ^ ts);
}

/* Return: the first of an owner's two places. */
static struct ft_pairs_entry *ft_pairs_place(const struct ft_pairs *pairs, u64 owner)
{
	return &pairs->table[owner >> (64 - ilog2(FT_PAIRS_ENTRIES)) & ~1ull];
}

/* Return: time of its first event; 0: the entry is free or outdated. */
static u64 ft_pairs_taken(const struct ft_pairs_entry *entry, u64 owner, u64 since)
{
	u64 ts = READ_ONCE(entry->ts);

	return READ_ONCE(entry->sum) == ft_pairs_sum(owner, ts) && ts >= since ? ts : 0;
}

static void ft_pairs_enter(struct ft_pairs *pairs, u64 key, u64 ts, u64 since)
{
	u64 owner = ft_pairs_owner(pairs, key), taken[2];
	struct ft_pairs_entry *entry = ft_pairs_place(pairs, owner);
	unsigned int i;

	for (i = 0; i < 2; i++) {
		taken[i] = ft_pairs_taken(&entry[i], READ_ONCE(entry[i].owner), since);
		if (!taken[i] || READ_ONCE(entry[i].owner) != owner)
			continue;
		if (pairs->kind == FT_PAIRS_WAIT)
			return;
		taken[i] = 0;		/* this event is later */
		taken[!i] = 1;
		break;
	}
	/* Take a free place, or the older one's. */
	if (taken[0] && taken[1])
		this_cpu_inc(pairs->cpus->books.forgotten);
	entry += taken[1] < taken[0];
	/*
	 * Freed first. Another CPU may have put its owner over ours, and be late with the rest:
	 * our owner would make an old time of ours whole again, whose end has passed.
	 */
	WRITE_ONCE(entry->sum, 0);
	WRITE_ONCE(entry->owner, owner);
	WRITE_ONCE(entry->ts, ts);
	WRITE_ONCE(entry->sum, ft_pairs_sum(owner, ts));
}

/* Return: whether @ts was found. */
static bool ft_pairs_leave(struct ft_pairs *pairs, u64 key, u64 *ts, u64 since)
{
	u64 owner = ft_pairs_owner(pairs, key), sum, taken;
	struct ft_pairs_entry *entry = ft_pairs_place(pairs, owner), *end = entry + 2;
	bool found = false;

	for (; entry < end; entry++) {
		if (READ_ONCE(entry->owner) != owner)
			continue;
		taken = ft_pairs_taken(entry, owner, since);
		if (!taken)
			continue;
		sum = ft_pairs_sum(owner, taken);
		/* Another task may take the same entry, or reuse it, at the same time. */
		if (pairs->kind == FT_PAIRS_KEY) {
			if (cmpxchg(&entry->sum, sum, 0) != sum)
				continue;
		} else {
			WRITE_ONCE(entry->sum, 0);
		}
		*ts = found ? max(*ts, taken) : taken;
		found = true;
	}
	return found;
}

void ft_pairs_begin(struct ft_pairs *pairs, u64 key, u64 ts, u64 since)
{
	if (pairs->kind == FT_PAIRS_CPU)
		ft_pairs_push(pairs, key, ts);
	else
		ft_pairs_enter(pairs, key, ts, since);
}

u64 ft_pairs_end(struct ft_pairs *pairs, u64 key, u64 ts, u64 since)
{
	u64 began;

	if (!(pairs->kind == FT_PAIRS_CPU ? ft_pairs_pop(pairs, key, &began) :
					    ft_pairs_leave(pairs, key, &began, since)) ||
	    began < since) {
		this_cpu_inc(pairs->cpus->books.alone);
		return FT_PAIRS_NONE;
	}
	/* CPUs may differ by a few ticks. */
	return ts > began ? ts - began : 0;
}
