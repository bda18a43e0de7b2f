/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What is kept of the turns of a loop, in ticks: a distribution in memory that is there
 * from the beginning, so that to add one takes the same few instructions each time.
 *
 * Bins are those of base/distribution/histogram.h; number, sum, squares,
 * least and greatest are exact. Of turns of a limit or more, the longest are kept one by one.
 */
#ifndef FT_NPT_TURNS_H
#define FT_NPT_TURNS_H

#include <stddef.h>
#include <stdint.h>

#include "base/distribution/histogram.h"

#define TURNS_BITS	HISTOGRAM_BITS
#define TURNS_BINS	((65 - TURNS_BITS) << TURNS_BITS)
#define TURNS_KEPT	8192

struct turn {
	uint64_t	begin, end;
};

struct turns {
	uint64_t		count;
	uint64_t		min, max;	/* undefined while count is 0 */
	unsigned __int128	sum, squares;
	uint64_t		limit;		/* turns as long as that are long */
	uint64_t		long_count, long_sum;
	struct turn		*kept;		/* the longest: a heap, the shortest first */
	size_t			n_kept;		/* at most TURNS_KEPT */
	uint64_t		bin[TURNS_BINS];
};

/** turns_new - zeroed, and all of it in memory */
struct turns *turns_new(uint64_t limit);
void turns_free(struct turns *t);

/** turns_keep - put a long one into @kept, in the place of the shortest if it is full */
void turns_keep(struct turns *t, uint64_t begin, uint64_t end);

/** turns_sort - @kept in the order of time; then none can be added */
void turns_sort(struct turns *t);

static inline __attribute__((always_inline))
void turns_add(struct turns *t, uint64_t begin, uint64_t end)
{
	uint64_t length = end - begin;

	t->bin[loglinear_bin(length, TURNS_BITS)]++;
	t->count++;
	t->sum += length;
	t->squares += (unsigned __int128)length * length;
	if (__builtin_expect(length < t->min, 0))
		t->min = length;
	if (__builtin_expect(length > t->max, 0))
		t->max = length;
	if (__builtin_expect(length >= t->limit, 0)) {
		t->long_count++;
		t->long_sum += length;
		turns_keep(t, begin, end);
	}
}

/** turns_mean, turns_deviation - in ticks; 0 of none */
double turns_mean(const struct turns *t);
double turns_deviation(const struct turns *t);

/**
 * turns_step - the clock's resolution, in ticks: all short turns are multiples of it
 *
 * Some processors and hypervisors advance the TSC by more than 1. 0 without turns.
 */
uint64_t turns_step(const struct turns *t);

/** turns_quantile - the value that @permille of 1000 do not exceed, as histogram_quantile() */
uint64_t turns_quantile(const struct turns *t, unsigned int permille);

#endif /* FT_NPT_TURNS_H */
