// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Small distributions: growing and asking. See sketch.h. */
#include <string.h>

#include "base/distribution/sketch.h"

#define OCTAVES		61u	/* of all values of 64 bits, 16 bins each */

_Static_assert(OCTAVES * SKETCH_SUB * sizeof(uint32_t) <= ARENA_UNIT * ARENA_CLASSES,
	       "all bins there can be, with wide counts");

static uint32_t bin_count(const struct sketch *s, unsigned int i)
{
	return !s->shift ? ((const uint8_t *)s->bins)[i] :
	       s->shift == 1 ? ((const uint16_t *)s->bins)[i] :
			       ((const uint32_t *)s->bins)[i];
}

/*
 * How many powers of two there will be where so many are needed: one for the
 * first value, then four at a time. What is outgrown is lost to most others, so
 * steps should be few; and most locks are held for about the same time.
 */
static uint32_t room_for(const struct sketch *s, uint32_t needed)
{
	uint32_t room = s->n_bins ? (needed + 3) / 4 * 4 : needed;

	return room < OCTAVES ? room : OCTAVES;
}

/* Whole powers of two; more than needed on the side where it grows. */
static void grow(struct sketch *s, uint32_t bin, struct arena *arena)
{
	uint32_t first = bin / SKETCH_SUB, end = first + 1, more;
	size_t size = 1u << s->shift;
	bool down = bin < s->first;
	uint8_t *bins;

	if (s->n_bins) {
		if (s->first / SKETCH_SUB < first)
			first = s->first / SKETCH_SUB;
		if ((s->first + s->n_bins) / SKETCH_SUB > end)
			end = (s->first + s->n_bins) / SKETCH_SUB;
	} else {
		s->min = UINT64_MAX;
	}
	for (more = room_for(s, end - first) - (end - first); more; more--) {
		if ((down && first) || end == OCTAVES)
			first--;
		else
			end++;
	}
	first *= SKETCH_SUB;
	end *= SKETCH_SUB;
	bins = arena_zalloc(arena, (end - first) * size);
	if (s->n_bins)
		memcpy(bins + (s->first - first) * size, s->bins,
		       s->n_bins * size);
	arena_give_back(arena, s->bins, s->n_bins * size);
	s->bins = bins;
	s->first = (uint16_t)first;
	s->n_bins = (uint16_t)(end - first);
}

/* Each count gets twice the bytes. */
static void widen(struct sketch *s, struct arena *arena)
{
	size_t size = (size_t)s->n_bins << s->shift;
	void *wide = arena_zalloc(arena, 2 * size);
	unsigned int i;

	for (i = 0; i < s->n_bins; i++) {
		if (!s->shift)
			((uint16_t *)wide)[i] = (uint16_t)bin_count(s, i);
		else
			((uint32_t *)wide)[i] = (uint32_t)bin_count(s, i);
	}
	arena_give_back(arena, s->bins, size);
	s->bins = wide;
	s->shift++;
}

void sketch_add_slow(struct sketch *s, uint32_t bin, uint32_t n,
		     struct arena *arena)
{
	if (bin - s->first >= s->n_bins)
		grow(s, bin, arena);
	while (!sketch_count(s, bin - s->first, n))
		widen(s, arena);
}

void sketch_merge(struct sketch *s, const struct sketch *from,
		  struct arena *arena)
{
	unsigned int i;

	if (!from->count)
		return;
	for (i = 0; i < from->n_bins; i++) {
		if (bin_count(from, i))
			sketch_add_slow(s, from->first + i, bin_count(from, i),
					arena);
	}
	if (from->min < s->min)
		s->min = from->min;
	if (from->max > s->max)
		s->max = from->max;
	if (__builtin_add_overflow(s->sum, from->sum, &s->sum))
		s->sum = UINT64_MAX;
	s->count += from->count;
}

uint64_t sketch_quantile(const struct sketch *s, unsigned int permille)
{
	uint64_t rank, seen = 0, v;
	unsigned int i;

	if (!s->count)
		return 0;
	rank = ((unsigned __int128)s->count * permille + 999) / 1000;
	if (rank <= 1)
		return s->min;
	for (i = 0; i < s->n_bins - 1u; i++) {
		seen += bin_count(s, i);
		if (seen >= rank)
			break;
	}
	v = loglinear_middle(s->first + i, SKETCH_BITS);
	if (v > s->max)
		return s->max;
	return v < s->min ? s->min : v;
}
