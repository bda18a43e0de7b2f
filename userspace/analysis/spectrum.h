/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * How much does a sum over blocks of time vary by chance, if the blocks are
 * correlated?
 *
 * The variance of a sum of n blocks is n times the spectrum of the series at
 * frequency 0 (Heidelberger and Welch, CACM 1981). Each of the lowest frequencies,
 * taken with a cosine over the whole trace, estimates it; as long as the spectrum
 * is flat there, these estimates are independent, and their mean has as many
 * degrees of freedom as there are of them (Lazarus, Lewis, Stock and Watson, JBES
 * 2018: equally weighted cosines). Bursts that are short against the trace raise
 * all of these frequencies alike. Long ones raise the lowest most: then less of
 * them are taken, and where not even SPECTRUM_LEAST are alike, the trace is too
 * short to tell.
 */
#ifndef FT_ANALYSIS_SPECTRUM_H
#define FT_ANALYSIS_SPECTRUM_H

#include <stddef.h>

#define SPECTRUM_LEAST	4
#define SPECTRUM_MOST	16

/**
 * spectrum_cosine - the cosine that turns @j times, half by half, in the series
 *
 * Its square estimates the variance of the sum of @series, whose own sum is 0.
 */
double spectrum_cosine(const double *series, size_t n, unsigned int j);

/**
 * spectrum_flat - over how many of the lowest frequencies the spectrum is flat
 * @series: relative to its size: deviations of shares from what they are on average
 *
 * Return: SPECTRUM_LEAST to SPECTRUM_MOST; 0 if it is not, or @n is too small.
 */
unsigned int spectrum_flat(const double *series, size_t n);

#endif /* FT_ANALYSIS_SPECTRUM_H */
