/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * How much does a sum over blocks of time vary at random, if the blocks are
 * correlated?
 *
 * The variance of a sum of n blocks is n times the spectrum of the series at
 * frequency 0 (Heidelberger and Welch, CACM 1981). Each of the lowest frequencies,
 * taken with a cosine over the whole trace, estimates it; as long as the spectrum
 * is flat there, these estimates are independent, and their mean has as many
 * degrees of freedom as there are of them (Lazarus, Lewis, Stock and Watson, JBES
 * 2018: equally weighted cosines). Bursts that are short compared to the trace raise
 * all of these frequencies alike. Long ones raise the lowest most: then fewer of
 * them are used, and if not even SPECTRUM_LEAST are alike, the trace is too
 * short to tell.
 *
 * The variance of a difference of two traces is the sum of theirs, and so is its
 * spectrum. So it is the sum that must be flat: it is known twice as well as each
 * of them, and one question has half of the wrong answers of two.
 */
#ifndef FT_ANALYSIS_SPECTRUM_H
#define FT_ANALYSIS_SPECTRUM_H

#include <stddef.h>

#define SPECTRUM_LEAST	4
#define SPECTRUM_MOST	16
/* The lowest frequencies are compared with those above, at most this many times. */
#define SPECTRUM_REACH	4
#define SPECTRUM_SEEN	(SPECTRUM_REACH * SPECTRUM_MOST)

/** struct spectrum - the variance of a sum, as each of the lowest frequencies has it */
struct spectrum {
	unsigned int	n;
	double		square[SPECTRUM_SEEN];	/* [0]: of spectrum_cosine(1) */
};

/**
 * spectrum_cosine - the cosine that turns @j times, half by half, in the series
 *
 * Its square estimates the variance of the sum of @series, whose own sum is 0.
 */
double spectrum_cosine(const double *series, size_t n, unsigned int j);

/**
 * spectrum_of - the spectrum of a series of @n blocks
 * @series: relative to its size: deviations of shares from what they are on average
 */
void spectrum_of(struct spectrum *s, const double *series, size_t n);

/**
 * spectrum_flat - over how many of the lowest frequencies a sum of two is flat
 * @by_a, @by_b: the spectra count so many times
 * @chance: how often a flat one may be taken for one that is not, if they are of one
 *	size; where one is nothing beside the other, 0.02 becomes 0.07, 0.01 0.05
 *
 * Return: SPECTRUM_LEAST to SPECTRUM_MOST; 0 if it is not, or there are too few blocks.
 */
unsigned int spectrum_flat(const struct spectrum *a, double by_a,
			   const struct spectrum *b, double by_b, double chance);

#endif /* FT_ANALYSIS_SPECTRUM_H */
