/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Samples of an overhead, in ticks of the trace's clock. */
#ifndef FT_OVERHEADS_SAMPLES_H
#define FT_OVERHEADS_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct samples - the samples of one kind
 * @at:		in the order of their ends
 * @disturbed:	samples that were dropped, as an interrupt fell into them
 * @cut:	and samples with only one end in the trace, as it begins or ends between, or
 *		records were lost
 */
struct samples {
	uint64_t	*at;
	size_t		n, room;
	uint64_t	disturbed, cut;
};

void samples_add(struct samples *s, uint64_t ticks);
void samples_free(struct samples *s);

/**
 * samples_choose - keep @n of them, if there are more
 *
 * Each has the same chance; the same samples lead to the same choice. (D. Knuth, The Art of
 * Computer Programming, volume 2, algorithm 3.4.2 S.)
 */
void samples_choose(struct samples *s, size_t n);

/**
 * struct samples_summary - in ticks; all 0 of none
 * @deviation:	that of a sample: of n - 1
 * @p50 and others: between two samples, as NumPy's percentile() has it
 */
struct samples_summary {
	double	min, mean, deviation, p50, p95, p99, p999, max;
};

struct samples_summary samples_summarize(const struct samples *s);

#endif /* FT_OVERHEADS_SAMPLES_H */
