// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What the ways to show a result share. */
#include <stdlib.h>

#include "base/mem.h"
#include "npt/result.h"

static uint64_t length_of(const struct long_turn *turn)
{
	return turn->turn.end - turn->turn.begin;
}

static int by_length(const void *a, const void *b)
{
	const struct long_turn *left = *(const struct long_turn *const *)a;
	const struct long_turn *right = *(const struct long_turn *const *)b;

	if (length_of(left) != length_of(right))
		return length_of(left) > length_of(right) ? -1 : 1;
	return left < right ? -1 : 1;
}

const struct long_turn **result_longest(const struct npt_result *r, size_t *n)
{
	const struct long_turn **all = mem_zalloc(r->causes.n + 1, sizeof(*all));

	for (size_t i = 0; i < r->causes.n; i++)
		all[i] = &r->causes.turn[i];
	qsort(all, r->causes.n, sizeof(*all), by_length);
	*n = r->causes.n < r->top ? r->causes.n : r->top;
	return all;
}

bool result_next_bin(const struct turns *t, uint32_t *at, struct result_bin *bin)
{
	for (; *at < TURNS_BINS; ++*at) {
		if (!t->bin[*at])
			continue;
		bin->low = loglinear_low(*at, TURNS_BITS);
		bin->high = *at + 1 < TURNS_BINS ? loglinear_low(*at + 1, TURNS_BITS) : UINT64_MAX;
		bin->count = t->bin[(*at)++];
		return true;
	}
	return false;
}
