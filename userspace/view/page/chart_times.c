// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The page's figures of hold times. A family has the same colour in all figures. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/series.h"
#include "base/mem.h"
#include "view/page/html.h"
#include "view/page/page.h"
#include "view/page/svg.h"
#include "view/text/text.h"

static uint64_t count_of(const struct report *r, unsigned int family)
{
	return r->family[family].lengths.count;
}

/* How many sections of a family are shorter than the last bin's end. */
static uint64_t in_bins(const struct report *r, unsigned int family)
{
	return count_of(r, family) - r->series->bins[family][SERIES_BINS];
}

static void lengths_bars(const struct svg_chart *c, const struct report *r,
			 unsigned int family)
{
	const uint64_t *bins = r->series->bins[family];
	char share[CELL];
	unsigned int i;

	for (i = 0; i < SERIES_BINS; i++) {
		if (!bins[i])
			continue;
		svg_bar(c, i * SERIES_BIN_NS * 1e-9, (i + 1) * SERIES_BIN_NS * 1e-9,
			page_percent(bins[i], count_of(r, family)), family,
			"%.1f to %.1f \u00b5s\n%s: %" PRIu64 " sections",
			i * SERIES_BIN_NS * 1e-3, (i + 1) * SERIES_BIN_NS * 1e-3,
			page_share(share, bins[i], count_of(r, family)), bins[i]);
	}
}

static void lengths_caption(FILE *f, const struct report *r, unsigned int family)
{
	const struct histogram *h = &r->family[family].lengths;
	uint64_t rest = r->series->bins[family][SERIES_BINS];
	char share[CELL], mean[CELL], median[CELL], p99[CELL];
	char all[HTML_COUNT], longer[HTML_COUNT];

	page_ps(mean, report_mean(r, h));
	page_ps(median, report_span(r, histogram_quantile(h, 500)));
	page_ps(p99, report_span(r, histogram_quantile(h, 990)));
	html_caption(f, "%s sections; mean %s, median %s, p99 %s. "
		     "Not shown: %s (%s) of 15\u00a0\u00b5s or more.",
		     html_grouped(all, h->count), mean, median, p99,
		     html_grouped(longer, rest),
		     rest ? page_share(share, rest, h->count) : "0\u00a0%");
}

static void chart_lengths(FILE *f, const struct report *r, unsigned int family)
{
	const uint64_t *bins = r->series->bins[family];
	struct svg_chart c = {
		.f = f, .title = r->family[family].title, .width = 520, .height = 230,
		.x = { .title = "hold time, bins of 0.1 \u00b5s",
		       .max = SERIES_BINS * SERIES_BIN_NS * 1e-9,
		       .unit = SVG_TIME },
		.y = { .title = "share of sections", .unit = SVG_PERCENT },
	};
	uint64_t most = 0;
	unsigned int i;

	html_figure_begin(f, r->family[family].title);
	if (in_bins(r, family)) {
		for (i = 0; i < SERIES_BINS; i++)
			most = bins[i] > most ? bins[i] : most;
		c.y.max = svg_nice(page_percent(most, count_of(r, family)));
		svg_begin(&c);
		lengths_bars(&c, r, family);
		svg_end(&c);
	}
	lengths_caption(f, r, family);
	html_figure_end(f);
}

void charts_lengths(FILE *f, const struct report *r)
{
	html_figures_begin(f, 2);
	for (unsigned int family = 0; family < LOCKS_FAMILIES; family++) {
		if (count_of(r, family))
			chart_lengths(f, r, family);
	}
	html_figures_end(f);
}

/* How many are shorter: exact where @ticks is the end of a bin. */
static uint64_t shorter(const struct histogram *h, uint64_t ticks)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < h->n_bins && histogram_low(h->first + i + 1) <= ticks; i++)
		sum += h->bins[i];
	return ticks > h->max ? h->count : sum;
}

static void cumulative_line(const struct svg_chart *c, const struct report *r,
			    unsigned int family)
{
	const struct histogram *h = &r->family[family].lengths;
	struct svg_point *p = mem_zalloc(h->n_bins + 2, sizeof(*p));
	uint64_t sum = 0;
	size_t n = 0;
	uint32_t i;

	p[n++] = (struct svg_point){ page_seconds(r, (double)h->min), 0 };
	for (i = 0; i < h->n_bins; i++) {
		double x = page_seconds(r, (double)histogram_low(h->first + i + 1));

		if (!h->bins[i])
			continue;
		sum += h->bins[i];
		/* the last bin ends at the longest */
		if (sum == h->count)
			x = page_seconds(r, (double)h->max);
		p[n++] = (struct svg_point){ x, page_percent(sum, h->count) };
	}
	p[n++] = (struct svg_point){ c->x.max, 100 };
	svg_line(c, p, n, family);
	free(p);
}

static size_t family_keys(const struct report *r, struct svg_key *keys)
{
	size_t n = 0;

	for (unsigned int i = 0; i < LOCKS_FAMILIES; i++) {
		if (count_of(r, i))
			keys[n++] = (struct svg_key){ r->family[i].title, i };
	}
	return n;
}

/* Two digits are enough to show. */
static double round_to(double v)
{
	double unit = pow(10, floor(log10(v)) - 1);

	return round(v / unit) * unit;
}

/* Ten strips a decade, each with all families' values at its middle. */
static void cumulative_hover(const struct svg_chart *c, const struct report *r)
{
	double x, next = c->x.min;
	char text[512], tick[32], share[CELL];

	for (int i = 1; next < c->x.max * (1 - 1e-9); i++) {
		double at = round_to(c->x.min * pow(10, (i - 0.5) / 10));
		uint64_t ticks = (uint64_t)(at * (double)r->trace.meta.freq);
		size_t len;

		x = next;
		next = c->x.min * pow(10, i / 10.0);
		len = (size_t)snprintf(text, sizeof(text), "shorter than %s",
				       svg_tick(SVG_TIME, at, tick, sizeof(tick)));
		for (unsigned int f = 0; f < LOCKS_FAMILIES; f++) {
			const struct histogram *h = &r->family[f].lengths;

			if (h->count && len < sizeof(text))
				len += (size_t)snprintf(text + len,
					sizeof(text) - len, "\n%s: %s",
					r->family[f].title, page_share(share,
					shorter(h, ticks), h->count));
		}
		svg_hover(c, x, next, "%s", text);
	}
}

static void cumulative_range(const struct report *r, struct svg_axis *x)
{
	double least = INFINITY, most = 0;

	for (unsigned int i = 0; i < LOCKS_FAMILIES; i++) {
		const struct histogram *h = &r->family[i].lengths;

		if (!h->count)
			continue;
		least = fmin(least, page_seconds(r, (double)h->min));
		most = fmax(most, page_seconds(r, (double)h->max));
	}
	/* what took no tick at all has no place on a logarithmic axis */
	x->min = pow(10, floor(log10(fmax(least, 1e-9)) + 1e-9));
	x->max = pow(10, ceil(log10(fmax(most, 10 * x->min)) - 1e-9));
}

void chart_cumulative(FILE *f, const struct report *r)
{
	struct svg_key keys[LOCKS_FAMILIES];
	size_t n = family_keys(r, keys);
	struct svg_chart c = {
		.f = f, .title = "Cumulative distribution of hold times",
		.width = 960, .height = 360,
		.x = { .title = "hold time", .log = true, .unit = SVG_TIME },
		.y = { .title = "share of sections that are shorter", .max = 100,
		       .unit = SVG_PERCENT },
	};
	char word[CELL];
	unsigned int i;

	html_figures_begin(f, 1);
	html_figure_begin(f, "Cumulative distribution");
	c.legend = svg_legend_room(c.width, keys, n);
	cumulative_range(r, &c.x);
	svg_begin(&c);
	svg_legend(f, c.width, keys, n, true);
	for (i = 0; i < r->n_limits; i++) {
		double at = (double)r->limit[i].ns * 1e-9;

		snprintf(word, sizeof(word), "%.10s\u00a0\u00b5s", r->limit[i].name);
		if (at > c.x.min && at < c.x.max)
			svg_vertical(&c, at, word);
	}
	for (i = LOCKS_FAMILIES; i-- > 0;) {
		if (count_of(r, i))
			cumulative_line(&c, r, i);
	}
	cumulative_hover(&c, r);
	svg_end(&c);
	html_figure_end(f);
	html_figures_end(f);
}

