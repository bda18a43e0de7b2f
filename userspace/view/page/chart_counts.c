// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The page's figures of nesting depth, rate over time and call sites. */
#include <inttypes.h>
#include <math.h>

#include "analysis/series.h"
#include "base/mem.h"
#include "view/page/colours.h"
#include "view/page/html.h"
#include "view/page/page.h"
#include "view/page/svg.h"
#include "view/text/text.h"

#define RATE_PARTS	120	/* of the time */
#define CHART_ROWS	15	/* call sites in a figure */

/* Colours of the groups: that of one of their families. */
#define COLOUR_SPINNING	FT_LOCK_SPIN
#define COLOUR_SLEEPING	FT_LOCK_MUTEX
#define COLOUR_PROGRAM	LOCKS_PTHREAD_MUTEX

static void chart_depth(FILE *f, const struct report *r, enum locks_scope scope,
			const char *title, unsigned int colour)
{
	unsigned int depths = report_depths(r, scope), depth;
	struct svg_chart c = {
		.f = f, .title = title, .width = 340, .height = 230,
		.x = { .title = "nesting depth", .min = -0.5,
		       .max = (depths < 5 ? 5 : depths) - 0.5,
		       .unit = SVG_CATEGORY },
		.y = { .title = "share of sections", .max = 112,
		       .unit = SVG_PERCENT },
	};
	uint64_t sum = 0;
	char share[CELL];

	if (!depths)
		return;
	for (depth = 0; depth < depths; depth++)
		sum += r->depth[scope][depth];
	html_figure_begin(f, title);
	svg_begin(&c);
	for (depth = 0; depth < depths; depth++) {
		uint64_t n = r->depth[scope][depth];

		if (!n)
			continue;
		page_share(share, n, sum);
		svg_bar(&c, depth - 0.36, depth + 0.36, page_percent(n, sum), colour,
			"depth %u\n%s: %" PRIu64 " sections", depth, share, n);
		if (depths <= 7)
			svg_label(&c, depth, page_percent(n, sum), "%s", share);
	}
	svg_end(&c);
	html_figure_end(f);
}

void charts_depth(FILE *f, const struct report *r)
{
	html_figures_begin(f, report_depths(r, LOCKS_PROGRAM) ? 2 : 3);
	chart_depth(f, r, LOCKS_SPINNING, "Spinning locks, per CPU", COLOUR_SPINNING);
	chart_depth(f, r, LOCKS_SLEEPING, "Sleeping locks, per task", COLOUR_SLEEPING);
	chart_depth(f, r, LOCKS_BOTH, "Both together", COLOUR_BOTH);
	chart_depth(f, r, LOCKS_PROGRAM, "Locks of programs, per thread",
		    COLOUR_PROGRAM);
	html_figures_end(f);
}

static double span_rate(const struct report *r, const struct series_span *span,
			unsigned int family)
{
	return (double)span->count[family] /
	       page_seconds(r, (double)(span->to - span->from));
}

static void chart_rate(FILE *f, const struct report *r, unsigned int family,
		       const struct series_span *spans, size_t n)
{
	struct svg_chart c = {
		.f = f, .title = r->family[family].title, .width = 520, .height = 170,
		.x = { .title = "time since the trace began", .unit = SVG_TIME,
		       .max = page_seconds(r, (double)spans[n - 1].to) },
		.y = { .title = "sections per second", .unit = SVG_COUNT },
	};
	struct svg_point *p = mem_zalloc(n + 1, sizeof(*p));
	char rate[CELL], at[32];
	size_t i;

	for (i = 0; i < n; i++) {
		p[i].x = page_seconds(r, (double)spans[i].from);
		p[i].y = span_rate(r, &spans[i], family);
		c.y.max = fmax(c.y.max, p[i].y);
	}
	p[n] = (struct svg_point){ c.x.max, p[n - 1].y };
	c.y.max = svg_nice(c.y.max);
	html_figure_begin(f, r->family[family].title);
	svg_begin(&c);
	for (i = 0; i < n; i++) {
		if (spans[i].lost)
			svg_shade(&c, p[i].x, p[i + 1].x, "records were lost here");
	}
	svg_steps(&c, p, n + 1, family, true);
	for (i = 0; i < n; i++)
		svg_hover(&c, p[i].x, p[i + 1].x,
			  "at %s: %s per second\n%" PRIu64 " sections%s",
			  svg_tick(SVG_TIME, p[i].x, at, sizeof(at)),
			  text_rate(rate, p[i].y), spans[i].count[family],
			  spans[i].lost ? "; records were lost" : "");
	svg_end(&c);
	html_figure_end(f);
	free(p);
}

void charts_rate(FILE *f, const struct report *r)
{
	struct series_span *spans = mem_zalloc(RATE_PARTS, sizeof(*spans));
	size_t n = series_spans(r->series, r->last, RATE_PARTS, spans), i;
	bool lost = false;

	for (i = 0; i < n; i++)
		lost |= spans[i].lost;
	html_figures_begin(f, 2);
	for (i = 0; n && i < LOCKS_FAMILIES; i++) {
		if (r->family[i].lengths.count)
			chart_rate(f, r, i, spans, n);
	}
	html_figures_end(f);
	html_note(f, HTML_NOTE, "Complete sections, by the time of their "
		  "acquisition.%s", lost ?
		  " Where records were lost, the background is red." : "");
	free(spans);
}

static void draw_sites(FILE *f, const struct report *r, const char *title,
		       const struct svg_row *rows, size_t n)
{
	struct svg_key keys[LOCKS_FAMILIES];
	struct svg_rows chart = {
		.name = title, .title = "total hold time", .unit = SVG_TIME,
		.rows = rows, .n = n, .keys = keys,
	};
	unsigned int family;
	size_t i;

	for (family = 0; family < LOCKS_FAMILIES; family++) {
		for (i = 0; i < n && rows[i].colour != family; i++)
			;
		if (i < n)
			keys[chart.n_keys++] = (struct svg_key){
				r->family[family].title, family
			};
	}
	html_figure_begin(f, title);
	svg_rows(f, &chart);
	html_figure_end(f);
}

/* The sites of one kind of lock that took the most time. */
static void chart_sites(FILE *f, const struct report *r, enum locks_group group,
			const char *title)
{
	const struct table_row *sites[CHART_ROWS];
	size_t n = page_top_sites(r, group, CHART_ROWS, sites), i;
	struct svg_row rows[CHART_ROWS];
	char text[CHART_ROWS][3][SYMBOLS_LEN];
	char mean[CELL], max[CELL];

	for (i = 0; i < n; i++) {
		const struct sketch *h = &sites[i]->hold;
		unsigned int family = table_family(sites[i]);
		report_ps total = report_span(r, h->sum);

		page_ps(text[i][1], total);
		snprintf(text[i][2], SYMBOLS_LEN, "%s: %" PRIu64
			 " sections, mean %s, longest %s",
			 r->family[family].title, h->count,
			 page_ps(mean, report_mean_of(r, h->sum, h->count)),
			 page_ps(max, report_span(r, h->max)));
		rows[i] = (struct svg_row){
			.label = symbols_format(r->symbols, sites[i]->key, true,
						text[i][0], SYMBOLS_LEN),
			.text = text[i][1], .tip = text[i][2],
			.value = (double)total * 1e-12, .colour = family,
		};
	}
	if (n)
		draw_sites(f, r, title, rows, n);
}

void charts_sites(FILE *f, const struct report *r)
{
	html_figures_begin(f, 1);
	chart_sites(f, r, GROUP_SPINNING,
		    "Spinning locks: where the most time was spent");
	chart_sites(f, r, GROUP_SLEEPING,
		    "Sleeping locks: where the most time was spent");
	chart_sites(f, r, GROUP_PROGRAM,
		    "Locks of programs: where the most time was spent");
	html_figures_end(f);
}
