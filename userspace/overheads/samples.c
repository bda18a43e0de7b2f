// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Samples of an overhead: see samples.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "overheads/samples.h"

void samples_add(struct samples *s, uint64_t ticks)
{
	if (s->n == s->room) {
		s->room = s->room ? 2 * s->room : 1024;
		s->at = mem_resize(s->at, s->room, sizeof(*s->at));
	}
	s->at[s->n++] = ticks;
}

void samples_free(struct samples *s)
{
	mem_free(s->at);
	*s = (struct samples){ 0 };
}

/* 0 up to below 1. (S. Vigna's splitmix64.) */
static double next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return ldexp((double)((z ^ (z >> 31)) >> 11), -53);
}

void samples_choose(struct samples *s, size_t n)
{
	uint64_t state = 0;
	size_t kept = 0;

	if (s->n <= n)
		return;
	for (size_t i = 0; kept < n; i++) {
		if ((double)(s->n - i) * next_random(&state) < (double)(n - kept))
			s->at[kept++] = s->at[i];
	}
	s->n = n;
}

static int by_length(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

static double quantile(const uint64_t *sorted, size_t n, double share)
{
	double at = share * (double)(n - 1);
	size_t below = (size_t)at, above = below + 1 < n ? below + 1 : below;

	return (double)sorted[below] +
	       (at - (double)below) * (double)(sorted[above] - sorted[below]);
}

struct samples_summary samples_summarize(const struct samples *s)
{
	struct samples_summary sum = { 0 };
	long double total = 0, squares = 0;
	uint64_t *sorted;

	if (!s->n)
		return sum;
	sorted = mem_resize(NULL, s->n, sizeof(*sorted));
	memcpy(sorted, s->at, s->n * sizeof(*sorted));
	qsort(sorted, s->n, sizeof(*sorted), by_length);
	for (size_t i = 0; i < s->n; i++)
		total += sorted[i];
	sum.mean = (double)(total / s->n);
	for (size_t i = 0; i < s->n; i++) {
		long double from_mean = sorted[i] - total / s->n;

		squares += from_mean * from_mean;
	}
	sum.deviation = s->n > 1 ? (double)sqrtl(squares / (s->n - 1)) : 0;
	sum.min = (double)sorted[0];
	sum.p50 = quantile(sorted, s->n, 0.5);
	sum.p95 = quantile(sorted, s->n, 0.95);
	sum.p99 = quantile(sorted, s->n, 0.99);
	sum.p999 = quantile(sorted, s->n, 0.999);
	sum.max = (double)sorted[s->n - 1];
	mem_free(sorted);
	return sum;
}
