// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The statistics of ft compare.
 *
 * A ratio of two sums over blocks, as number of sections by time, varies in
 * relation to its value as the sum over blocks of above / sum(above) - below /
 * sum(below) does (Cochran, Sampling Techniques, 1977, chapter 6). The variance of
 * that sum comes from the lowest frequencies of the series (spectrum.h), as many as
 * the sum of both traces' spectra is flat over. Where few blocks hold most of the
 * weight, their number is sum(below)^2 / sum(below^2), by Kish.
 *
 * Kolmogorov and Smirnov's distance between two distributions is the greatest
 * difference between the shares of values up to x, over all x. Its textbook
 * probability holds for independent values. Here it is found by a multiplier
 * bootstrap (van der Vaart and Wellner, Weak Convergence and Empirical Processes,
 * 1996, section 2.9), with the same frequencies for multipliers: at each x, the
 * share's deviation in a block is a series as that of a ratio is. Each frequency
 * gets a random weight, which is the same at all x, and all of a trace are
 * divided by a random size, as Student's t is: so their small number is taken
 * into account. How far the sums of the two traces then lie apart is what chance
 * does to the distance. That is repeated up to DRAWS times. How many frequencies
 * can be taken is asked of the series at the x with the greatest difference.
 *
 * The distance is looked for at the bounds of the histogram's bins, which are at
 * most 1.6 percent wide, and bins that hold less than one in 512 values are
 * joined. Differences within a bin are not seen: binning makes the distance
 * smaller, never larger, and so does not call for a change.
 */
#include <math.h>
#include <string.h>

#include "analysis/compare/beta.h"
#include "analysis/compare/spectrum.h"
#include "analysis/compare/statistics.h"
#include "base/mem.h"

#define DRAWS		9999
/* This many larger random distances are enough to decide (Besag and Clifford). */
#define DRAWS_LARGER	50
#define POINTS		512

/*
 * Deviations from their own mean vary less than those from the true mean; with few blocks
 * that matters.
 */
static double unbiased(double blocks)
{
	return blocks / (blocks - 1);
}

/* --- ratios --- */

struct stat_ratio stat_ratio(const double *above, const double *below, size_t n)
{
	struct stat_ratio r = { .value = NAN, .doubt = STAT_FEW_BLOCKS };
	double sum_above = 0, sum_below = 0, squares = 0;
	double *rest;
	size_t i;

	for (i = 0; i < n; i++) {
		sum_above += above[i];
		sum_below += below[i];
		squares += below[i] * below[i];
	}
	if (!(sum_below > 0))
		return r;
	r.value = sum_above / sum_below;
	r.blocks = sum_below * sum_below / squares;
	if (r.blocks < STAT_LEAST_BLOCKS)
		return r;
	rest = mem_zalloc(n, sizeof(*rest));
	for (i = 0; i < n; i++)
		rest[i] = sum_above > 0 ? above[i] / sum_above -
					  below[i] / sum_below : 0;
	spectrum_of(&r.spectrum, rest, n);
	free(rest);
	r.doubt = STAT_NO_DOUBT;
	return r;
}

/* By this the relative variance becomes that of the value. */
static double scale(const struct stat_ratio *r)
{
	return r->value * r->value * unbiased(r->blocks);
}

double stat_variance(const struct stat_ratio *r, unsigned int n)
{
	double sum = 0;
	unsigned int j;

	for (j = 0; j < n; j++)
		sum += r->spectrum.square[j];
	return scale(r) * sum / n;
}

double stat_freedom(const struct stat_ratio *r, unsigned int n)
{
	return fmin(n, r->blocks - 1);
}

unsigned int stat_flat(const struct stat_ratio *a, const struct stat_ratio *b,
		       double chance)
{
	if (a->doubt || b->doubt)
		return SPECTRUM_MOST;
	return spectrum_flat(&a->spectrum, scale(a), &b->spectrum, scale(b), chance);
}

static struct stat_test no_test(enum stat_doubt a, enum stat_doubt b)
{
	return (struct stat_test){ .p = NAN, .doubt = a > b ? a : b };
}

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

struct stat_test stat_differ(const struct stat_ratio *a, const struct stat_ratio *b,
			     unsigned int most)
{
	unsigned int n = least(most, stat_flat(a, b, STAT_CHANCE));
	double x, y, df;

	if (a->doubt || b->doubt)
		return no_test(a->doubt, b->doubt);
	if (!n)
		return no_test(STAT_SLOW, 0);
	x = stat_variance(a, n);
	y = stat_variance(b, n);
	if (!(x + y > 0))
		return (struct stat_test){ .p = a->value == b->value ? 1 : 0 };
	df = (x + y) * (x + y) / (x * x / stat_freedom(a, n) +
				  y * y / stat_freedom(b, n));
	return (struct stat_test){
		.p = beta_student(fabs(a->value - b->value) / sqrt(x + y), df),
	};
}

/* --- distributions --- */

/* The points at which two traces are compared, and the blocks' share of each. */
struct points {
	size_t		n;
	uint32_t	first, bins;	/* all bins in any block */
	uint32_t	*point;		/* of a bin, counted from @first */
};

static uint64_t sum_counts(const struct histogram *h, size_t n)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += h[i].count;
	return sum;
}

/* Effective number of blocks, as in stat_ratio(). */
static double weigh(const struct histogram *h, size_t n)
{
	double sum = 0, squares = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		sum += (double)h[i].count;
		squares += (double)h[i].count * (double)h[i].count;
	}
	return squares > 0 ? sum * sum / squares : 0;
}

static void points_range(struct points *p, const struct histogram *h, size_t n)
{
	uint32_t end = p->first + p->bins;
	size_t i;

	for (i = 0; i < n; i++) {
		if (!h[i].n_bins)
			continue;
		if (!p->bins || h[i].first < p->first)
			p->first = h[i].first;
		if (h[i].first + h[i].n_bins > end)
			end = h[i].first + h[i].n_bins;
		p->bins = end - p->first;
	}
}

static void add_mass(const struct points *p, const struct histogram *h,
		     size_t n, double *mass)
{
	double weight = 0.5 / (double)sum_counts(h, n);
	uint32_t bin;
	size_t i;

	for (i = 0; i < n; i++) {
		for (bin = 0; bin < h[i].n_bins; bin++)
			mass[h[i].first - p->first + bin] +=
				weight * (double)h[i].bins[bin];
	}
}

/* Joins poor bins; the last point, where all shares are 1, is left out. */
static void points_init(struct points *p, const struct histogram *a, size_t n_a,
			const struct histogram *b, size_t n_b)
{
	double *mass, sum = 0;
	uint32_t bin;

	*p = (struct points){ 0 };
	points_range(p, a, n_a);
	points_range(p, b, n_b);
	mass = mem_zalloc(p->bins, sizeof(*mass));
	p->point = mem_zalloc(p->bins, sizeof(*p->point));
	add_mass(p, a, n_a, mass);
	add_mass(p, b, n_b, mass);
	for (bin = 0; bin < p->bins; bin++) {
		p->point[bin] = (uint32_t)p->n;
		sum += mass[bin];
		if (sum >= 1.0 / POINTS) {
			p->n++;
			sum = 0;
		}
	}
	free(mass);
}

/* One of the two distributions. */
struct side {
	const struct histogram	*blocks;
	size_t			n;
	double			*share;		/* up to each point */
	double			*rest;		/* by point, then block */
	unsigned int		flat;		/* frequencies that are taken */
	unsigned int		freedom;	/* of these, see stat_ratio() */
};

/*
 * The shares of all values up to each point; and how far each block is off its
 * trace there.
 */
static void deviations(const struct points *p, struct side *s)
{
	double total = (double)sum_counts(s->blocks, s->n);
	double factor = sqrt(unbiased(weigh(s->blocks, s->n))) / total;
	size_t i, k;

	for (i = 0; i < s->n; i++) {
		const struct histogram *h = &s->blocks[i];
		double up_to = 0;
		uint32_t bin;

		for (bin = 0; bin < h->n_bins; bin++) {
			k = p->point[h->first - p->first + bin];
			if (k < p->n)
				s->rest[k * s->n + i] += (double)h->bins[bin];
		}
		for (k = 0; k < p->n; k++) {
			up_to += s->rest[k * s->n + i];
			s->rest[k * s->n + i] = up_to;
			s->share[k] += up_to / total;
		}
	}
	for (k = 0; k < p->n; k++) {
		for (i = 0; i < s->n; i++)
			s->rest[k * s->n + i] = factor *
				(s->rest[k * s->n + i] -
				 s->share[k] * (double)s->blocks[i].count);
	}
}

static void side_init(struct side *s, const struct points *p)
{
	s->share = mem_zalloc(p->n, sizeof(*s->share));
	s->rest = mem_zalloc(s->n * p->n, sizeof(*s->rest));
	deviations(p, s);
}

static void side_free(struct side *s)
{
	free(s->share);
	free(s->rest);
}

static double draw_even(uint64_t *state)	/* of (0, 1) */
{
	uint64_t x = *state += 0x9e3779b97f4a7c15ull;	/* splitmix64 */

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return ((double)((x ^ (x >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

static double draw_normal(uint64_t *state)	/* Box and Muller */
{
	double size = sqrt(-2 * log(draw_even(state)));

	return size * cos(2 * M_PI * draw_even(state));
}

/* Random weights of a trace's frequencies, all divided by a random size. */
static void draw_weights(const struct side *s, float *weight, uint64_t *state)
{
	double squares = 0;
	unsigned int j;

	for (j = 0; j < s->freedom; j++)
		squares += pow(draw_normal(state), 2);
	for (j = 0; j < s->flat; j++)
		weight[j] = (float)(draw_normal(state) /
				    sqrt(s->flat * squares / s->freedom));
}

/* The frequencies of one trace at all points: by frequency, then point. */
static void frequencies(const struct side *s, size_t points, float *to)
{
	unsigned int j;
	size_t k;

	for (j = 0; j < s->flat; j++) {
		for (k = 0; k < points; k++)
			to[j * points + k] = (float)
				spectrum_cosine(s->rest + k * s->n, s->n, j + 1);
	}
}

/* One random distance. */
static double draw(const float *wave, const float *weight, unsigned int n,
		   size_t points, float *sum)
{
	double max = 0;
	unsigned int j;
	size_t k;

	memset(sum, 0, points * sizeof(*sum));
	for (j = 0; j < n; j++) {
		const float *row = wave + j * points;

		for (k = 0; k < points; k++)
			sum[k] += weight[j] * row[k];
	}
	for (k = 0; k < points; k++) {
		if (fabsf(sum[k]) > max)
			max = fabsf(sum[k]);
	}
	return max;
}

static double bootstrap(const struct side *a, const struct side *b, size_t points,
			double distance)
{
	unsigned int draws = 0, larger = 0, n = a->flat + b->flat;
	float *wave = mem_zalloc(n * points, sizeof(*wave));
	float *sum = mem_zalloc(points, sizeof(*sum));
	float weight[2 * SPECTRUM_MOST];
	uint64_t state = 1;

	frequencies(a, points, wave);
	frequencies(b, points, wave + a->flat * points);
	while (draws < DRAWS && larger < DRAWS_LARGER) {
		draws++;
		draw_weights(a, weight, &state);
		draw_weights(b, weight + a->flat, &state);
		/* what differs by rounding only is no smaller */
		if (draw(wave, weight, n, points, sum) >= distance * (1 - 1e-5))
			larger++;
	}
	free(wave);
	free(sum);
	if (larger == DRAWS_LARGER)
		return (double)larger / draws;
	/* the distance itself is one of those that chance may make: never 0 */
	return (larger + 1.0) / (draws + 1.0);
}

/*
 * How many frequencies to take from both: those over which the sum of their spectra is flat, as
 * for ratios.
 */
static enum stat_doubt find_flat(struct side *a, struct side *b, size_t point,
				 unsigned int most)
{
	double blocks_a = weigh(a->blocks, a->n), blocks_b = weigh(b->blocks, b->n);
	struct spectrum x, y;

	if (fmin(blocks_a, blocks_b) < STAT_LEAST_BLOCKS)
		return STAT_FEW_BLOCKS;
	spectrum_of(&x, a->rest + point * a->n, a->n);
	spectrum_of(&y, b->rest + point * b->n, b->n);
	a->flat = least(most, spectrum_flat(&x, 1, &y, 1, STAT_CHANCE));
	b->flat = a->flat;
	a->freedom = (unsigned int)fmin(a->flat, blocks_a - 1);
	b->freedom = (unsigned int)fmin(b->flat, blocks_b - 1);
	return a->flat ? STAT_NO_DOUBT : STAT_SLOW;
}

struct stat_ks stat_ks(const struct histogram *a, size_t n_a,
		       const struct histogram *b, size_t n_b, unsigned int most)
{
	struct stat_ks ks = { .distance = NAN, .test = no_test(STAT_FEW_BLOCKS, 0) };
	struct side x = { .blocks = a, .n = n_a }, y = { .blocks = b, .n = n_b };
	struct points p;
	size_t k, at = 0;

	if (!sum_counts(a, n_a) || !sum_counts(b, n_b))
		return ks;
	points_init(&p, a, n_a, b, n_b);
	side_init(&x, &p);
	side_init(&y, &p);
	for (k = 0; k < p.n; k++) {
		if (fabs(x.share[k] - y.share[k]) > fabs(x.share[at] - y.share[at]))
			at = k;
	}
	ks.distance = p.n ? fabs(x.share[at] - y.share[at]) : 0;
	ks.test = no_test(find_flat(&x, &y, at, most), 0);
	if (!ks.test.doubt)
		ks.test.p = bootstrap(&x, &y, p.n, ks.distance);
	side_free(&x);
	side_free(&y);
	free(p.point);
	return ks;
}

/* --- many tests --- */

static int compare_p(const void *a, const void *b)
{
	double x = **(double *const *)a, y = **(double *const *)b;

	if (isnan(x) || isnan(y))
		return isnan(x) - isnan(y);
	return (x > y) - (x < y);
}

void stat_holm(double **p, size_t n)
{
	double lowest = 0;
	size_t i;

	if (!n)
		return;
	qsort(p, n, sizeof(*p), compare_p);
	while (n && isnan(*p[n - 1]))
		n--;
	for (i = 0; i < n; i++) {
		lowest = fmax(lowest, fmin(1, *p[i] * (double)(n - i)));
		*p[i] = lowest;
	}
}
