/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A map from two addresses and a tag (two call sites, two locks) to an entry, with
 * bounded memory: beyond @max entries it refuses new ones, and counts these.
 */
#ifndef FT_BASE_PAIRS_H
#define FT_BASE_PAIRS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/** struct pair - the first member of an entry */
struct pair {
	uint64_t	a, b;
	uint32_t	tag;
	uint32_t	more;		/* no part of the key: an entry's own */
};

struct pairs_slot {
	uint64_t	hash;
	struct pair	*entry;		/* or NULL */
};

struct pairs {
	size_t			size;		/* of an entry */
	size_t			max;		/* entries */
	size_t			used;
	uint64_t		refused;	/* how often the map was full */
	size_t			mask;		/* private: places - 1 */
	struct pairs_slot	*slots;
	struct arena		memory;
};

static inline uint64_t pairs_hash(uint64_t a, uint64_t b, uint32_t tag)
{
	uint64_t h = (a ^ tag) * 0x9e3779b97f4a7c15ull;

	h = (h ^ (h >> 32) ^ b) * 0xbf58476d1ce4e5b9ull;
	return h ^ (h >> 31);
}

/** pairs_get_hashed - pairs_get() of a pair whose pairs_hash() is known */
void *pairs_get_hashed(struct pairs *p, uint64_t hash, uint64_t a, uint64_t b,
		       uint32_t tag);

/** pairs_get - an entry, zeroed if it is new; NULL, and counted, if the map is full */
static inline void *pairs_get(struct pairs *p, uint64_t a, uint64_t b, uint32_t tag)
{
	return pairs_get_hashed(p, pairs_hash(a, b, tag), a, b, tag);
}

/**
 * pairs_get_near - the same; @entry: what pairs_entry() gave, which it is nearly always
 */
static inline void *pairs_get_near(struct pairs *p, void *entry, uint64_t hash,
				   uint64_t a, uint64_t b, uint32_t tag)
{
	const struct pair *e = entry;

	if (e && e->a == a && e->b == b && e->tag == tag)
		return entry;
	return pairs_get_hashed(p, hash, a, b, tag);
}

/** pairs_find - an entry, or NULL if there is none */
void *pairs_find(const struct pairs *p, uint64_t a, uint64_t b, uint32_t tag);

/** pairs_place, pairs_entry - to prefetch: the slot of a pair; its entry */
const void *pairs_place(const struct pairs *p, uint64_t hash);
void *pairs_entry(const struct pairs *p, uint64_t hash);

/** pairs_list - all entries, in no order: @used pointers, the caller's to free */
void **pairs_list(const struct pairs *p);

void pairs_free(struct pairs *p);

#endif /* FT_BASE_PAIRS_H */
