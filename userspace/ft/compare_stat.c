// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The statistics of ft compare.
 *
 * Batch means (Law and Kelton, Simulation Modeling and Analysis): a ratio R of
 * two sums over blocks, as number of sections by time, has about the variance
 *
 *	n / (n - 1) * sum((above - R * below)^2) / sum(below)^2
 *
 * (Cochran, Sampling Techniques, 1977, chapter 6). Where few blocks hold most of
 * the weight, n is not their number but sum(below)^2 / sum(below^2), by Kish.
 *
 * Kolmogorov and Smirnov's distance between two distributions is the greatest
 * difference between the shares of values up to x, over all x. Its textbook
 * probability holds for independent values. Here it is found by a multiplier
 * bootstrap over blocks (van der Vaart and Wellner, Weak Convergence and
 * Empirical Processes, 1996, section 2.9): each block's deviation from its own
 * trace gets a random sign, and how far the sums of the two traces then lie apart
 * is what chance does to the distance. That is repeated up to DRAWS times.
 *
 * The distance is looked for at the bounds of the histogram's bins, which are at
 * most 1.6 percent wide, and bins that hold less than one in 512 values are
 * joined. Differences within a bin are not seen: binning makes the distance
 * smaller, never larger, and so does not call for a change.
 */
#include <math.h>
#include <string.h>

#include "compare_stat.h"
#include "report_mem.h"

#define DRAWS		9999
/* So many larger distances by chance are enough to know (Besag and Clifford). */
#define DRAWS_LARGER	50
#define POINTS		512

/* --- ratios --- */

struct stat_ratio stat_ratio(const double *above, const double *below, size_t n)
{
	double sum_above = 0, sum_below = 0, squares = 0, rest = 0;
	struct stat_ratio r = { .value = NAN, .variance = NAN };
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
	for (i = 0; i < n; i++) {
		double e = above[i] - r.value * below[i];

		rest += e * e;
	}
	if (r.blocks > 1)
		r.variance = r.blocks / (r.blocks - 1) * rest /
			     (sum_below * sum_below);
	return r;
}

double stat_differ(const struct stat_ratio *a, const struct stat_ratio *b)
{
	double sum = a->variance + b->variance, df;

	if (!(a->blocks >= STAT_LEAST_BLOCKS && b->blocks >= STAT_LEAST_BLOCKS))
		return NAN;
	if (!(sum > 0))
		return a->value == b->value ? 1 : 0;
	df = sum * sum / (a->variance * a->variance / (a->blocks - 1) +
			  b->variance * b->variance / (b->blocks - 1));
	return stat_student(fabs(a->value - b->value) / sqrt(sum), df);
}

/*
 * The regularized incomplete beta function by its continued fraction (Abramowitz
 * and Stegun 26.5.8), evaluated from the front (Lentz).
 */
static double beta_fraction(double x, double a, double b)
{
	const double tiny = 1e-300;
	double c = 1, d = 0, f = 1;
	int i;

	for (i = 0; i < 1000; i++) {
		double m = i / 2, t, step;

		if (!i)
			t = 1;
		else if (i % 2)
			t = -(a + m) * (a + b + m) * x /
			    ((a + 2 * m) * (a + 2 * m + 1));
		else
			t = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		d = 1 + t * d;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = 1 + t / c;
		if (fabs(c) < tiny)
			c = tiny;
		step = c * d;
		f *= step;
		if (fabs(step - 1) < 1e-12)
			break;
	}
	return f - 1;
}

static double beta_share(double x, double a, double b)
{
	double front;

	if (x <= 0)
		return 0;
	if (x >= 1)
		return 1;
	front = exp(a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a) -
		    lgamma(b));
	/* it converges fast on one side only */
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(x, a, b) / a;
	return 1 - front * beta_fraction(1 - x, b, a) / b;
}

double stat_student(double t, double df)
{
	return beta_share(df / (df + t * t), df / 2, 0.5);
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

/*
 * The shares of all values up to each point, into @share; and for each block,
 * into @rest, how far it is off its trace there.
 */
static void deviations(const struct points *p, const struct histogram *h,
		       size_t n, double *share, float *rest)
{
	double total = (double)sum_counts(h, n), blocks = weigh(h, n);
	double factor = sqrt(blocks / (blocks - 1)), *cum;
	size_t i, k;

	cum = mem_zalloc(n * (p->n + 1), sizeof(*cum));
	for (i = 0; i < n; i++) {
		double *row = cum + i * (p->n + 1);
		uint32_t bin;

		for (bin = 0; bin < h[i].n_bins; bin++)
			row[p->point[h[i].first - p->first + bin]] +=
				(double)h[i].bins[bin];
		for (k = 0; k < p->n; k++) {
			row[k + 1] += row[k];
			share[k] += row[k] / total;
		}
	}
	for (i = 0; i < n; i++) {
		for (k = 0; k < p->n; k++)
			rest[i * p->n + k] = (float)(factor / total *
				(cum[i * (p->n + 1) + k] -
				 share[k] * (double)h[i].count));
	}
	free(cum);
}

static uint64_t draw_bits(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15ull;	/* splitmix64 */

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

/* One distance by chance: the blocks' deviations with random signs. */
static double draw(const float *rest, size_t blocks, size_t points, float *sum,
		   uint64_t *state)
{
	uint64_t bits = 0;
	double max = 0;
	size_t i, k;

	memset(sum, 0, points * sizeof(*sum));
	for (i = 0; i < blocks; i++) {
		const float *row = rest + i * points;
		float sign;

		if (i % 64 == 0)
			bits = draw_bits(state);
		sign = bits >> (i % 64) & 1 ? 1 : -1;
		for (k = 0; k < points; k++)
			sum[k] += sign * row[k];
	}
	for (k = 0; k < points; k++) {
		if (fabsf(sum[k]) > max)
			max = fabsf(sum[k]);
	}
	return max;
}

static double bootstrap(const float *rest, size_t blocks, size_t points,
			double distance)
{
	float *sum = mem_zalloc(points, sizeof(*sum));
	unsigned int draws = 0, larger = 0;
	uint64_t state = 1;

	while (draws < DRAWS && larger < DRAWS_LARGER) {
		draws++;
		/* what differs by rounding only is no smaller */
		if (draw(rest, blocks, points, sum, &state) >=
		    distance * (1 - 1e-5))
			larger++;
	}
	free(sum);
	if (larger == DRAWS_LARGER)
		return (double)larger / draws;
	return (larger + 1.0) / (draws + 1.0);
}

struct stat_ks stat_ks(const struct histogram *a, size_t n_a,
		       const struct histogram *b, size_t n_b)
{
	struct stat_ks ks = { .distance = NAN, .p = NAN };
	double *share_a, *share_b;
	struct points p;
	float *rest;
	size_t k;

	if (!sum_counts(a, n_a) || !sum_counts(b, n_b))
		return ks;
	points_init(&p, a, n_a, b, n_b);
	share_a = mem_zalloc(p.n, sizeof(*share_a));
	share_b = mem_zalloc(p.n, sizeof(*share_b));
	rest = mem_zalloc((n_a + n_b) * p.n, sizeof(*rest));
	deviations(&p, a, n_a, share_a, rest);
	deviations(&p, b, n_b, share_b, rest + n_a * p.n);
	ks.distance = 0;
	for (k = 0; k < p.n; k++)
		ks.distance = fmax(ks.distance, fabs(share_a[k] - share_b[k]));
	if (weigh(a, n_a) >= STAT_LEAST_BLOCKS &&
	    weigh(b, n_b) >= STAT_LEAST_BLOCKS)
		ks.p = bootstrap(rest, n_a + n_b, p.n, ks.distance);
	free(share_a);
	free(share_b);
	free(rest);
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
	double least = 0;
	size_t i;

	if (!n)
		return;
	qsort(p, n, sizeof(*p), compare_p);
	while (n && isnan(*p[n - 1]))
		n--;
	for (i = 0; i < n; i++) {
		least = fmax(least, fmin(1, *p[i] * (double)(n - i)));
		*p[i] = least;
	}
}
