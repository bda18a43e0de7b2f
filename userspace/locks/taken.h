/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Is a lock held at the moment, by anybody? Asked at each acquisition, so the answer
 * comes from a small table: "no" is certain, and "perhaps" is rare.
 *
 * A place counts the holders of all locks that fall on it, and adds up their
 * addresses: where there is one holder, the sum is its lock.
 */
#ifndef FT_LOCKS_TAKEN_H
#define FT_LOCKS_TAKEN_H

#include <stdbool.h>
#include <stdint.h>

#define TAKEN_BITS	10

struct taken {
	uint64_t	locks;		/* the sum of their addresses; it may wrap */
	uint64_t	holders;	/* how many; above 32 bits, those who exclude all others */
};

static inline uint64_t taken_holder(bool exclusive)
{
	return 1 | (uint64_t)exclusive << 32;
}

static inline struct taken *taken_place(struct taken *table, uint64_t lock)
{
	return &table[lock * 0x9e3779b97f4a7c15ull >> (64 - TAKEN_BITS)];
}

static inline void taken_add(struct taken *table, uint64_t lock, bool exclusive)
{
	struct taken *place = taken_place(table, lock);

	place->locks += lock;
	place->holders += taken_holder(exclusive);
}

static inline void taken_remove(struct taken *table, uint64_t lock, bool exclusive)
{
	struct taken *place = taken_place(table, lock);

	place->locks -= lock;
	place->holders -= taken_holder(exclusive);
}

/** taken_at_all - may anybody hold @lock? As quick as can be, for each record */
static inline bool taken_at_all(struct taken *table, uint64_t lock)
{
	const struct taken *place = taken_place(table, lock);

	return ((uint32_t)place->holders > 1) | (place->locks == lock);
}

/** taken_perhaps - then, may it be held so that this acquisition is impossible? */
static inline bool taken_perhaps(struct taken *table, uint64_t lock, bool exclusive)
{
	uint64_t holders = taken_place(table, lock)->holders;

	return exclusive ? holders : holders >> 32;
}

#endif /* FT_LOCKS_TAKEN_H */
