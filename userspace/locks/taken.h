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
	uint32_t	exclusive;	/* holders who exclude all others */
	uint32_t	shared;		/* and those who do not */
};

static inline struct taken *taken_place(struct taken *table, uint64_t lock)
{
	return &table[lock * 0x9e3779b97f4a7c15ull >> (64 - TAKEN_BITS)];
}

static inline void taken_add(struct taken *table, uint64_t lock, bool exclusive)
{
	struct taken *place = taken_place(table, lock);

	place->locks += lock;
	place->exclusive += exclusive;
	place->shared += !exclusive;
}

static inline void taken_remove(struct taken *table, uint64_t lock, bool exclusive)
{
	struct taken *place = taken_place(table, lock);

	place->locks -= lock;
	place->exclusive -= exclusive;
	place->shared -= !exclusive;
}

/** taken_perhaps - may @lock be held, so that this acquisition is impossible? */
static inline bool taken_perhaps(struct taken *table, uint64_t lock, bool exclusive)
{
	const struct taken *place = taken_place(table, lock);

	bool held = place->exclusive | (place->shared & -(uint32_t)exclusive);

	return held & ((place->exclusive + place->shared > 1) |
		       (place->locks == lock));
}

#endif /* FT_LOCKS_TAKEN_H */
