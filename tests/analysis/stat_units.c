// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The statistics of ft compare against tables, and against chance itself. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/compare/beta.h"
#include "analysis/compare/spectrum.h"
#include "analysis/compare/statistics.h"

#define BLOCKS	100

static uint64_t seed = 88172645463325252ull;

static double chance(void)		/* of [0, 1) */
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (double)(seed >> 11) / 9007199254740992.0;
}

static void check_close(double got, double want, double error)
{
	if (!(fabs(got - want) <= error))
		fail_msg("%.9g is not near %.9g", got, want);
}

/* --- Student's t --- */

static void student_is_that_of_the_tables(void **state)
{
	static const struct { double t, df, p; } rows[] = {
		/* two-sided, as printed in every book */
		{ 12.7062, 1, 0.05 }, { 4.30265, 2, 0.05 }, { 2.22814, 10, 0.05 },
		{ 2.08596, 20, 0.05 }, { 2.84534, 20, 0.01 }, { 3.84952, 20, 0.001 },
		{ 1.95996, 1e7, 0.05 }, { 0, 5, 1 }, { 1, 1, 0.5 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_close(beta_student(rows[i].t, rows[i].df), rows[i].p, 2e-6);
	assert_true(beta_student(60, 30) < 1e-25);
	assert_true(beta_student(60, 30) > 0);
}

static void fisher_is_that_of_the_tables(void **state)
{
	static const struct { double f, above, below, p; } rows[] = {
		{ 4.9646, 1, 10, 0.05 }, { 3.2592, 4, 12, 0.05 },
		{ 2.4801, 4, 12, 0.1 }, { 2.3551, 8, 24, 0.05 },
		{ 1, 7, 7, 0.5 }, { 0, 3, 4, 1 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_close(beta_fisher(rows[i].f, rows[i].above, rows[i].below),
			    rows[i].p, 2e-5);
	/* that of T^2 */
	check_close(beta_fisher(4.0, 1, 9), beta_student(2.0, 9), 1e-12);
}

/* --- series --- */

static double normal(void)
{
	return sqrt(-2 * log(1 - chance())) * cos(2 * M_PI * chance());
}

/* Correlated over @time blocks: to 1/e; its sum has the variance @n, about. */
static void series_fill(double *v, size_t n, double time)
{
	double keep = time > 0 ? exp(-1 / time) : 0, x = normal();
	size_t i;

	for (i = 0; i < n; i++) {
		v[i] = x * sqrt((1 - keep) / (1 + keep));
		x = keep * x + sqrt(1 - keep * keep) * normal();
	}
}

static void spectrum_is_the_variance_of_the_sum(void **state)
{
	double v[BLOCKS], squares[SPECTRUM_MOST] = { 0 };
	unsigned int i, j;

	(void)state;
	for (i = 0; i < 2000; i++) {
		series_fill(v, BLOCKS, 0);
		for (j = 0; j < SPECTRUM_MOST; j++)
			squares[j] += pow(spectrum_cosine(v, BLOCKS, j + 1), 2) / 2000;
	}
	for (j = 0; j < SPECTRUM_MOST; j++)
		check_close(squares[j], BLOCKS, 0.15 * BLOCKS);
	/* cosines do not see each other */
	for (i = 0; i < BLOCKS; i++)
		v[i] = cos(M_PI * 3 * (i + 0.5) / BLOCKS);
	check_close(spectrum_cosine(v, BLOCKS, 3), BLOCKS / M_SQRT2, 1e-9);
	check_close(spectrum_cosine(v, BLOCKS, 5), 0, 1e-9);
}

static unsigned int flat_of(const double *a, const double *b, size_t n)
{
	struct spectrum x, y;

	spectrum_of(&x, a, n);
	spectrum_of(&y, b, n);
	return spectrum_flat(&x, 1, &y, 1, 0.02);
}

static void spectrum_is_flat_where_bursts_are_short(void **state)
{
	unsigned int i, most = 0, none = 0, none_short = 0;
	double v[BLOCKS], w[BLOCKS];

	(void)state;
	for (i = 0; i < 500; i++) {
		unsigned int flat;

		series_fill(v, BLOCKS, 0);
		series_fill(w, BLOCKS, 0);
		flat = flat_of(v, w, BLOCKS);
		most += flat == SPECTRUM_MOST;
		none_short += flat == 0;
		series_fill(v, BLOCKS, BLOCKS / 5.0);
		series_fill(w, BLOCKS, BLOCKS / 5.0);
		none += flat_of(v, w, BLOCKS) == 0;
	}
	assert_in_range(most, 400, 500);
	assert_in_range(none_short, 2, 20);
	assert_in_range(none, 400, 500);
	memset(v, 0, sizeof(v));
	assert_int_equal(flat_of(v, v, BLOCKS), SPECTRUM_MOST);
	assert_int_equal(flat_of(v, v, 4 * SPECTRUM_LEAST - 1), 0);
}

/* Each counts as much as its size makes it. */
static void spectrum_of_a_sum(void **state)
{
	double flat[BLOCKS], slow[BLOCKS];
	struct spectrum x, y;
	unsigned int i;

	(void)state;
	for (i = 0; i < BLOCKS; i++) {
		flat[i] = i % 2 ? 1 : -1;
		slow[i] = i < BLOCKS / 2 ? 1 : -1;
	}
	flat[0] = 20;
	spectrum_of(&x, flat, BLOCKS);
	spectrum_of(&y, slow, BLOCKS);
	assert_int_equal(x.n, SPECTRUM_SEEN - 1);
	check_close(x.square[2], pow(spectrum_cosine(flat, BLOCKS, 3), 2), 1e-9);
	assert_int_equal(spectrum_flat(&x, 1, &y, 1, 0.02), 0);
	assert_int_equal(spectrum_flat(&x, 1, &y, 1e-6, 0.02), SPECTRUM_MOST);
	assert_int_equal(spectrum_flat(&x, 1, &y, 0, 0.02), SPECTRUM_MOST);
}

/* --- ratios --- */

static void ratio_is_that_of_means(void **state)
{
	/* weights alike: the mean, and its variance 1 / n */
	double above[BLOCKS], below[BLOCKS], mean, variance = 0;
	unsigned int i, k, n = 0;

	(void)state;
	for (k = 0; k < 500; k++) {
		struct stat_ratio r;

		series_fill(above, BLOCKS, 0);
		for (mean = 0, i = 0; i < BLOCKS; i++) {
			below[i] = 1;
			above[i] += 5;
			mean += above[i] / BLOCKS;
		}
		r = stat_ratio(above, below, BLOCKS);
		check_close(r.value, mean, 1e-12);
		assert_int_equal(r.doubt, STAT_NO_DOUBT);
		n += stat_flat(&r, &r, STAT_CHANCE) > 0;
		variance += stat_variance(&r, SPECTRUM_MOST);
	}
	/* of one taken twice, chance is greater than of two */
	assert_in_range(n, 425, 500);
	check_close(variance / 500, 1.0 / BLOCKS, 0.1 / BLOCKS);
}

static void ratio_of_few_blocks_is_no_test(void **state)
{
	double above[20] = { 3, 1 }, below[20] = { 1000, 1 };
	struct stat_ratio few = stat_ratio(above, below, 20), many;
	struct stat_test test;
	int i;

	(void)state;
	assert_int_equal(few.doubt, STAT_FEW_BLOCKS);
	for (i = 0; i < 20; i++)
		above[i] = below[i] = 1;
	many = stat_ratio(above, below, 20);
	test = stat_differ(&few, &many, SPECTRUM_MOST);
	assert_true(isnan(test.p) && test.doubt == STAT_FEW_BLOCKS);
	check_close(stat_differ(&many, &many, SPECTRUM_MOST).p, 1, 0);
	memset(below, 0, sizeof(below));
	many = stat_ratio(above, below, 20);
	assert_true(isnan(many.value));
	assert_true(isnan(stat_differ(&many, &many, SPECTRUM_MOST).p));
}

/* Ten blocks have nearly all of the weight: that many are known, not one hundred. */
static void ratio_of_uneven_blocks(void **state)
{
	double above[BLOCKS], below[BLOCKS];
	struct stat_ratio r;
	unsigned int i;

	(void)state;
	for (i = 0; i < BLOCKS; i++) {
		below[i] = i % 10 == 5 ? 1000 : 0.001;
		above[i] = below[i] * (5 + (double)(i / 10 * 7 % 10));
	}
	r = stat_ratio(above, below, BLOCKS);
	assert_int_equal(r.doubt, STAT_NO_DOUBT);
	check_close(stat_freedom(&r, SPECTRUM_MOST), 9, 0.01);
	check_close(stat_freedom(&r, SPECTRUM_LEAST), SPECTRUM_LEAST, 0);
	check_close(r.value, 9.5, 0.01);
}

/* All in the first half, as a phase of a tenth of the time or more: no test. */
static void ratio_of_slow_blocks_is_no_test(void **state)
{
	double above[BLOCKS], below[BLOCKS];
	struct stat_ratio r;
	struct stat_test test;
	unsigned int i;

	(void)state;
	for (i = 0; i < BLOCKS; i++) {
		above[i] = i < BLOCKS / 2;
		below[i] = 1;
	}
	r = stat_ratio(above, below, BLOCKS);
	test = stat_differ(&r, &r, SPECTRUM_MOST);
	assert_true(isnan(test.p) && test.doubt == STAT_SLOW);
}

/* What is known of more than these two: fewer frequencies, or none. */
static void ratio_takes_as_many_as_it_may(void **state)
{
	double a[BLOCKS], b[BLOCKS], one[BLOCKS];
	struct stat_ratio x, y;
	struct stat_test test;
	unsigned int i;
	double t, variance;

	(void)state;
	for (i = 0; i < BLOCKS; i++) {
		a[i] = 5 + (double)(i * 37 % 11);
		b[i] = 5 + (double)(i * 29 % 13);
		one[i] = 1;
	}
	x = stat_ratio(a, one, BLOCKS);
	y = stat_ratio(b, one, BLOCKS);
	assert_int_equal(stat_flat(&x, &x, STAT_CHANCE), SPECTRUM_MOST);
	variance = stat_variance(&x, 4);
	t = fabs(x.value - y.value) / sqrt(variance);
	for (i = 0; i < BLOCKS; i++)
		b[i] = y.value;
	y = stat_ratio(b, one, BLOCKS);	/* does not vary */
	check_close(stat_differ(&x, &y, 4).p, beta_student(t, 4), 1e-9);
	assert_true(fabs(stat_differ(&x, &y, 16).p - beta_student(t, 4)) > 1e-6);
	test = stat_differ(&x, &y, 0);
	assert_true(isnan(test.p) && test.doubt == STAT_SLOW);
}

/* Of tests on the same thing, one in twenty is at most 0.05. */
static void check_rate(unsigned int wrong, unsigned int tests)
{
	if (wrong > tests * 0.08)
		fail_msg("%u of %u differences by chance are called real", wrong,
			 tests);
}

static struct stat_test differ(const double *a, const double *b)
{
	struct stat_ratio x, y;
	double one[BLOCKS];
	unsigned int k;

	for (k = 0; k < BLOCKS; k++)
		one[k] = 1;
	x = stat_ratio(a, one, BLOCKS);
	y = stat_ratio(b, one, BLOCKS);
	return stat_differ(&x, &y, SPECTRUM_MOST);
}

static void ratio_calls_chance_seldom(void **state)
{
	unsigned int i, k, wrong = 0, right = 0;
	double a[BLOCKS], b[BLOCKS];

	(void)state;
	for (i = 0; i < 1000; i++) {
		for (k = 0; k < BLOCKS; k++) {
			a[k] = -log(1 - chance());
			b[k] = -log(1 - chance());
		}
		wrong += differ(a, b).p <= 0.05;
		for (k = 0; k < BLOCKS; k++)
			b[k] *= 3;
		right += differ(a, b).p <= 0.05;
	}
	check_rate(wrong, 1000);
	assert_true(right > 900);
}

/*
 * Correlated up to a tenth of the trace, with and without noise on top. Of many
 * tests the least is what counts: it must be small seldom enough.
 */
static void ratio_calls_bursts_seldom(void **state)
{
	static const double times[] = { 0.01, 0.03, 0.1 }, noises[] = { 0, 0.5, 1 };
	unsigned int i, k, t, n;
	double a[BLOCKS], b[BLOCKS], noise[BLOCKS];

	(void)state;
	for (t = 0; t < 3; t++) {
		for (n = 0; n < 3; n++) {
			unsigned int wrong = 0, least = 0;

			for (i = 0; i < 1000; i++) {
				struct stat_test test;

				series_fill(a, BLOCKS, times[t] * BLOCKS);
				series_fill(b, BLOCKS, times[t] * BLOCKS);
				series_fill(noise, BLOCKS, 0);
				for (k = 0; k < BLOCKS; k++)
					a[k] += 20 + noises[n] * noise[k];
				series_fill(noise, BLOCKS, 0);
				for (k = 0; k < BLOCKS; k++)
					b[k] += 20 + noises[n] * noise[k];
				test = differ(a, b);
				wrong += test.p <= 0.05;
				least += test.p <= 0.0005;
			}
			if (wrong > 130 || least > 20)
				fail_msg("time %g, noise %g: %u at 0.05, %u at 0.0005",
					 times[t], noises[n], wrong, least);
		}
	}
}

/* --- distributions --- */

static void blocks_free(struct histogram *h)
{
	unsigned int i;

	for (i = 0; i < BLOCKS; i++)
		histogram_free(&h[i]);
}

/* Bursts: @each values that are nearly the same, some in each block. */
static void blocks_fill(struct histogram *h, unsigned int bursts,
			unsigned int each, double scale)
{
	unsigned int i, k;

	memset(h, 0, BLOCKS * sizeof(*h));
	for (i = 0; i < bursts; i++) {
		double like = exp(2 * chance() + 2 * chance()) * 1000 * scale;
		struct histogram *to = &h[(unsigned int)(chance() * BLOCKS)];

		for (k = 0; k < each; k++)
			histogram_add(to, (uint64_t)(like * (1 + 0.1 * chance())));
	}
}

/* The textbook's: all values are independent. */
static double naive(double distance, double n)
{
	double lambda = distance * sqrt(n / 2), p = 0;
	int k;

	for (k = 1; k <= 100; k++)
		p += 2 * (k % 2 ? 1 : -1) * exp(-2 * k * k * lambda * lambda);
	return fmin(1, fmax(0, p));
}

static void distance_is_exact(void **state)
{
	struct histogram a[BLOCKS] = { 0 }, b[BLOCKS] = { 0 };
	struct stat_ks ks;
	unsigned int i, k;

	(void)state;
	/* 100 different values in each block; in b a quarter of them is 10 times */
	for (i = 0; i < BLOCKS; i++) {
		for (k = 0; k < 100; k++) {
			histogram_add(&a[i], 5 * k);
			histogram_add(&b[i], k < 75 ? 5 * k : 5000);
		}
	}
	ks = stat_ks(a, BLOCKS, b, BLOCKS, SPECTRUM_MOST);
	check_close(ks.distance, 0.25, 0.02);	/* but for joined bins */
	/* blocks that are all alike leave nothing to chance */
	check_close(ks.test.p, 1e-4, 1e-12);	/* one in all draws: never 0 */
	ks = stat_ks(a, BLOCKS, a, BLOCKS, SPECTRUM_MOST);
	check_close(ks.distance, 0, 0);
	check_close(ks.test.p, 1, 0);
	/* what is too slow elsewhere cannot be compared */
	ks = stat_ks(a, BLOCKS, b, BLOCKS, 0);
	assert_true(isnan(ks.test.p) && ks.test.doubt == STAT_SLOW);
	/* all of it in one block */
	ks = stat_ks(a, 1, b, BLOCKS, SPECTRUM_MOST);
	assert_true(isnan(ks.test.p));
	blocks_free(a);
	ks = stat_ks(a, BLOCKS, b, BLOCKS, SPECTRUM_MOST);
	assert_true(isnan(ks.distance) && isnan(ks.test.p));
	blocks_free(b);
}

static void distance_calls_chance_seldom(void **state)
{
	unsigned int i, wrong = 0, wrong_naive = 0, right = 0;
	struct histogram a[BLOCKS], b[BLOCKS];

	(void)state;
	for (i = 0; i < 100; i++) {
		struct stat_ks ks;

		blocks_fill(a, 300, 20, 1);
		blocks_fill(b, 300, 20, 1);
		ks = stat_ks(a, BLOCKS, b, BLOCKS, SPECTRUM_MOST);
		wrong += ks.test.p <= 0.05;
		wrong_naive += naive(ks.distance, 300 * 20) <= 0.05;
		blocks_free(b);
		/* no chance takes all draws, which takes long */
		blocks_fill(b, 300, 20, 1.5);
		if (i < 10)
			right += stat_ks(a, BLOCKS, b, BLOCKS, SPECTRUM_MOST).test.p <= 0.05;
		blocks_free(a);
		blocks_free(b);
	}
	check_rate(wrong, 100);
	/* this is what blocks are for: without them nearly all are called */
	assert_true(wrong_naive > 80);
	assert_true(right >= 8);
}

/* --- many tests --- */

static void holm_is_that_of_the_book(void **state)
{
	/* 0.01, 0.04, 0.03, 0.005: times 3, 1, 2, 4, and never falling */
	double p[] = { 0.01, NAN, 0.04, 0.03, 0.005 };
	double *order[] = { &p[0], &p[1], &p[2], &p[3], &p[4] };

	(void)state;
	stat_holm(order, 5);
	check_close(p[4], 0.02, 1e-12);
	check_close(p[0], 0.03, 1e-12);
	check_close(p[3], 0.06, 1e-12);
	check_close(p[2], 0.06, 1e-12);
	assert_true(isnan(p[1]));
	p[0] = 0.5;
	p[1] = 0.9;
	stat_holm((double *[]){ &p[0], &p[1] }, 2);
	check_close(p[0], 1, 0);
	check_close(p[1], 1, 0);
	stat_holm(NULL, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(student_is_that_of_the_tables),
		cmocka_unit_test(fisher_is_that_of_the_tables),
		cmocka_unit_test(spectrum_is_the_variance_of_the_sum),
		cmocka_unit_test(spectrum_is_flat_where_bursts_are_short),
		cmocka_unit_test(spectrum_of_a_sum),
		cmocka_unit_test(ratio_is_that_of_means),
		cmocka_unit_test(ratio_of_few_blocks_is_no_test),
		cmocka_unit_test(ratio_of_uneven_blocks),
		cmocka_unit_test(ratio_of_slow_blocks_is_no_test),
		cmocka_unit_test(ratio_takes_as_many_as_it_may),
		cmocka_unit_test(ratio_calls_chance_seldom),
		cmocka_unit_test(ratio_calls_bursts_seldom),
		cmocka_unit_test(distance_is_exact),
		cmocka_unit_test(distance_calls_chance_seldom),
		cmocka_unit_test(holm_is_that_of_the_book),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
