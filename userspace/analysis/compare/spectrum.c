// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The lowest frequencies of a series of blocks. See spectrum.h. */
#include <math.h>
#include <stdbool.h>

#include "analysis/compare/beta.h"
#include "analysis/compare/spectrum.h"

/*
 * The lowest frequencies are compared with those above. Chance makes flat spectra
 * look as if they fell. Taking too few frequencies costs power, taking none costs the
 * answer; so for the former it may do so twice as often.
 */
#define CHANCE_FEWER(chance)	(2 * (chance))

/* For sums that are about 1: anything smaller comes from rounding. */
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

void spectrum_of(struct spectrum *s, const double *series, size_t n)
{
	unsigned int all = n > SPECTRUM_SEEN ? SPECTRUM_SEEN : (unsigned int)n, j;

	s->n = 0;
	for (j = 1; j < all; j++) {
		double a = spectrum_cosine(series, n, j);

		s->square[s->n++] = a * a;
	}
}

/* Are the first @n of these greater on average than the others only by chance? */
static bool is_flat(const struct spectrum *sum, unsigned int n, double chance)
{
	unsigned int all = sum->n < SPECTRUM_REACH * n ? sum->n : SPECTRUM_REACH * n;
	double low = mean(sum->square, 0, n), high = mean(sum->square, n, all);

	if (low <= high || low < ROUNDING)
		return true;
	/* each is a sum of two squares, if both traces vary alike */
	return high > 0 &&
	       beta_fisher(low / high, 2 * n, 2 * (all - n)) >= chance;
}

unsigned int spectrum_flat(const struct spectrum *a, double by_a,
			   const struct spectrum *b, double by_b, double chance)
{
	struct spectrum sum = { .n = a->n < b->n ? a->n : b->n };
	unsigned int flat, j;

	if (sum.n + 1 < SPECTRUM_REACH * SPECTRUM_LEAST)
		return 0;
	for (j = 0; j < sum.n; j++)
		sum.square[j] = by_a * a->square[j] + by_b * b->square[j];
	if (!is_flat(&sum, SPECTRUM_LEAST, chance))
		return 0;
	/* if it falls within a few, it has not begun to be flat above them */
	for (flat = SPECTRUM_LEAST; flat < SPECTRUM_MOST; flat *= 2) {
		if (2 * flat >= sum.n ||
		    !is_flat(&sum, flat, CHANCE_FEWER(chance)) ||
		    !is_flat(&sum, 2 * flat, CHANCE_FEWER(chance)))
			break;
	}
	return flat;
}
