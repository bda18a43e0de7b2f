/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A distribution in little memory: a trace may have a hundred thousand locks, call
 * sites or tasks, each with one of these.
 *
 * Number, sum, least and greatest value are exact. Quantiles come from
 * log-linear bins, as in histogram.h but coarser: values below 32 have a bin
 * each; above, each power of two is cut into 16 bins, and a bin answers with its
 * middle, which is at most 1/32 (3.1 %) of the value away from any value in it.
 * Counts have 8 bits, so that a power of two takes 16 bytes. When one count
 * overflows, all get 16 bits, and later 32. Bins exist from the least to the greatest
 * power of two seen.
 */
#ifndef FT_BASE_SKETCH_H
#define FT_BASE_SKETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/distribution/loglinear.h"

#define SKETCH_BITS	4
#define SKETCH_SUB	(1u << SKETCH_BITS)	/* bins a power of two */

/** struct sketch - zeroed, it is an empty distribution */
struct sketch {
	uint64_t	count;
	uint64_t	sum;		/* saturates at UINT64_MAX */
	uint64_t	min, max;	/* undefined while count is 0 */
	void		*bins;		/* counts */
	uint16_t	first;		/* number of the first bin */
	uint16_t	n_bins;
	uint8_t		shift;		/* a count has 1 << shift bytes */
	uint8_t		tag;		/* the owner's, to fill a cache line */
};

static inline uint32_t sketch_bin(uint64_t v)
{
	return loglinear_bin(v, SKETCH_BITS);
}

/* Private: counts @n in bins[@i]. Return: false where that needs a wider count. */
static inline bool sketch_count(struct sketch *s, uint32_t i, uint32_t n)
{
	uint8_t *n8 = s->bins;
	uint16_t *n16 = s->bins;
	uint32_t *n32 = s->bins;

	if (!s->shift) {
		if (n > (uint32_t)UINT8_MAX - n8[i])
			return false;
		n8[i] = (uint8_t)(n8[i] + n);
	} else if (s->shift == 1) {
		if (n > (uint32_t)UINT16_MAX - n16[i])
			return false;
		n16[i] = (uint16_t)(n16[i] + n);
	} else if (__builtin_add_overflow(n32[i], n, &n32[i])) {
		n32[i] = UINT32_MAX;
	}
	return true;
}

/*
 * Private: counts @n in @bin, and makes room or widens the counts as needed. The first time,
 * @s->min is made larger than all values.
 */
void sketch_add_slow(struct sketch *s, uint32_t bin, uint32_t n,
		     struct arena *arena);

/** sketch_add_bin - count one value, whose sketch_bin() is known */
static inline void sketch_add_bin(struct sketch *s, uint64_t v, uint32_t bin,
				  struct arena *arena)
{
	uint32_t i = bin - s->first;

	if (__builtin_expect(i >= s->n_bins || !sketch_count(s, i, 1), 0))
		sketch_add_slow(s, bin, 1, arena);
	if (v < s->min)
		s->min = v;
	if (v > s->max)
		s->max = v;
	if (__builtin_add_overflow(s->sum, v, &s->sum))
		s->sum = UINT64_MAX;
	s->count++;
}

/** sketch_add - count one value; bins come from @arena, and go with it */
static inline void sketch_add(struct sketch *s, uint64_t v,
			      struct arena *arena)
{
	sketch_add_bin(s, v, sketch_bin(v), arena);
}

/** sketch_merge - add all that was counted in @from to @s */
void sketch_merge(struct sketch *s, const struct sketch *from,
		  struct arena *arena);

/** sketch_place - where @bin is counted: to prefetch; any address if it has none */
static inline const void *sketch_place(const struct sketch *s, uint32_t bin)
{
	uint32_t i = bin - s->first;

	/* in integers: it may lie outside of the bins, or there may be none */
	return (const void *)((uintptr_t)s->bins + ((uint64_t)i << s->shift));
}

/** sketch_quantile - as histogram_quantile(), within the error stated above */
uint64_t sketch_quantile(const struct sketch *s, unsigned int permille);

#endif /* FT_BASE_SKETCH_H */
