// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The lowest frequencies of a series of blocks. See spectrum.h. */
#include <math.h>
#include <stdbool.h>

#include "analysis/beta.h"
#include "analysis/spectrum.h"

/* The lowest frequencies are compared with those above, up to so many times. */
#define REACH		4
#define SEEN		(REACH * SPECTRUM_MOST)

/*
 * Chance makes flat spectra look as if they fell; so often it may. Taking too few
 * frequencies costs power, taking none costs the answer; so the second limit is
 * lower.
 */
#define CHANCE_FEWER	0.05
#define CHANCE_NONE	0.02

/* Of sums that are about 1: what is less is made by rounding. */
#define ROUNDING	1e-20

double spectrum_cosine(const double *series, size_t n, unsigned int j)
{
	double step = M_PI * j / (double)n, twice = 2 * cos(step);
	double before = cos(step / 2), at = before, sum = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		double next = twice * at - before;

		sum += at * series[i];
		before = at;
		at = next;
	}
	return M_SQRT2 * sum;
}

static double mean(const double *v, unsigned int from, unsigned int to)
{
	double sum = 0;
	unsigned int i;

	for (i = from; i < to; i++)
		sum += v[i];
	return sum / (to - from);
}

/* Are the first @n of these on average greater than the others by chance only? */
static bool is_flat(const double *square, unsigned int n, unsigned int all,
		    double chance)
{
	double low, high;

	if (all > REACH * n)
		all = REACH * n;
	low = mean(square, 0, n);
	high = mean(square, n, all);
	if (low <= high || low < ROUNDING)
		return true;
	return high > 0 && beta_fisher(low / high, n, all - n) >= chance;
}

unsigned int spectrum_flat(const double *series, size_t n)
{
	unsigned int all = n > SEEN ? SEEN : (unsigned int)n, flat, j;
	double square[SEEN];

	if (all < REACH * SPECTRUM_LEAST)
		return 0;
	for (j = 1; j < all; j++) {
		double a = spectrum_cosine(series, n, j);

		square[j - 1] = a * a;
	}
	all--;
	if (!is_flat(square, SPECTRUM_LEAST, all, CHANCE_NONE))
		return 0;
	/* if it falls within a few, it has not begun to be flat above them */
	for (flat = SPECTRUM_LEAST; flat < SPECTRUM_MOST; flat *= 2) {
		if (2 * flat >= all ||
		    !is_flat(square, flat, all, CHANCE_FEWER) ||
		    !is_flat(square, 2 * flat, all, CHANCE_FEWER))
			break;
	}
	return flat;
}
