// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What is kept of the turns of a loop: see turns.h. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "npt/turns.h"

struct turns *turns_new(uint64_t limit)
{
	struct turns *t = mem_zalloc_lines(1, sizeof(*t));

	t->kept = mem_zalloc(TURNS_KEPT, sizeof(*t->kept));
	/* zeroed memory may be a promise */
	memset(t->kept, 0xff, TURNS_KEPT * sizeof(*t->kept));
	memset(t->bin, 0xff, sizeof(t->bin));
	memset(t->bin, 0, sizeof(t->bin));
	t->min = UINT64_MAX;
	t->limit = limit;
	return t;
}

void turns_free(struct turns *t)
{
	free(t->kept);
	free(t);
}

static uint64_t length_of(const struct turn *turn)
{
	return turn->end - turn->begin;
}

void turns_keep(struct turns *t, uint64_t begin, uint64_t end)
{
	const struct turn new = { begin, end };
	size_t at = t->n_kept, next;

	if (t->n_kept < TURNS_KEPT) {
		t->n_kept++;
		for (; at && length_of(&new) < length_of(&t->kept[(at - 1) / 2]); at = (at - 1) / 2)
			t->kept[at] = t->kept[(at - 1) / 2];
		t->kept[at] = new;
		return;
	}
	if (length_of(&new) <= length_of(&t->kept[0]))
		return;
	for (at = 0; (next = 2 * at + 1) < t->n_kept; at = next) {
		if (next + 1 < t->n_kept &&
		    length_of(&t->kept[next + 1]) < length_of(&t->kept[next]))
			next++;
		if (length_of(&new) <= length_of(&t->kept[next]))
			break;
		t->kept[at] = t->kept[next];
	}
	t->kept[at] = new;
}

static int by_begin(const void *a, const void *b)
{
	const struct turn *left = a, *right = b;

	return left->begin < right->begin ? -1 : left->begin > right->begin;
}

void turns_sort(struct turns *t)
{
	qsort(t->kept, t->n_kept, sizeof(*t->kept), by_begin);
}

double turns_mean(const struct turns *t)
{
	return t->count ? (double)t->sum / (double)t->count : 0;
}

double turns_deviation(const struct turns *t)
{
	long double n = t->count, mean, variance;

	if (t->count < 2)
		return 0;
	mean = (long double)t->sum / n;
	variance = ((long double)t->squares - n * mean * mean) / (n - 1);
	return variance > 0 ? (double)sqrtl(variance) : 0;
}

uint64_t turns_quantile(const struct turns *t, unsigned int permille)
{
	const struct histogram all = {
		.count = t->count, .min = t->min, .max = t->max, .sum = t->sum,
		.bins = (uint64_t *)t->bin, .n_bins = TURNS_BINS,
	};

	return histogram_quantile(&all, permille);
}

/* Bins of lengths below 2^(TURNS_BITS + 1) have one length each. */
uint64_t turns_step(const struct turns *t)
{
	uint64_t step = 0;

	for (uint64_t length = 1; length < 2u << TURNS_BITS; length++) {
		uint64_t a = step, b = t->bin[length] ? length : 0;

		while (b) {
			uint64_t rest = a % b;

			a = b;
			b = rest;
		}
		step = a;
	}
	return step;
}
