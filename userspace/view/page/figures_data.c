// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The data of figures: tab separated, a comment that says what it is, then one
 * that names the columns. Numbers only, but for names of call sites.
 */
#include <inttypes.h>

#include "analysis/series.h"
#include "base/mem.h"
#include "view/page/figures.h"
#include "view/page/page.h"

/* The comment lines: what, of how much, and what has to be known of it. */
static void head(FILE *f, const struct report *r, const struct figure *fig,
		 const char *unit)
{
	fprintf(f, "# %s: %s\n", fig->title, unit);
	if (trace_lost(&r->trace))
		fprintf(f, "# not complete: %" PRIu64 " records were lost\n",
			trace_lost(&r->trace));
}

/* " NAME" and " NAME_percent" of each family of a group. */
static void family_names(FILE *f, const struct report *r, enum locks_group group)
{
	for (unsigned int i = 0; i < LOCKS_FAMILIES; i++) {
		if (figure_has(group, i))
			fprintf(f, "\t%s\t%s_percent", r->family[i].name,
				r->family[i].name);
	}
	putc('\n', f);
}

static void pair(FILE *f, uint64_t part, uint64_t whole)
{
	fprintf(f, "\t%" PRIu64 "\t%.6f", part, report_percent(part, whole));
}

/* Microseconds, to the picosecond. */
static void put_us(FILE *f, report_ps ps)
{
	fprintf(f, "%" PRIu64 ".%06u", (uint64_t)(ps / 1000000),
		(unsigned int)(ps % 1000000));
}

void figure_lengths_data(FILE *f, const struct report *r, const struct figure *fig)
{
	uint64_t all = r->group[fig->group].lengths.count, sum, below = 0;
	unsigned int i, family;

	head(f, r, fig, "number and percent of sections by hold time; the last line: all longer ones");
	fputs("# from_us\tto_us\tall\tall_percent\tall_below_to_percent", f);
	family_names(f, r, fig->group);
	for (i = 0; i <= SERIES_BINS; i++) {
		fprintf(f, "%.1f\t", i * SERIES_BIN_NS * 1e-3);
		if (i < SERIES_BINS)
			fprintf(f, "%.1f", (i + 1) * SERIES_BIN_NS * 1e-3);
		else
			fputs("inf", f);
		for (family = 0, sum = 0; family < LOCKS_FAMILIES; family++)
			sum += figure_has(fig->group, family) ?
			       r->series->bins[family][i] : 0;
		pair(f, sum, all);
		below += sum;
		fprintf(f, "\t%.6f", report_percent(below, all));
		for (family = 0; family < LOCKS_FAMILIES; family++) {
			if (figure_has(fig->group, family))
				pair(f, r->series->bins[family][i],
				     r->family[family].lengths.count);
		}
		putc('\n', f);
	}
}

static uint64_t in_bin(const struct histogram *h, uint32_t bin)
{
	return bin - h->first < h->n_bins ? h->bins[bin - h->first] : 0;
}

static void cumulative_row(FILE *f, const struct report *r,
			   const struct figure *fig, uint64_t below,
			   const uint64_t *sum)
{
	uint64_t all = 0;
	unsigned int i;

	for (i = 0; i < LOCKS_FAMILIES; i++)
		all += sum[i];
	put_us(f, report_span(r, below));
	pair(f, all, r->group[fig->group].lengths.count);
	for (i = 0; i < LOCKS_FAMILIES; i++) {
		if (figure_has(fig->group, i))
			pair(f, sum[i], r->family[i].lengths.count);
	}
	putc('\n', f);
}

void figure_cumulative_data(FILE *f, const struct report *r, const struct figure *fig)
{
	const struct histogram *h = &r->group[fig->group].lengths;
	uint64_t sum[LOCKS_FAMILIES] = { 0 };
	unsigned int family;
	uint32_t bin;

	head(f, r, fig, "number and percent of sections that are shorter");
	fputs("# below_us\tall\tall_percent", f);
	family_names(f, r, fig->group);
	cumulative_row(f, r, fig, h->min, sum);
	for (bin = h->first; bin - h->first < h->n_bins; bin++) {
		if (!in_bin(h, bin))
			continue;
		for (family = 0; family < LOCKS_FAMILIES; family++) {
			if (figure_has(fig->group, family))
				sum[family] += in_bin(&r->family[family].lengths, bin);
		}
		cumulative_row(f, r, fig, histogram_low(bin + 1), sum);
	}
}

void figure_depth_data(FILE *f, const struct report *r, const struct figure *fig)
{
	unsigned int depth, depths = report_depths(r, fig->scope);
	uint64_t sum = 0;

	for (depth = 0; depth < depths; depth++)
		sum += r->depth[fig->scope][depth];
	head(f, r, fig, "number and percent of sections by the number of locks that were held already");
	fputs("# depth\tsections\tpercent\n", f);
	for (depth = 0; depth < depths; depth++) {
		fprintf(f, "%u", depth);
		pair(f, r->depth[fig->scope][depth], sum);
		putc('\n', f);
	}
}

void figure_rate_data(FILE *f, const struct report *r, const struct figure *fig)
{
	struct series_span *spans = mem_zalloc(FIGURE_SPANS, sizeof(*spans));
	size_t n = report_series_spans(r->series, r->last, FIGURE_SPANS, spans), i;
	unsigned int family;

	head(f, r, fig, "number of complete sections that began from from_s to to_s; lost: records are missing");
	fputs("# from_s\tto_s\tlost", f);
	for (family = 0; family < LOCKS_FAMILIES; family++)
		fprintf(f, "\t%s", r->family[family].name);
	putc('\n', f);
	for (i = 0; i < n; i++) {
		fprintf(f, "%.9f\t%.9f\t%d",
			report_seconds(r, (double)spans[i].from),
			report_seconds(r, (double)spans[i].to), spans[i].lost);
		for (family = 0; family < LOCKS_FAMILIES; family++)
			fprintf(f, "\t%" PRIu64, spans[i].count[family]);
		putc('\n', f);
	}
	free(spans);
}

/* Names are letters: what would end a column, or is none, becomes '?'. */
static void put_name(FILE *f, const char *name)
{
	for (; *name; name++)
		putc(*name < ' ' || *name > '~' || *name == '"' || *name == '\\' ?
		     '?' : *name, f);
}

void figure_sites_data(FILE *f, const struct report *r, const struct figure *fig)
{
	const struct table_row *sites[FIGURE_SITES];
	size_t n = report_top_sites(r, fig->group, FIGURE_SITES, sites);
	char symbol[SYMBOLS_LEN];

	head(f, r, fig, "those with the longest total hold time");
	fputs("# rank\ttotal_us\tsections\tmean_us\tmax_us\tfamily\tsite\n", f);
	for (size_t i = 0; i < n; i++) {
		const struct sketch *h = &sites[i]->hold;

		fprintf(f, "%zu\t", i + 1);
		put_us(f, report_span(r, h->sum));
		fprintf(f, "\t%" PRIu64 "\t", h->count);
		put_us(f, report_mean_of(r, h->sum, h->count));
		putc('\t', f);
		put_us(f, report_span(r, h->max));
		fprintf(f, "\t%s\t", r->family[table_family(sites[i])].name);
		put_name(f, symbols_format(r->symbols, sites[i]->key, true, symbol,
					   sizeof(symbol)));
		putc('\n', f);
	}
}
