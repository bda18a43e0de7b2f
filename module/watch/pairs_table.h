/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The table of open pairs that all CPUs write, and the short way of a task through it.
 *
 * Nearly always the first of an owner's two places is free, and the second one is not the
 * owner's. The short way does only this case, in two steps that do not wait: anything else is for
 * ft_pairs_begin() and ft_pairs_end() in pairs.c, which explains both.
 */
#ifndef _FT_PAIRS_TABLE_H
#define _FT_PAIRS_TABLE_H

#include <linux/bitops.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/sched.h>
#include <linux/types.h>

#define FT_PAIRS_ENTRIES	4096	/* per table; a power of two */

/**
 * struct ft_pairs_entry - a first event
 * @owner:	ft_pairs_owner_of_task(), or what a key alone makes
 * @ts:		when
 * @turned:	ft_pairs_turn() of what is kept with it
 * @sum:	ft_pairs_sum() of them: else it is free
 */
struct ft_pairs_entry {
	u64	owner;
	u64	ts;
	u64	turned;
	u64	sum;
};

/**
 * struct ft_pairs_table - first events
 * @mask:	which bits of an owner make the offset of its places
 */
struct ft_pairs_table {
	u64			mask;
	/* The two places of an owner are in one cache line. */
	struct ft_pairs_entry	entry[] __aligned(2 * sizeof(struct ft_pairs_entry));
};

#define FT_PAIRS_SHIFT		(64 - ilog2(FT_PAIRS_ENTRIES * sizeof(struct ft_pairs_entry)))
#define FT_PAIRS_MASK		((FT_PAIRS_ENTRIES - 2) * sizeof(struct ft_pairs_entry))

/*
 * Identifies a key and its task. The halves of two addresses which change places do not cancel
 * each other: the lower half of no task's differs from another's by what upper halves do.
 */
static __always_inline u64 ft_pairs_owner_of_task(u64 key)
{
	return key ^ rol64((unsigned long)current, 32);
}

/*
 * Times and words that are near each other differ in their lower bits: with those of one of
 * them above, no two such differences are the same. Its own inverse.
 */
static __always_inline u64 ft_pairs_turn(u64 word)
{
	return rol64(word, 32);
}

/* 0, once in 2^64 times, is that of a free entry: then nothing is measured. */
static __always_inline u64 ft_pairs_sum(u64 owner, u64 ts, u64 turned)
{
	return owner ^ ts ^ turned;
}

/* Return: the first of an owner's two places; those of owners that are near each other are not. */
static __always_inline struct ft_pairs_entry *ft_pairs_place(struct ft_pairs_table *table,
							     u64 owner)
{
	return (void *)table->entry + (owner * GOLDEN_RATIO_64 >> FT_PAIRS_SHIFT & table->mask);
}

static __always_inline void ft_pairs_claim(struct ft_pairs_entry *entry, u64 owner, u64 turned)
{
	WRITE_ONCE(entry->owner, owner);
	WRITE_ONCE(entry->turned, turned);
}

/* After ft_pairs_claim(): now it is there. */
static __always_inline void ft_pairs_fill(struct ft_pairs_entry *entry, u64 owner, u64 ts,
					  u64 turned)
{
	WRITE_ONCE(entry->ts, ts);
	WRITE_ONCE(entry->sum, ft_pairs_sum(owner, ts, turned));
}

/**
 * ft_pairs_enter_quick() - where a first event is to be
 * @table:	ft_pairs_table()
 * @at:		out: for ft_pairs_claim() and ft_pairs_fill(), at once
 * @owner:	out: the same
 *
 * The entry is free, and an owner's sum is written by the owner alone: so none of its older
 * ones is there, or will be, and the entry need not be freed before it is filled. An older
 * one in the other place has to go: its time would come out, if another CPU overwrote this one.
 *
 * Return: false: ft_pairs_begin() has to do all that.
 */
static __always_inline bool ft_pairs_enter_quick(struct ft_pairs_table *table, u64 key,
						 struct ft_pairs_entry **at, u64 *owner)
{
	*owner = ft_pairs_owner_of_task(key);
	*at = ft_pairs_place(table, *owner);
	/* A value that is only compared may be read twice. */
	return likely(!data_race((*at)->sum) && data_race((*at)[1].owner) != *owner);
}

/**
 * ft_pairs_find_quick() - the first event of a second one
 * @table:	ft_pairs_table()
 * @at:		out: where it is, until ft_pairs_leave_quick()
 * @ts:		out: when it was
 * @word:	out: what was kept with it
 *
 * Return: false: ft_pairs_end() has to look for it.
 */
static __always_inline bool ft_pairs_find_quick(struct ft_pairs_table *table, u64 key,
						struct ft_pairs_entry **at, u64 *ts, u64 *word)
{
	u64 owner = ft_pairs_owner_of_task(key), turned;
	struct ft_pairs_entry *entry = ft_pairs_place(table, owner);

	/* A value that is only compared may be read twice. */
	if (unlikely(data_race(entry[1].owner) == owner))
		return false;
	*ts = READ_ONCE(entry->ts);
	/* What it must be if the entry is the owner's, and its sum that of the other words. */
	turned = READ_ONCE(entry->sum) ^ *ts ^ owner;
	/* Compared alone, too. */
	if (unlikely(data_race(entry->turned) != turned))
		return false;
	*word = ft_pairs_turn(turned);
	*at = entry;
	return true;
}

static __always_inline void ft_pairs_leave_quick(struct ft_pairs_entry *entry)
{
	WRITE_ONCE(entry->sum, 0);
}

#endif /* _FT_PAIRS_TABLE_H */
