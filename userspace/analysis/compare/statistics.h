/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Is it a change or chance? Statistics on traces that were cut into blocks of
 * time (digest.h).
 *
 * Critical sections come in bursts and phases, so they are not independent, and
 * a textbook test on millions of them calls two halves of one workload different.
 * Whatever is compared here is therefore judged by how much it varies between the
 * blocks of the same trace. A burst may last many blocks: how much they vary
 * together is read from the slowest variations of the trace (spectrum.h),
 * and where these are too slow for its length, there is no test.
 *
 * Nothing here is drawn from outside: the same traces give the same answer.
 */
#ifndef FT_ANALYSIS_STATISTICS_H
#define FT_ANALYSIS_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/compare/spectrum.h"
#include "base/distribution/histogram.h"

/* With fewer blocks nothing can be said about the variation between them. */
#define STAT_LEAST_BLOCKS	8

/** enum stat_doubt - why there is no test */
enum stat_doubt {
	STAT_NO_DOUBT,
	STAT_FEW_BLOCKS,	/* less than STAT_LEAST_BLOCKS hold most of it */
	STAT_SLOW,		/* it varies too slowly for so short a trace */
};

/** struct stat_test - the probability of such a difference by chance, or NAN */
struct stat_test {
	double		p;
	enum stat_doubt	doubt;	/* why it is NAN */
};

/** struct stat_ratio - sum of one quantity by sum of another, as sections by time */
struct stat_ratio {
	double		value;
	double		blocks;		/* effective number; 0 without weight */
	enum stat_doubt	doubt;		/* STAT_FEW_BLOCKS, or none yet */
	struct spectrum	spectrum;	/* relative to @value; where there is no doubt */
};

/**
 * stat_ratio - a ratio and how it varies
 *
 * Blocks without weight (@below of 0) do not count.
 */
struct stat_ratio stat_ratio(const double *above, const double *below, size_t n);

/** stat_variance - of the ratio's value, by the @n lowest frequencies */
double stat_variance(const struct stat_ratio *r, unsigned int n);

/** stat_freedom - the degrees of freedom of that variance */
double stat_freedom(const struct stat_ratio *r, unsigned int n);

/* How often chance takes away a test; a part of its frequencies: twice as often. */
#define STAT_CHANCE	0.02

/**
 * stat_flat - how many frequencies may be taken for the difference of two ratios
 * @chance: see spectrum_flat()
 *
 * Return: up to SPECTRUM_MOST, which it is where few blocks say nothing of it; 0 for
 * none.
 */
unsigned int stat_flat(const struct stat_ratio *a, const struct stat_ratio *b,
		       double chance);

/**
 * stat_differ - Welch's t test of two ratios
 * @most: how many frequencies may be taken; 0 leaves no test
 */
struct stat_test stat_differ(const struct stat_ratio *a, const struct stat_ratio *b,
			     unsigned int most);

/** struct stat_ks - how two distributions differ */
struct stat_ks {
	double			distance;	/* greatest difference of shares, 0 to 1 */
	struct stat_test	test;
};

/**
 * stat_ks - the test of Kolmogorov and Smirnov, on blocks: see statistics.c
 * @most: as in stat_differ()
 */
struct stat_ks stat_ks(const struct histogram *a, size_t n_a,
		       const struct histogram *b, size_t n_b, unsigned int most);

/**
 * stat_holm - Holm's correction for so many tests, in place
 *
 * NAN is no test. If all that are not above ALPHA afterwards are called changes,
 * then with a probability of 1 - ALPHA none of them is chance.
 */
void stat_holm(double **p, size_t n);

#endif /* FT_ANALYSIS_STATISTICS_H */
