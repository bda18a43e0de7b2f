/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A distribution of 64-bit values in bounded memory.
 *
 * Number, sum, least and greatest value are exact. Quantiles come from
 * log-linear bins: values below 128 have a bin each; above, each power of two is
 * cut into 64 equal bins, and a bin answers with its middle, which is at most
 * 1/128 (0.79 %) of the value away from any value in it. Bins exist only from
 * the least to the greatest value seen: 512 bytes for each power of two.
 */
#ifndef FT_BASE_HISTOGRAM_H
#define FT_BASE_HISTOGRAM_H

#include <stdint.h>

#include "base/distribution/loglinear.h"

#define HISTOGRAM_BITS	6
#define HISTOGRAM_SUB	(1u << HISTOGRAM_BITS)	/* bins a power of two */

/** struct histogram - zeroed, it is an empty distribution */
struct histogram {
	uint64_t		count;
	uint64_t		min, max;	/* undefined while count is 0 */
	unsigned __int128	sum;
	uint64_t		*bins;
	uint32_t		first;		/* number of bins[0] */
	uint32_t		n_bins;
};

/* Bins are numbered without gaps over the whole range of 64 bits. */
static inline uint32_t histogram_bin(uint64_t v)
{
	return loglinear_bin(v, HISTOGRAM_BITS);
}

/** histogram_low - the least value of a bin */
static inline uint64_t histogram_low(uint32_t bin)
{
	return loglinear_low(bin, HISTOGRAM_BITS);
}

/* Private: makes room so that @bin is among them; the first time, h->min is above all values. */
void histogram_widen(struct histogram *h, uint32_t bin);

/** histogram_add - count one value */
static inline void histogram_add(struct histogram *h, uint64_t v)
{
	uint32_t bin = histogram_bin(v);

	if (__builtin_expect(bin - h->first >= h->n_bins, 0))
		histogram_widen(h, bin);
	h->bins[bin - h->first]++;
	if (v < h->min)
		h->min = v;
	if (v > h->max)
		h->max = v;
	h->sum += v;
	h->count++;
}

/** histogram_merge - add all that was counted in @from to @h */
void histogram_merge(struct histogram *h, const struct histogram *from);

/**
 * histogram_quantile - the value that @permille of 1000 do not exceed
 * @permille: 500 is the median, 999 the 99.9th percentile
 *
 * The smallest value that at least @permille / 1000 of all values do not exceed
 * (nearest rank), within the error stated above. Return: 0 if the distribution is empty.
 */
uint64_t histogram_quantile(const struct histogram *h, unsigned int permille);

/** histogram_free - an empty distribution again */
void histogram_free(struct histogram *h);

#endif /* FT_BASE_HISTOGRAM_H */
