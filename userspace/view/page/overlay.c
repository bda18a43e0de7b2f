// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Figures of several traces. A trace has the same colour in all of them. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/mem.h"
#include "view/page/html.h"
#include "view/page/overlay.h"
#include "view/page/page.h"
#include "view/page/svg.h"
#include "view/text/text.h"

/* Neighbours that are far apart, for eyes and for printers. */
static const unsigned int colours[OVERLAY_MAX] = { 0, 3, 5, 2, 4, 1, 6, 7 };

static size_t trace_keys(const struct overlay *o, size_t n, struct svg_key *keys)
{
	for (size_t i = 0; i < n; i++)
		keys[i] = (struct svg_key){ o[i].name, colours[i] };
	return n;
}

/* --- lengths --- */

static double time_of(const struct overlay *o, uint64_t ticks)
{
	return (double)ticks / o->freq;
}

/* Sections at the far ends would take most of the axis for themselves. */
static bool find_range(const struct overlay *o, size_t n, struct svg_axis *x)
{
	double least = INFINITY, most = 0;

	for (size_t i = 0; i < n; i++) {
		const struct histogram *h = o[i].lengths;

		if (!h->count)
			continue;
		least = fmin(least, time_of(&o[i], histogram_quantile(h, 1)));
		most = fmax(most, time_of(&o[i], histogram_quantile(h, 999)));
	}
	x->min = fmax(least, 1e-9) / 1.2;
	x->max = fmax(most * 1.2, 10 * x->min);
	return most > 0 || least < INFINITY;
}

static void trace_line(const struct svg_chart *c, const struct overlay *o,
		       unsigned int colour)
{
	const struct histogram *h = o->lengths;
	struct svg_point *p = mem_zalloc(h->n_bins + 2, sizeof(*p));
	double share = 0;
	uint64_t sum = 0;
	size_t n = 0;
	uint32_t i;

	p[n++] = (struct svg_point){ fmax(c->x.min, time_of(o, h->min)), 0 };
	for (i = 0; i < h->n_bins; i++) {
		double x = time_of(o, histogram_low(h->first + i + 1));

		if (!h->bins[i])
			continue;
		sum += h->bins[i];
		share = page_percent(sum, h->count);
		/* what is left of the axis is one point at its beginning */
		if (x <= c->x.min)
			n = 0;
		if (x > c->x.max)
			break;
		p[n++] = (struct svg_point){ fmax(x, c->x.min), share };
	}
	p[n] = (struct svg_point){ c->x.max, i < h->n_bins ? p[n - 1].y : 100 };
	svg_line(c, p, n + 1, colour);
	free(p);
}

static double share_below(const struct overlay *o, double seconds)
{
	const struct histogram *h = o->lengths;
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < h->n_bins &&
	     time_of(o, histogram_low(h->first + i + 1)) <= seconds; i++)
		sum += h->bins[i];
	return page_percent(sum, h->count);
}

/* Strips of equal width, each with the values at its middle. */
static void show_values(const struct svg_chart *c, const struct overlay *o,
			size_t n)
{
	const int strips = 40;
	double step = pow(c->x.max / c->x.min, 1.0 / strips);
	char text[512], tick[32];

	for (int i = 0; i < strips; i++) {
		double x = c->x.min * pow(step, i), at = x * sqrt(step);
		size_t len;

		len = (size_t)snprintf(text, sizeof(text), "shorter than %s",
			page_ps(tick, (report_ps)(at * 1e12)));
		for (size_t k = 0; k < n && len < sizeof(text); k++) {
			if (o[k].lengths->count)
				len += (size_t)snprintf(text + len,
					sizeof(text) - len, "\n%.40s: %.1f %%",
					o[k].name, share_below(&o[k], at));
		}
		svg_hover(c, x, x * step, "%s", text);
	}
}

void overlay_cumulative(FILE *f, const char *title, const struct overlay *o,
			size_t n)
{
	static const struct { double at; const char *name; } limits[] = {
		{ 5e-6, "5\u00a0\u00b5s" }, { 13e-6, "13\u00a0\u00b5s" },
	};
	struct svg_key keys[OVERLAY_MAX];
	struct svg_chart c = {
		.f = f, .title = title, .width = 520, .height = 270,
		.x = { .title = "hold time", .log = true, .unit = SVG_TIME },
		.y = { .title = "share that is shorter", .max = 100,
		       .unit = SVG_PERCENT },
	};
	size_t i;

	if (!find_range(o, n, &c.x))
		return;
	trace_keys(o, n, keys);
	c.legend = svg_legend_room(c.width, keys, n);
	html_figure_begin(f, title);
	svg_begin(&c);
	svg_legend(f, c.width, keys, n, true);
	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		if (limits[i].at > c.x.min && limits[i].at < c.x.max)
			svg_vertical(&c, limits[i].at, limits[i].name);
	}
	for (i = n; i-- > 0;) {
		if (o[i].lengths->count)
			trace_line(&c, &o[i], colours[i]);
	}
	show_values(&c, o, n);
	svg_end(&c);
	html_figure_end(f);
}

/* --- depth --- */

/* As report_depths(), of all. */
static unsigned int depths_of(const struct overlay *o, size_t n)
{
	unsigned int depth, depths = 0;

	for (size_t i = 0; i < n; i++) {
		for (depth = depths; depth < o[i].n_depths; depth++) {
			if (o[i].depth[depth])
				depths = depth + 1;
		}
	}
	return depths;
}

static void trace_bars(const struct svg_chart *c, const struct overlay *o,
		       unsigned int colour, double from, double width)
{
	uint64_t sum = 0;
	unsigned int depth;
	char share[CELL];

	for (depth = 0; depth < o->n_depths; depth++)
		sum += o->depth[depth];
	for (depth = 0; depth < o->n_depths; depth++) {
		uint64_t v = o->depth[depth];

		if (v)
			svg_bar(c, depth + from, depth + from + width,
				page_percent(v, sum), colour,
				"%.40s, depth %u\n%s: %" PRIu64 " sections",
				o->name, depth, text_share(share, v, sum), v);
	}
}

void overlay_depth(FILE *f, const char *title, const struct overlay *o, size_t n)
{
	unsigned int depths = depths_of(o, n);
	struct svg_key keys[OVERLAY_MAX];
	struct svg_chart c = {
		.f = f, .title = title, .width = 520, .height = 230,
		.x = { .title = "nesting depth", .min = -0.5,
		       .max = (depths < 5 ? 5 : depths) - 0.5, .unit = SVG_CATEGORY },
		.y = { .title = "share of sections", .max = 100,
		       .unit = SVG_PERCENT },
	};
	double width = 0.8 / (double)n;

	if (!depths)
		return;
	trace_keys(o, n, keys);
	c.legend = svg_legend_room(c.width, keys, n);
	html_figure_begin(f, title);
	svg_begin(&c);
	svg_legend(f, c.width, keys, n, false);
	for (size_t i = 0; i < n; i++)
		trace_bars(&c, &o[i], colours[i], -0.4 + (double)i * width, width);
	svg_end(&c);
	html_figure_end(f);
}
