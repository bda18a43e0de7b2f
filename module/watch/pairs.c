// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Pairs of events.
 *
 * A spinning lock is released on the CPU that acquired it, in the same kind of context:
 * task, softirq, hardirq, NMI. So each CPU has a small stack for each of these, which
 * only one writer at a time can reach: no atomic operations. The search for the first
 * event begins at the top, as locks may be released in any order. A full stack holds
 * first events whose second one never came: it is emptied. On PREEMPT_RT, softirqs are
 * tasks: the scheduler's lock is acquired in one and released in the next, and whoever holds
 * a raw spinlock is interrupted by no softirq. A wait for a lock that spins is on its CPU as well,
 * and has a stack there.
 *
 * A sleeping lock is released by the task that acquired it, on any CPU. Its pairs are in a
 * hash table that all CPUs write to with plain stores, without waiting for each other. An
 * entry has a checksum over its other words; without a sum that fits it is free. If two
 * CPUs write to one entry, its words may be mixed, and neither of the two is paired. So a
 * time is missing, and counted, rather than wrong. One case is different: a task that reads a
 * lock twice has two entries, and if it loses the later one, its next release takes the other.
 */
#include <linux/build_bug.h>
#include <linux/hash.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <trace/events/lock.h>

#include "context.h"
#include "watch/pairs.h"
#include "watch/pairs_table.h"

#define FT_PAIRS_CONTEXTS	4
#define FT_PAIRS_DEPTH		16	/* per stack */

struct ft_pairs_stack {
	u32	top;
	struct {
		u64	key;		/* e.g. a lock */
		u64	ts;		/* 0: its second event has come */
		u64	word;
	} open[FT_PAIRS_DEPTH];
};

struct ft_pairs_cpu {
	struct ft_pairs_books	books;
	struct ft_pairs_stack	stack[FT_PAIRS_CONTEXTS];
};

/* tests/vm/sensor_sizes.py has these. */
static_assert(sizeof(struct ft_pairs_cpu) == 1584 && sizeof(struct ft_pairs_entry) == 32 &&
	      sizeof(struct ft_pairs_table) == 64);

struct ft_pairs {
	enum ft_pairs_kind		kind;
	struct ft_pairs_cpu __percpu	*cpus;
	struct ft_pairs_table		*table;	/* unless it is FT_PAIRS_CPU */
};

enum ft_pairs_kind ft_pairs_kind_of(u32 begin, u32 end)
{
	if (begin == FT_ID_CONTENTION_BEGIN)
		return ft_pairs_kind_of_waits(begin, end);
	/* Any task may release a semaphore. */
	if (!FT_ID_IS_LOCK(begin) || begin == FT_ID_ACQUIRE(FT_LOCK_SEMAPHORE))
		return FT_PAIRS_KEY;
	return ft_pairs_is_spinning(begin) ? FT_PAIRS_CPU : FT_PAIRS_TASK;
}

/* A mutex spins before it sleeps, where others can preempt it. */
bool ft_pairs_is_spin_wait(const struct ft_pairs *pairs, u64 word)
{
	return pairs->kind == FT_PAIRS_WAIT && (word & (LCB_F_SPIN | LCB_F_MUTEX)) == LCB_F_SPIN;
}

static struct ft_pairs_table *ft_pairs_table_new(void)
{
	struct ft_pairs_table *table;

	/* A little more than a power of two, which is what kmalloc() would make of it. */
	table = vzalloc(struct_size(table, entry, FT_PAIRS_ENTRIES));
	if (table)
		table->mask = FT_PAIRS_MASK;
	return table;
}

struct ft_pairs *ft_pairs_new(enum ft_pairs_kind kind)
{
	struct ft_pairs *pairs = kzalloc(sizeof(*pairs), GFP_KERNEL);

	if (!pairs)
		return NULL;
	pairs->kind = kind;
	pairs->cpus = alloc_percpu(struct ft_pairs_cpu);
	if (kind != FT_PAIRS_CPU)
		pairs->table = ft_pairs_table_new();
	if (pairs->cpus && (pairs->table || kind == FT_PAIRS_CPU))
		return pairs;
	ft_pairs_free(pairs);
	return NULL;
}

void ft_pairs_free(struct ft_pairs *pairs)
{
	if (!pairs)
		return;
	vfree(pairs->table);
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

/* @ts: 0: there is none. */
struct ft_pairs_first {
	u64	ts;
	u64	word;
};

/* --- on a CPU ------------------------------------------------------------- */

static struct ft_pairs_stack *ft_pairs_stack(const struct ft_pairs *pairs)
{
	u32 bits = ft_context_bits();
	unsigned int context = 0;

	if (bits & FT_CTX_NMI)
		context = 3;
	else if (bits & FT_CTX_HARDIRQ)
		context = 2;
	else if (bits & FT_CTX_SOFTIRQ && !FT_RAW_IS_OTHER)
		context = 1;
	return &this_cpu_ptr(pairs->cpus)->stack[context];
}

/*
 * @top: read once, below FT_PAIRS_DEPTH. An NMI may come to where a breakpoint was handled, which
 * has the same stack: at worst one of the two is not paired.
 */
static __always_inline void ft_pairs_put(struct ft_pairs_stack *stack, u32 top, u64 key, u64 ts,
					 u64 word)
{
	stack->open[top].key = key;
	stack->open[top].ts = ts;
	stack->open[top].word = word;
	WRITE_ONCE(stack->top, top + 1);
}

/* Return: how many had to make room: those that have not ended. */
static noinline unsigned int ft_pairs_overflow(struct ft_pairs *pairs,
					       struct ft_pairs_stack *stack, u64 key, u64 ts,
					       u64 word)
{
	unsigned int i, open = 0;

	for (i = 0; i < FT_PAIRS_DEPTH; i++)
		open += !!stack->open[i].ts;
	this_cpu_add(pairs->cpus->books.forgotten, open);
	ft_pairs_put(stack, 0, key, ts, word);
	return open;
}

/* Return: how many had to make room. */
static unsigned int ft_pairs_push(struct ft_pairs *pairs, u64 key, u64 ts, u64 word)
{
	struct ft_pairs_stack *stack = ft_pairs_stack(pairs);
	u32 top = READ_ONCE(stack->top);

	if (unlikely(top >= FT_PAIRS_DEPTH))
		return ft_pairs_overflow(pairs, stack, key, ts, word);
	ft_pairs_put(stack, top, key, ts, word);
	return 0;
}

static struct ft_pairs_first ft_pairs_pop(struct ft_pairs *pairs, u64 key, u64 since)
{
	struct ft_pairs_stack *stack = ft_pairs_stack(pairs);
	struct ft_pairs_first first = {};
	unsigned int i = READ_ONCE(stack->top);

	while (i && !(stack->open[i - 1].ts && stack->open[i - 1].key == key))
		i--;
	if (!i)
		return first;
	/* Older ones are further down. */
	if (stack->open[i - 1].ts >= since)
		first.ts = stack->open[i - 1].ts;
	first.word = stack->open[i - 1].word;
	stack->open[i - 1].ts = 0;
	/* One store: what comes at the end of an interrupt may push and pop in between. */
	for (i = READ_ONCE(stack->top); i && !stack->open[i - 1].ts; i--)
		;
	WRITE_ONCE(stack->top, i);
	return first;
}

/* --- in a table ----------------------------------------------------------- */

/*
 * The first one is taken, and its sum is that of the owner 0; but the second one is the place of
 * the owner 0, so that this is not looked at.
 */
struct ft_pairs_table ft_pairs_nowhere = { .entry = { { .turned = 1, .sum = 1 }, { } } };

struct ft_pairs_table *ft_pairs_table(const struct ft_pairs *pairs)
{
	return pairs->kind == FT_PAIRS_TASK || pairs->kind == FT_PAIRS_READ ? pairs->table :
									      &ft_pairs_nowhere;
}

static u64 ft_pairs_owner(const struct ft_pairs *pairs, u64 key)
{
	if (pairs->kind == FT_PAIRS_KEY)
		return key + 1;
	return ft_pairs_owner_of_task(key);
}

/* None: the place is free, or its event no longer counts. */
static __always_inline struct ft_pairs_first
ft_pairs_taken(const struct ft_pairs_entry *entry, u64 owner, u64 since)
{
	u64 ts = READ_ONCE(entry->ts), turned = READ_ONCE(entry->turned);
	struct ft_pairs_first first = { ts, ft_pairs_turn(turned) };

	if (READ_ONCE(entry->sum) != ft_pairs_sum(owner, ts, turned) || ts < since)
		first.ts = 0;
	return first;
}

/*
 * Which of its two places an owner takes: that of its own event, which never ended, a free one,
 * or the older one. Return: NULL if it has an event that counts.
 */
static struct ft_pairs_entry *
ft_pairs_choose(struct ft_pairs *pairs, struct ft_pairs_entry *entry, u64 owner, u64 since,
		unsigned int *begins)
{
	unsigned int i;
	u64 taken[2];

	for (i = 0; i < 2; i++) {
		taken[i] = ft_pairs_taken(&entry[i], READ_ONCE(entry[i].owner), since).ts;
		if (!taken[i] || READ_ONCE(entry[i].owner) != owner)
			continue;
		if (pairs->kind == FT_PAIRS_FIRST || pairs->kind == FT_PAIRS_WAIT)
			return NULL;
		if (pairs->kind == FT_PAIRS_READ)
			continue;
		taken[i] = 0;		/* this event is later */
		taken[!i] = 1;
		*begins = 1;
		break;
	}
	if (!taken[0])
		return entry;
	if (!taken[1])
		return entry + 1;
	this_cpu_inc(pairs->cpus->books.forgotten);
	*begins = 1;
	return entry + (taken[1] < taken[0]);
}

/* Return: how many had to make room. */
static noinline unsigned int ft_pairs_enter(struct ft_pairs *pairs, u64 key, u64 ts, u64 since,
					    u64 word)
{
	u64 owner = ft_pairs_owner(pairs, key);
	struct ft_pairs_entry *entry = ft_pairs_place(pairs->table, owner);
	unsigned int begins = 0;

	entry = ft_pairs_choose(pairs, entry, owner, since, &begins);
	if (!entry)
		return 0;
	/*
	 * Freed first. Another CPU may have put its owner over ours, and be late with the rest:
	 * our owner would make an old time of ours whole again, whose end has passed.
	 */
	WRITE_ONCE(entry->sum, 0);
	ft_pairs_claim(entry, owner, ft_pairs_turn(word));
	ft_pairs_fill(entry, owner, ts, ft_pairs_turn(word));
	return begins;
}

/* Return: whether this caller, and no other, has taken it. */
static bool ft_pairs_clear(struct ft_pairs *pairs, struct ft_pairs_entry *entry, u64 sum)
{
	/* Another task may take the same one, or enter it anew, at this moment. */
	if (pairs->kind == FT_PAIRS_KEY)
		return cmpxchg(&entry->sum, sum, 0) == sum;
	WRITE_ONCE(entry->sum, 0);
	return true;
}

/* The owner may be in any of its two places, or in both. */
static noinline struct ft_pairs_first ft_pairs_leave(struct ft_pairs *pairs, u64 key, u64 since)
{
	u64 owner = ft_pairs_owner(pairs, key);
	struct ft_pairs_entry *entry = ft_pairs_place(pairs->table, owner);
	struct ft_pairs_first taken[2] = {};
	unsigned int i, last;

	for (i = 0; i < 2; i++)
		if (READ_ONCE(entry[i].owner) == owner)
			taken[i] = ft_pairs_taken(&entry[i], owner, since);
	last = taken[1].ts > taken[0].ts;
	/* The older one is of a first event whose second one was not seen. */
	for (i = 0; i < 2; i++) {
		if (!taken[i].ts || (i != last && pairs->kind == FT_PAIRS_READ))
			continue;
		if (!ft_pairs_clear(pairs, &entry[i],
				    ft_pairs_sum(owner, taken[i].ts,
						 ft_pairs_turn(taken[i].word))))
			taken[i].ts = 0;
	}
	return taken[last].ts ? taken[last] : taken[!last];
}

unsigned int ft_pairs_begin(struct ft_pairs *pairs, u64 key, u64 ts, u64 since, u64 word)
{
	if (pairs->kind <= FT_PAIRS_WAIT &&
	    (pairs->kind == FT_PAIRS_CPU || ft_pairs_is_spin_wait(pairs, word)))
		return ft_pairs_push(pairs, key, ts, word);
	return ft_pairs_enter(pairs, key, ts, since, word);
}

struct ft_pair ft_pairs_end(struct ft_pairs *pairs, u64 key, u64 ts, u64 since)
{
	struct ft_pairs_first first;
	struct ft_pair pair;

	/* contention_end does not say which wait it ends: the inner one began later, ends first. */
	first = likely(pairs->kind <= FT_PAIRS_WAIT) ? ft_pairs_pop(pairs, key, since) :
						       ft_pairs_leave(pairs, key, since);
	if (pairs->kind == FT_PAIRS_WAIT && !first.ts)
		first = ft_pairs_leave(pairs, key, since);
	pair = (struct ft_pair){ FT_PAIRS_NONE, first.word };
	if (likely(first.ts && first.ts >= since))
		pair.time = ft_pairs_forward(ts - first.ts);
	if (unlikely(pair.time == FT_PAIRS_NONE))
		this_cpu_inc(pairs->cpus->books.alone);
	return pair;
}
