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

void turns_keep(struct turns *t, uint64_t begin, uint64_t end)
{
	if (t->n_kept < TURNS_KEPT)
		t->kept[t->n_kept++] = (struct turn){ begin, end };
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
	uint64_t rank, below = 0, value;
	uint32_t bin = 0;

	if (!t->count)
		return 0;
	rank = (uint64_t)(((unsigned __int128)t->count * permille + 999) / 1000);
	while (bin < TURNS_BINS - 1 && below + t->bin[bin] < rank)
		below += t->bin[bin++];
	value = loglinear_middle(bin, TURNS_BITS);
	return value < t->min ? t->min : value > t->max ? t->max : value;
}
