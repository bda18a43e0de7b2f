/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Data of the figures, in constant memory: lengths in bins of 0.1 us, as in the paper's
 * figures, and the number of sections over time.
 *
 * Time is divided into SERIES_SLOTS slots of 2^n ticks. When a section begins after the
 * last slot, pairs of neighbours are merged and each slot covers twice the time. So the
 * series always covers the whole trace, with more than half of its slots.
 */
#ifndef FT_ANALYSIS_SERIES_H
#define FT_ANALYSIS_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "locks/locks.h"
#include "trace/trace.h"

#define SERIES_BINS	150	/* of lengths; what is longer is counted apart */
#define SERIES_BIN_NS	100
#define SERIES_SLOTS	1024	/* of time; an even number */

struct series {
	/* Lengths: bin i is from i to i + 1 times 0.1 us; the last: the rest. */
	uint64_t	bins[LOCKS_FAMILIES][SERIES_BINS + 1];

	/* Private. */
	uint64_t	edge[SERIES_BINS + 1];	/* of the bins, in ticks */
	uint64_t	scale;		/* bins a tick, times 2^32, rounded down */
	uint64_t	base;		/* tick of the first slot */
	unsigned int	shift;		/* ticks of a slot: 1 << shift */
	uint64_t	slots[LOCKS_FAMILIES][SERIES_SLOTS];
	bool		lost[SERIES_SLOTS];
	const struct trace *trace;
	uint64_t	*gap;		/* by stream: since when records are lost */
};

/** struct series_span - a part of the trace's time, in ticks since its beginning */
struct series_span {
	uint64_t	from, to;
	uint64_t	count[LOCKS_FAMILIES];	/* sections that began in it */
	bool		lost;			/* records are missing in it */
};

/** series_new - for the sections of @t, which is open */
struct series *series_new(const struct trace *t);
void series_free(struct series *s);

/* Private: doubles the slots' time until @offset has one. */
void series_halve(struct series *s, uint64_t offset);

/**
 * series_bin - the bin of a length
 *
 * Exact: the product is at most one too small (except for clocks beyond 100 THz), and
 * the edge of the next bin shows it.
 */
static inline unsigned int series_bin(const struct series *s,
				      uint64_t length)
{
	unsigned int bin;

	if (length >= s->edge[SERIES_BINS])
		return SERIES_BINS;
	bin = (unsigned int)(((unsigned __int128)length * s->scale) >> 32);
	while (length >= s->edge[bin + 1])
		bin++;
	return bin;
}

/** series_section - count a section */
static inline void series_section(struct series *s,
				  const struct section *section)
{
	uint64_t at = section->start - s->base;

	s->bins[section->family][series_bin(s, section->end -
						      section->start)]++;
	if (__builtin_expect(at >> s->shift >= SERIES_SLOTS, 0))
		series_halve(s, at);
	s->slots[section->family][at >> s->shift]++;
}

/** series_gap - an item that is no record: records are lost, or no more */
void series_gap(struct series *s, const struct stream *stream);

/** series_finish - end the series, after the trace's last item */
void series_finish(struct series *s, uint64_t last);

/**
 * series_spans - the time of the trace in @most equal parts or fewer
 * @last:  tick of the last record
 * @spans: room for @most
 *
 * The last part takes what remains, so that it is not too short for a rate.
 * Return: how many; 0 where all is at one moment.
 */
size_t series_spans(const struct series *s, uint64_t last,
		    size_t most, struct series_span *spans);

#endif /* FT_ANALYSIS_SERIES_H */
