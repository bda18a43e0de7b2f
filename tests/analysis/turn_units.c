// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What ft npt says of turns whose lengths are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "npt/turns.h"

static struct turns *turns_of(const uint64_t *length, size_t n, uint64_t limit)
{
	struct turns *t = turns_new(limit);
	uint64_t at = 1000;

	for (size_t i = 0; i < n; at += length[i++])
		turns_add(t, at, at + length[i]);
	return t;
}

/* Of 2, 4, 4, 4, 5, 5, 7, 9: the sum of squares around the mean is 32. */
static void deviation_is_that_of_a_sample(void **state)
{
	static const uint64_t length[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	struct turns *t = turns_of(length, 8, UINT64_MAX);

	(void)state;
	assert_int_equal(turns_mean(t) * 1e6, 5000000);
	assert_int_equal(turns_deviation(t) * 1e6, 2138089);
	assert_int_equal(t->sum, 40);
	turns_free(t);
	t = turns_of(length, 1, UINT64_MAX);
	assert_int_equal(turns_deviation(t), 0);
	turns_free(t);
}

/* Lengths below 128 are exact. */
static void quantiles_are_the_nearest_rank(void **state)
{
	struct turns *t;
	uint64_t length[100];

	(void)state;
	for (uint64_t i = 0; i < 100; i++)
		length[i] = 100 - i;
	t = turns_of(length, 100, UINT64_MAX);
	assert_int_equal(turns_quantile(t, 500), 50);
	assert_int_equal(turns_quantile(t, 990), 99);
	assert_int_equal(turns_quantile(t, 999), 100);
	assert_int_equal(turns_quantile(t, 1), 1);
	assert_int_equal(turns_quantile(t, 1000), 100);
	turns_free(t);
}

/* The 8192 longest of 20000, whatever their order was, in the order of time. */
static void the_longest_are_kept(void **state)
{
	static uint64_t length[20000];
	struct turns *t;
	uint64_t least = UINT64_MAX;

	(void)state;
	for (uint64_t i = 0; i < 20000; i++)
		length[i] = i * 7919 % 20000 + 1;		/* each from 1 to 20000 once */
	t = turns_of(length, 20000, 2);
	turns_sort(t);
	assert_int_equal(t->long_count, 19999);
	assert_int_equal(t->n_kept, TURNS_KEPT);
	for (size_t i = 0; i < t->n_kept; i++) {
		uint64_t kept = t->kept[i].end - t->kept[i].begin;

		least = kept < least ? kept : least;
		assert_true(!i || t->kept[i - 1].end <= t->kept[i].begin);
	}
	assert_int_equal(least, 20000 - TURNS_KEPT + 1);
	turns_free(t);
}

static void step_is_what_short_turns_share(void **state)
{
	static const uint64_t by_26[] = { 26, 52, 78, 26, 100000 }, by_1[] = { 26, 52, 79 };
	struct turns *t = turns_of(by_26, 5, UINT64_MAX);

	(void)state;
	assert_int_equal(turns_step(t), 26);
	turns_free(t);
	t = turns_of(by_1, 3, UINT64_MAX);
	assert_int_equal(turns_step(t), 1);
	turns_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(deviation_is_that_of_a_sample),
		cmocka_unit_test(quantiles_are_the_nearest_rank),
		cmocka_unit_test(the_longest_are_kept),
		cmocka_unit_test(step_is_what_short_turns_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
