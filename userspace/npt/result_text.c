// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The result for people. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "npt/result.h"
#include "npt/span.h"

static void print_row(const char *title, const struct turns *t, uint64_t hz)
{
	static const unsigned int permille[] = { 500, 990, 999 };
	char cell[SPAN_LEN];

	printf("%-12s %12" PRIu64 " %8s", title, t->count, span_text(cell, t->min, hz));
	printf(" %8s", span_text(cell, turns_mean(t), hz));
	printf(" %8s", span_text(cell, turns_deviation(t), hz));
	for (size_t i = 0; i < ARRAY_SIZE(permille); i++)
		printf(" %8s", span_text(cell, turns_quantile(t, permille[i]), hz));
	printf(" %8s\n", span_text(cell, t->max, hz));
}

static void print_head(const struct npt_result *r)
{
	char text[SPAN_LEN], step[SPAN_LEN];

	printf("CPU %" PRIu32 ", ", r->place.cpu);
	if (r->place.priority)
		printf("SCHED_FIFO %" PRIu32, r->place.priority);
	else
		printf("no real-time priority");
	printf(", for %s%s, by the %s in steps of %s\n", span_text(text, r->turns->sum, r->hz),
	       r->interrupted ? " (until a signal)" : "",
	       r->loop.clock == LOOP_TSC ? "TSC" : "kernel's monotonic clock",
	       span_text(step, r->step, r->hz));
	if (r->in_kernel)
		printf("In the kernel, with interrupts off for 10 ms at a time\n");
	else if (r->loop.work)
		printf("Each turn has %s%s\n", loop_work_about(r->loop.work),
		       r->loop.work == LOOP_CALL ? "" : ": it is recorded under ft run");
}

/* By powers of two, as many rows as there are between the least and the greatest. */
static void print_bins(const struct npt_result *r)
{
	uint64_t sum[64] = { 0 }, most = 0;
	struct result_bin bin;
	char low[SPAN_LEN], high[SPAN_LEN];
	unsigned int first = 63, last = 0;
	uint32_t at = 0;

	while (result_next_bin(r->turns, &at, &bin)) {
		unsigned int power = bin.low ? 63 - (unsigned int)__builtin_clzll(bin.low) : 0;

		sum[power] += bin.count;
		most = sum[power] > most ? sum[power] : most;
		first = power < first ? power : first;
		last = power > last ? power : last;
	}
	printf("\n%8s   %8s %13s  # for each doubling of turns\n", "from", "to", "turns");
	for (unsigned int i = first; i <= last; i++) {
		/* one letter for each doubling, as the greatest are rare */
		int bar = sum[i] ? 64 - __builtin_clzll(sum[i]) : 0;

		span_text(low, i ? (double)(1ull << i) : 0, r->hz);
		span_text(high, 2 * (double)(1ull << i), r->hz);
		printf("%8s   %8s %13" PRIu64 "  %.*s\n", low, high, sum[i], bar,
		       "################################################################");
	}
}

static void print_longest(const struct npt_result *r)
{
	const struct long_turn **longest;
	char limit[SPAN_LEN], sum[SPAN_LEN], share[CELL];
	size_t n;

	printf("\n%" PRIu64 " turns of %s or more, %s of all time (%s)\n", r->turns->long_count,
	       span_text(limit, r->turns->limit, r->hz),
	       text_share(share, r->turns->long_sum, r->turns->sum),
	       span_text(sum, r->turns->long_sum, r->hz));
	if (r->turns->long_count > r->causes.n)
		printf("The %zu longest of them are remembered.\n", r->causes.n);
	if (r->causes.lost)
		printf("%" PRIu64 " records of the trace were lost: causes may be missing.\n",
		       r->causes.lost);
	longest = result_longest(r, &n);
	if (n)
		printf("\n%14s %9s%s\n", "after", "took", r->causes.found ? "  because of" : "");
	for (size_t i = 0; i < n; i++) {
		const struct long_turn *turn = longest[i];
		char *why = causes_text(&r->causes, turn, r->hz);
		char after[32], took[SPAN_LEN];

		snprintf(after, sizeof(after), "%.6f s",
			 span_ns(turn->turn.begin - r->begin, r->hz) / 1e9);
		span_text(took, turn->turn.end - turn->turn.begin, r->hz);
		printf("%14s %9s%s%s\n", after, took, *why ? "  " : "", why);
		free(why);
	}
	free(longest);
	if (n && !r->trace)
		printf("\nft npt --record DIR tells why, with the kernel module loaded (ft load).\n");
}

void result_print(const struct npt_result *r)
{
	print_head(r);
	printf("\n%-12s %12s %8s %8s %8s %8s %8s %8s %8s\n", "", "turns", "min", "mean", "std dev", "p50",
	       "p99", "p99.9", "max");
	print_row("empty loop", r->bare, r->hz);
	print_row("measured", r->turns, r->hz);
	if (!r->turns->count)
		return;
	print_bins(r);
	print_longest(r);
}
