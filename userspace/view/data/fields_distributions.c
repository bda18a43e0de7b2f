// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The report for programs: how long sections were, and how many began when. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/series.h"
#include "base/mem.h"
#include "view/data/fields_put.h"

#define SPANS	256	/* parts of the time, at most */

/* Counts in bins of 0.1 us; one more bin has what is longer. */
static void put_lengths(struct fields *f, const char *row, const uint64_t *bins)
{
	char column[16];

	f->row(f, row);
	for (unsigned int i = 0; i <= SERIES_BINS; i++) {
		if (!bins[i])
			continue;
		snprintf(column, sizeof(column), "%.1f", i * SERIES_BIN_NS * 1e-3);
		put_u64(f, column, bins[i]);
	}
}

static void put_length(const struct report *r, struct fields *f)
{
	f->table(f, "length");
	for (unsigned int family = 0; family < LOCKS_FAMILIES; family++)
		put_lengths(f, r->family[family].name, r->series->bins[family]);
	for (unsigned int group = 0; group < LOCKS_GROUPS; group++) {
		uint64_t sum[SERIES_BINS + 1] = { 0 };

		for (unsigned int family = 0; family < LOCKS_FAMILIES; family++) {
			for (unsigned int i = 0; i <= SERIES_BINS; i++)
				sum[i] += locks_group(family) == group ?
					  r->series->bins[family][i] : 0;
		}
		put_lengths(f, r->group[group].name, sum);
	}
}

static void put_below(const struct report *r, struct fields *f, uint64_t ticks,
		      uint64_t sections)
{
	report_ps ps = report_span(r, ticks);
	char column[40];

	snprintf(column, sizeof(column), "%" PRIu64 ".%03u", (uint64_t)(ps / 1000),
		 (unsigned int)(ps % 1000));
	put_u64(f, column, sections);
}

/* From the shortest on, at the end of each bin that has any. */
static void put_shorter_than(const struct report *r, struct fields *f,
			     const struct report_class *c)
{
	const struct histogram *h = &c->lengths;
	uint64_t sum = 0;

	f->row(f, c->name);
	if (h->count)
		put_below(r, f, h->min, 0);
	for (uint32_t i = 0; i < h->n_bins; i++) {
		sum += h->bins[i];
		if (h->bins[i])
			put_below(r, f, histogram_low(h->first + i + 1), sum);
	}
}

static void put_shorter(const struct report *r, struct fields *f)
{
	f->table(f, "shorter");
	for (unsigned int family = 0; family < LOCKS_FAMILIES; family++)
		put_shorter_than(r, f, &r->family[family]);
	for (unsigned int group = 0; group < LOCKS_GROUPS; group++)
		put_shorter_than(r, f, &r->group[group]);
}

/* What began in a part of the time; it stands at the part's beginning. */
static void put_rate(const struct report *r, struct fields *f)
{
	struct series_span *spans = mem_zalloc(SPANS, sizeof(*spans));
	size_t n = series_spans(r->series, r->last, SPANS, spans), i;
	char column[40];

	f->table(f, "rate");
	for (unsigned int family = 0; family <= LOCKS_FAMILIES; family++) {
		bool lost = family == LOCKS_FAMILIES;

		if (!lost && !r->family[family].lengths.count)
			continue;
		f->row(f, lost ? "lost" : r->family[family].name);
		for (i = 0; i < n; i++) {
			double seconds = page_seconds(r, (double)(spans[i].to - spans[i].from));

			snprintf(column, sizeof(column), "%.9f",
				 page_seconds(r, (double)spans[i].from));
			if (lost)
				put_u64(f, column, spans[i].lost);
			else
				put_number(f, column, "%.3f",
					   (double)spans[i].count[family] / seconds);
		}
	}
	free(spans);
}

void put_distributions(const struct report *r, struct fields *f)
{
	put_length(r, f);
	put_shorter(r, f);
	put_rate(r, f);
}
