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

#include "compare_stat.h"

#define BLOCKS	30

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
		check_close(stat_student(rows[i].t, rows[i].df), rows[i].p, 2e-6);
	assert_true(stat_student(60, 30) < 1e-25);
	assert_true(stat_student(60, 30) > 0);
}

/* --- ratios --- */

static void ratio_is_that_of_means(void **state)
{
	/* weights alike: the mean, and its variance s^2 / n */
	double above[10], below[10], mean = 0, s2 = 0;
	struct stat_ratio r;
	int i;

	(void)state;
	for (i = 0; i < 10; i++) {
		above[i] = 5 + 10 * chance();
		below[i] = 1;
		mean += above[i] / 10;
	}
	for (i = 0; i < 10; i++)
		s2 += (above[i] - mean) * (above[i] - mean) / 9;
	r = stat_ratio(above, below, 10);
	check_close(r.value, mean, 1e-12);
	check_close(r.variance, s2 / 10, 1e-12);
	check_close(r.blocks, 10, 1e-9);
}

static void ratio_of_few_blocks_is_no_test(void **state)
{
	double above[20] = { 3, 1 }, below[20] = { 1000, 1 };
	struct stat_ratio few = stat_ratio(above, below, 20), many;
	int i;

	(void)state;
	assert_true(few.blocks < 2);
	for (i = 0; i < 20; i++)
		above[i] = below[i] = 1;
	many = stat_ratio(above, below, 20);
	assert_true(isnan(stat_differ(&few, &many)));
	check_close(stat_differ(&many, &many), 1, 0);
	memset(below, 0, sizeof(below));
	many = stat_ratio(above, below, 20);
	assert_true(isnan(many.value));
	assert_true(isnan(stat_differ(&many, &many)));
}

/* Of tests on the same thing, one in twenty is at most 0.05. */
static void check_rate(unsigned int wrong, unsigned int tests)
{
	if (wrong > tests * 0.08)
		fail_msg("%u of %u differences by chance are called real", wrong,
			 tests);
}

static void ratio_calls_chance_seldom(void **state)
{
	double a[BLOCKS], b[BLOCKS], one[BLOCKS];
	unsigned int i, k, wrong = 0, right = 0;

	(void)state;
	for (i = 0; i < 1000; i++) {
		struct stat_ratio x, y;

		for (k = 0; k < BLOCKS; k++) {
			a[k] = -log(1 - chance());
			b[k] = -log(1 - chance());
			one[k] = 1;
		}
		x = stat_ratio(a, one, BLOCKS);
		y = stat_ratio(b, one, BLOCKS);
		wrong += stat_differ(&x, &y) <= 0.05;
		for (k = 0; k < BLOCKS; k++)
			b[k] *= 3;
		y = stat_ratio(b, one, BLOCKS);
		right += stat_differ(&x, &y) <= 0.05;
	}
	check_rate(wrong, 1000);
	assert_true(right > 900);
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
	ks = stat_ks(a, BLOCKS, b, BLOCKS);
	check_close(ks.distance, 0.25, 0.02);	/* but for joined bins */
	/* blocks that are all alike leave nothing to chance */
	assert_true(ks.p <= 1e-4);
	ks = stat_ks(a, BLOCKS, a, BLOCKS);
	check_close(ks.distance, 0, 0);
	check_close(ks.p, 1, 0);
	/* all of it in one block */
	ks = stat_ks(a, 1, b, BLOCKS);
	assert_true(isnan(ks.p));
	blocks_free(a);
	ks = stat_ks(a, BLOCKS, b, BLOCKS);
	assert_true(isnan(ks.distance) && isnan(ks.p));
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
		ks = stat_ks(a, BLOCKS, b, BLOCKS);
		wrong += ks.p <= 0.05;
		wrong_naive += naive(ks.distance, 300 * 20) <= 0.05;
		blocks_free(b);
		/* no chance takes all draws, which takes long */
		blocks_fill(b, 300, 20, 1.5);
		if (i < 10)
			right += stat_ks(a, BLOCKS, b, BLOCKS).p <= 0.05;
		blocks_free(a);
		blocks_free(b);
	}
	check_rate(wrong, 100);
	/* this is what blocks are for: without them nearly all are called */
	assert_true(wrong_naive > 80);
	assert_true(right == 10);
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
		cmocka_unit_test(ratio_is_that_of_means),
		cmocka_unit_test(ratio_of_few_blocks_is_no_test),
		cmocka_unit_test(ratio_calls_chance_seldom),
		cmocka_unit_test(distance_is_exact),
		cmocka_unit_test(distance_calls_chance_seldom),
		cmocka_unit_test(holm_is_that_of_the_book),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
