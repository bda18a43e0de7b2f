/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Is it a change or chance? Statistics on traces that were cut into blocks of
 * time (digest.h).
 *
 * Critical sections come in bursts and phases, so they are not independent, and
 * a textbook test on millions of them calls two halves of one workload different.
 * Blocks that are long against a burst are nearly independent. Whatever is
 * compared here is therefore judged by how much it varies between the blocks of
 * the same trace.
 *
 * Nothing here is drawn from outside: the same traces give the same answer.
 */
#ifndef FT_COMPARE_STAT_H
#define FT_COMPARE_STAT_H

#include <stddef.h>
#include <stdint.h>

#include "histogram.h"

/* With fewer blocks nothing can be said about the variation between them. */
#define STAT_LEAST_BLOCKS	8

/**
 * struct stat_ratio - sum of one quantity by sum of another, as sections by time
 * @blocks: how many blocks of equal weight would say as much
 */
struct stat_ratio {
	double	value;
	double	variance;	/* of @value */
	double	blocks;
};

/**
 * stat_ratio - a ratio and its variance, by batch means
 *
 * Blocks without weight (@below of 0) do not count. What is not known, because
 * there are less than STAT_LEAST_BLOCKS, has @blocks below that.
 */
struct stat_ratio stat_ratio(const double *above, const double *below, size_t n);

/**
 * stat_differ - Welch's t test of two ratios
 *
 * Return: the probability of a difference as large as this by chance; NAN where
 * one of them has too few blocks.
 */
double stat_differ(const struct stat_ratio *a, const struct stat_ratio *b);

/** stat_student - two-sided probability of |T| >= @t with @df degrees of freedom */
double stat_student(double t, double df);

/** struct stat_ks - how two distributions differ */
struct stat_ks {
	double	distance;	/* greatest difference of their shares, 0 to 1 */
	double	p;		/* of such a one by chance; NAN: too few blocks */
};

/** stat_ks - the test of Kolmogorov and Smirnov, on blocks: see compare_stat.c */
struct stat_ks stat_ks(const struct histogram *a, size_t n_a,
		       const struct histogram *b, size_t n_b);

/**
 * stat_holm - Holm's correction for so many tests, in place
 *
 * NAN is no test. If all that are not above ALPHA afterwards are called changes,
 * then with a probability of 1 - ALPHA none of them is chance.
 */
void stat_holm(double **p, size_t n);

#endif /* FT_COMPARE_STAT_H */
