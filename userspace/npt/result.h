/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What came out, and the ways to show it. */
#ifndef FT_NPT_RESULT_H
#define FT_NPT_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "npt/causes.h"
#include "npt/loop.h"
#include "npt/place.h"
#include "npt/turns.h"

/**
 * struct npt_result - of one run
 * @start:	of the measurement
 * @step:	the clock's step, in ticks: all short turns are multiples of it
 * @bare:	calibration: turns of the loop without work, a moment before
 * @turns:	what was measured
 * @in_kernel:	with interrupts off, in parts with a little time between them
 * @begin:	when it began, in ticks
 * @top:	how many of the longest are shown
 */
struct npt_result {
	struct place	place;
	struct place_warnings warnings;
	time_t		start;
	bool		interrupted;		/* by a signal, before its end */
	uint64_t	step;
	struct loop	loop;
	bool		in_kernel;
	uint64_t	hz;
	struct turns	*bare, *turns;
	uint64_t	begin;
	struct causes	causes;
	const char	*trace;		/* NULL: nothing was recorded beside it */
	size_t		top;
};

/** result_longest - the @top longest turns that were kept; to be freed */
const struct long_turn **result_longest(const struct npt_result *r, size_t *n);

/** struct result_bin - turns from @low ticks up to below @high */
struct result_bin {
	uint64_t	low, high, count;
};

/**
 * result_next_bin - the first bin with turns from bin *@at on
 *
 * Return: false if there is none.
 */
bool result_next_bin(const struct turns *t, uint32_t *at, struct result_bin *bin);

void result_print(const struct npt_result *r);
void result_json(const struct npt_result *r);

/** result_page - Return: 0, or -1 with a message */
int result_page(const struct npt_result *r, const char *path);

#endif /* FT_NPT_RESULT_H */
