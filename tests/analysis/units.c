// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Histograms, sketches, spans and axes against plain counting and sorting; JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/report.h"
#include "base/distribution/histogram.h"
#include "base/distribution/sketch.h"
#include "base/json.h"
#include "base/virtual.h"
#include "view/page/svg_axis.h"

static uint64_t seed = 88172645463325252ull;

static uint64_t chance(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* --- histogram --- */

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void check_near(uint64_t got, uint64_t want)
{
	uint64_t error = got > want ? got - want : want - got;

	/* 1/128 of what is wanted, as promised */
	assert_true((unsigned __int128)error * 128 <= want);
}

static void check_sorted(const struct histogram *h, uint64_t *v, size_t n)
{
	static const unsigned int permille[] = { 0, 1, 10, 500, 900, 990, 999, 1000 };
	unsigned __int128 sum = 0;
	size_t i;

	qsort(v, n, sizeof(*v), compare);
	for (i = 0; i < n; i++)
		sum += v[i];
	assert_int_equal(h->count, n);
	assert_int_equal(h->min, v[0]);
	assert_int_equal(h->max, v[n - 1]);
	assert_true(h->sum == sum);
	for (i = 0; i < sizeof(permille) / sizeof(permille[0]); i++) {
		size_t rank = (n * permille[i] + 999) / 1000;

		check_near(histogram_quantile(h, permille[i]),
			   v[rank ? rank - 1 : 0]);
	}
}

static void histogram_is_empty(void **state)
{
	struct histogram h = { 0 };

	(void)state;
	assert_int_equal(histogram_quantile(&h, 500), 0);
	histogram_free(&h);
}

static void histogram_bins_are_gapless(void **state)
{
	uint64_t v;
	unsigned int bit;

	(void)state;
	for (v = 0; v < 1 << 16; v++) {
		uint32_t step = histogram_bin(v + 1) - histogram_bin(v);

		assert_true(step <= 1);
	}
	for (bit = 6; bit < 63; bit++)
		assert_int_equal(histogram_bin(1ull << (bit + 1)),
				 histogram_bin((1ull << (bit + 1)) - 1) + 1);
}

static void histogram_small_values_are_exact(void **state)
{
	struct histogram h = { 0 };
	uint64_t v;

	(void)state;
	for (v = 0; v < 100; v++)
		histogram_add(&h, v);
	assert_int_equal(histogram_quantile(&h, 500), 49);
	assert_int_equal(histogram_quantile(&h, 990), 98);
	assert_int_equal(histogram_quantile(&h, 1000), 99);
	histogram_free(&h);
}

/* Each shape of distribution that matters: by how many bits values have. */
static void histogram_agrees_with_sorting(void **state)
{
	enum { N = 20000 };
	uint64_t *v = calloc(N, sizeof(*v));
	unsigned int bits, n;

	(void)state;
	assert_non_null(v);
	for (bits = 1; bits <= 64; bits += 3) {
		struct histogram h = { 0 }, half[2] = { { 0 }, { 0 } };

		for (n = 0; n < N; n++) {
			v[n] = chance() >> (64 - bits);
			if (n % 3 == 0)
				v[n] >>= chance() % 40;
			histogram_add(&h, v[n]);
			histogram_add(&half[n % 7 > 2], v[n]);
		}
		histogram_merge(&half[0], &half[1]);
		check_sorted(&h, v, N);
		check_sorted(&half[0], v, N);
		histogram_free(&h);
		histogram_free(&half[0]);
		histogram_free(&half[1]);
	}
	free(v);
}

static void histogram_takes_extremes(void **state)
{
	uint64_t v[] = { UINT64_MAX, 0, UINT64_MAX, 1, UINT64_MAX };
	struct histogram h = { 0 }, empty = { 0 };
	unsigned int i;

	(void)state;
	for (i = 0; i < 5; i++)
		histogram_add(&h, v[i]);
	histogram_merge(&h, &empty);
	histogram_merge(&empty, &h);
	check_sorted(&h, v, 5);
	check_sorted(&empty, v, 5);
	histogram_free(&h);
	histogram_free(&empty);
}

/* A bin's middle may lie beyond all values that are in it. */
static void histogram_answers_with_values(void **state)
{
	struct histogram h = { 0 };

	(void)state;
	histogram_add(&h, 256);
	histogram_add(&h, 256);
	assert_int_equal(histogram_quantile(&h, 999), 256);
	histogram_free(&h);
	histogram_add(&h, 259);
	histogram_add(&h, 259);
	assert_int_equal(histogram_quantile(&h, 999), 259);
	histogram_free(&h);
}

/* --- sketch --- */

/* 1/32 of what is wanted, as promised */
static void check_sketch(const struct sketch *s, uint64_t *v, size_t n)
{
	static const unsigned int permille[] = { 0, 1, 500, 900, 990, 999, 1000 };
	unsigned int i;

	qsort(v, n, sizeof(*v), compare);
	assert_int_equal(s->count, n);
	assert_int_equal(s->min, v[0]);
	assert_int_equal(s->max, v[n - 1]);
	for (i = 0; i < sizeof(permille) / sizeof(permille[0]); i++) {
		size_t rank = (n * permille[i] + 999) / 1000;
		uint64_t want = v[rank ? rank - 1 : 0];
		uint64_t got = sketch_quantile(s, permille[i]);
		uint64_t error = got > want ? got - want : want - got;

		assert_true((unsigned __int128)error * 32 <= want);
	}
}

static void sketch_agrees_with_sorting(void **state)
{
	enum { N = 20000 };
	uint64_t *v = calloc(N, sizeof(*v));
	struct arena arena = { 0 };
	unsigned int bits, n;

	(void)state;
	assert_non_null(v);
	for (bits = 1; bits <= 64; bits += 3) {
		struct sketch s = { 0 };

		for (n = 0; n < N; n++) {
			v[n] = chance() >> (64 - bits);
			if (n % 3 == 0)
				v[n] >>= chance() % 40;
			sketch_add(&s, v[n], &arena);
		}
		check_sketch(&s, v, N);
	}
	arena_free(&arena);
	free(v);
}

/* More of one value than 8 and 16 bits count, then others, in new powers of two. */
static void sketch_widens(void **state)
{
	enum { N = 70000 };
	uint64_t *v = calloc(2 * N, sizeof(*v));
	struct arena arena = { 0 };
	struct sketch s = { .tag = 7 };
	unsigned int n;

	(void)state;
	assert_non_null(v);
	for (n = 0; n < 2 * N; n++) {
		v[n] = n < N ? 1000 : 1000000 + n % 2 * 5000000;
		sketch_add(&s, v[n], &arena);
	}
	assert_int_equal(s.shift, 2);
	assert_int_equal(s.tag, 7);
	check_sketch(&s, v, 2 * N);
	assert_int_equal(s.sum, N * 1000ull + N * 1000000ull + N * 2500000ull);
	arena_free(&arena);
	free(v);
}

/* Two with bins of their own, narrow or wide, are as one that has both. */
static void sketch_merges(void **state)
{
	enum { N = 70000 };
	struct arena arena = { 0 };
	uint64_t *v = malloc(2 * N * sizeof(*v)), i;
	unsigned int turn;

	(void)state;
	for (turn = 0; turn < 4; turn++) {
		uint64_t high = turn & 1 ? 1000000 : 100, low = 100;
		size_t n = turn & 2 ? N : 100;
		struct sketch a = { .tag = 7 }, b = { 0 }, none = { 0 };

		for (i = 0; i < n; i++) {
			v[i] = low + i % 3;
			sketch_add(&a, v[i], &arena);
			v[n + i] = high + i % 5;
			sketch_add(&b, v[n + i], &arena);
		}
		sketch_merge(&a, &b, &arena);
		sketch_merge(&a, &none, &arena);
		assert_int_equal(a.tag, 7);
		check_sketch(&a, v, 2 * n);
		for (i = 0; i < n; i++)
			v[i] = high + i % 5;
		sketch_merge(&none, &b, &arena);
		check_sketch(&none, v, n);
	}
	free(v);
	arena_free(&arena);
}

static void sketch_sum_saturates(void **state)
{
	struct arena arena = { 0 };
	struct sketch s = { 0 };

	(void)state;
	assert_int_equal(sketch_quantile(&s, 500), 0);
	sketch_add(&s, UINT64_MAX - 1, &arena);
	sketch_add(&s, 5, &arena);
	assert_int_equal(s.sum, UINT64_MAX);
	assert_int_equal(s.min, 5);
	arena_free(&arena);
}

/* --- spans --- */

static void spans_do_not_overflow(void **state)
{
	struct report r = { .trace.meta.freq = 1000000000 };
	struct histogram h = { 0 };

	(void)state;
	assert_true(report_span(&r, 5) == 5000);
	assert_true(report_span(&r, UINT64_MAX) ==
		    (unsigned __int128)UINT64_MAX * 1000);
	histogram_add(&h, UINT64_MAX);
	histogram_add(&h, UINT64_MAX - 2);
	assert_true(report_mean(&r, &h) ==
		    (unsigned __int128)(UINT64_MAX - 1) * 1000);
	/* a sum that no number of sections reaches in practice */
	h.count = 1u << 31;
	h.sum = (unsigned __int128)UINT64_MAX << 31;
	assert_true(report_mean(&r, &h) == (unsigned __int128)UINT64_MAX * 1000);
	r.trace.meta.freq = 3;
	assert_true(report_span(&r, 1) == 333333333333ull);
	histogram_free(&h);
}

/* --- axes --- */

static void axis_ends_are_round(void **state)
{
	static const struct { double v, nice; } cases[] = {
		{ 0, 1 }, { 1, 1 }, { 1.01, 1.2 }, { 99, 100 }, { 0.0021, 0.0025 },
		{ 3e9, 3e9 }, { 8.1, 10 },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_float_equal(svg_nice(cases[i].v) / cases[i].nice, 1, 1e-6);
}

static void axis_ticks_fit(void **state)
{
	static const enum svg_unit units[] = { SVG_COUNT, SVG_TIME };
	double ticks[AXIS_TICKS];
	unsigned int i, wanted;

	(void)state;
	for (i = 0; i < 20000; i++) {
		struct svg_axis a = { .unit = units[i % 2], .log = i % 3 == 0 };
		char label[AXIS_LABEL], before[AXIS_LABEL] = "";
		size_t n, t;

		a.min = a.log ? 1e-9 * (double)(1 + chance() % 1000) : 0;
		a.max = a.log ? a.min * 10 * (double)(1 + chance() % 1000000) :
				1e-7 * (double)(1 + chance() % 1000000000000ull);
		wanted = 2 + chance() % 10;
		n = axis_ticks(&a, wanted, ticks);
		assert_in_range(n, 1, 3 * wanted + 3);
		for (t = 0; t < n; t++) {
			assert_true(ticks[t] >= a.min * (1 - 1e-6) &&
				    ticks[t] <= a.max * (1 + 1e-6));
			axis_label(&a, ticks[t], label);
			assert_string_not_equal(label, before);
			strcpy(before, label);
		}
	}
}

static void axis_labels(void **state)
{
	static const struct {
		enum svg_unit unit;
		double v;
		const char *label;
	} cases[] = {
		{ SVG_TIME, 1e-9, "1\u00a0ns" }, { SVG_TIME, 2.5e-6, "2.5\u00a0\u00b5s" },
		{ SVG_TIME, 0, "0" }, { SVG_TIME, 1000, "1000\u00a0s" },
		{ SVG_COUNT, 1500, "1.5k" }, { SVG_COUNT, 2e6, "2M" },
		{ SVG_PERCENT, 12.5, "12.5\u00a0%" },
	};
	char label[AXIS_LABEL];
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(svg_tick(cases[i].unit, cases[i].v, label,
					     sizeof(label)), cases[i].label);
}

/* --- JSON --- */

/* What is no UTF-8, or would end the string or reach a terminal, does not stay so. */
static void json_strings_are_safe(void **state)
{
	static const struct {
		const char *text, *json;
	} cases[] = {
		{ "plain", "\"plain\"" },
		{ "a\"b\\c", "\"a\\\"b\\\\c\"" },
		{ "\x1b[31m\n\x7f", "\"\\u001b[31m\\u000a\\u007f\"" },
		{ "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80",
		  "\"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80\"" },
		/* longer than needed, half of a pair, beyond the end, cut */
		{ "\xc0\xaf", "\"\\ufffd\\ufffd\"" },
		{ "\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"" },
		{ "\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"" },
		{ "\xe2\x82", "\"\\ufffd\\ufffd\"" },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = NULL;
		size_t len;
		FILE *f = open_memstream(&text, &len);

		assert_non_null(f);
		json_string(f, cases[i].text);
		fclose(f);
		assert_string_equal(text, cases[i].json);
		free(text);
	}
}

/* An object in an array in an object, as the writer is told to write it. */
static char *json_written(unsigned int flat, bool dense)
{
	char *text = NULL;
	size_t len;
	struct json j = { .f = open_memstream(&text, &len), .flat = flat, .dense = dense };
	unsigned int i;

	assert_non_null(j.f);
	json_object(&j, NULL);
	json_array(&j, "a");
	for (i = 0; i < 2; i++) {
		json_object(&j, NULL);
		json_i64(&j, "n", -(int64_t)i);
		json_bool(&j, "b", i);
		json_end(&j);
	}
	json_end(&j);
	json_array(&j, "none");
	json_end(&j);
	json_end(&j);
	fclose(j.f);
	return text;
}

static void json_groups_have_lines(void **state)
{
	static const struct {
		unsigned int flat;
		bool dense;
		const char *json;
	} cases[] = {
		{ 0, false, "{\n  \"a\": [\n"
			    "    {\n      \"n\": 0,\n      \"b\": false\n    },\n"
			    "    {\n      \"n\": -1,\n      \"b\": true\n    }\n"
			    "  ],\n  \"none\": []\n}\n" },
		{ 2, false, "{\n  \"a\": [\n    {\"n\": 0, \"b\": false},\n"
			    "    {\"n\": -1, \"b\": true}\n  ],\n  \"none\": []\n}\n" },
		{ 2, true, "{\n\"a\":[\n{\"n\":0,\"b\":false},\n{\"n\":-1,\"b\":true}\n],\n"
			   "\"none\":[]\n}\n" },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = json_written(cases[i].flat, cases[i].dense);

		assert_string_equal(text, cases[i].json);
		free(text);
	}
}

/* --- hypervisors --- */

static void vendors_have_names(void **state)
{
	char name[64];

	(void)state;
	virtual_vendor("TCGTCGTCGTCG", name, sizeof(name));
	assert_string_equal(name, "QEMU TCG");
	assert_true(virtual_is_emulator(name));
	virtual_vendor("KVMKVMKVM\0\0\0", name, sizeof(name));
	assert_string_equal(name, "KVM");
	assert_false(virtual_is_emulator(name));
	virtual_vendor("New\n12345678", name, sizeof(name));
	assert_string_equal(name, "hypervisor 'New?12345678'");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(histogram_is_empty),
		cmocka_unit_test(histogram_bins_are_gapless),
		cmocka_unit_test(histogram_small_values_are_exact),
		cmocka_unit_test(histogram_agrees_with_sorting),
		cmocka_unit_test(histogram_takes_extremes),
		cmocka_unit_test(histogram_answers_with_values),
		cmocka_unit_test(sketch_agrees_with_sorting),
		cmocka_unit_test(sketch_widens),
		cmocka_unit_test(sketch_merges),
		cmocka_unit_test(sketch_sum_saturates),
		cmocka_unit_test(spans_do_not_overflow),
		cmocka_unit_test(axis_ends_are_round),
		cmocka_unit_test(axis_ticks_fit),
		cmocka_unit_test(axis_labels),
		cmocka_unit_test(json_strings_are_safe),
		cmocka_unit_test(json_groups_have_lines),
		cmocka_unit_test(vendors_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
