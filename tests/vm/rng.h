/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Chance that a seed repeats, for tests that try what comes. */
#ifndef FT_TESTS_RNG_H
#define FT_TESTS_RNG_H

#include <stdbool.h>
#include <stdint.h>

struct rng {
	uint64_t	state;
};

/** rng_next - 64 random bits (SplitMix64: Steele, Lea and Flood, OOPSLA 2014) */
static inline uint64_t rng_next(struct rng *rng)
{
	uint64_t z = rng->state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static inline unsigned int rng_below(struct rng *rng, unsigned int n)
{
	return (unsigned int)(rng_next(rng) % n);
}

/** rng_one_in - true once in @n times */
static inline bool rng_one_in(struct rng *rng, unsigned int n)
{
	return !rng_below(rng, n);
}

/** rng_fork - chances of somebody else, who is number @who */
static inline struct rng rng_fork(const struct rng *rng, unsigned int who)
{
	struct rng other = { rng->state ^ (who + 1) * 0xd1342543de82ef95ull };

	rng_next(&other);
	return other;
}

#endif /* FT_TESTS_RNG_H */
