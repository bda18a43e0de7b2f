// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Over time, on a page. See charts.h. */
#include <inttypes.h>
#include <stdio.h>

#include "base/array.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/visible.h"
#include "heap/charts.h"
#include "heap/parts.h"
#include "view/page/colours.h"
#include "view/page/html.h"
#include "view/page/svg.h"
#include "view/text/text.h"

#define MIB	1048576.0
#define NAME	64
#define TIP	1024

static double seconds_of(const struct heap *h, uint64_t ticks)
{
	return (double)ticks / (double)h->trace.meta.freq;
}

static double begin_of(const struct heap *h, const struct heap_timeline *t, size_t span)
{
	return seconds_of(h, (uint64_t)span << t->shift);
}

static void put_peak(const struct svg_chart *c, const struct heap *h, const char *word)
{
	svg_vertical(c, seconds_of(h, h->peak_ts - h->trace.start), word);
}

/* --- the whole ------------------------------------------------------------ */

static double value_of(const struct heap_span *span, bool blocks)
{
	return blocks ? (double)span->most.blocks : (double)span->most.bytes / MIB;
}

static void put_tips_of_whole(const struct svg_chart *c, const struct heap *h)
{
	const struct heap_timeline *t = h->timeline;
	char size[CELL];

	for (size_t i = 0; i < t->n; i++) {
		const struct heap_span *s = &t->span[i];

		svg_hover(c, begin_of(h, t, i), begin_of(h, t, i + 1),
			  "%s in %" PRIu64 " blocks at most; %" PRIu64 " allocated, %" PRIu64
			  " freed", format_size(size, sizeof(size), s->most.bytes),
			  s->most.blocks, s->allocated.blocks, s->freed);
	}
}

static void put_whole(FILE *f, const struct heap *h, const char *title, bool blocks)
{
	const struct heap_timeline *t = h->timeline;
	struct svg_point *point = mem_zalloc(t->n + 1, sizeof(*point));
	struct svg_chart c = {
		.f = f, .title = title, .width = 960, .height = 260,
		.x = { .title = "since the start", .unit = SVG_TIME,
		       .max = begin_of(h, t, t->n) },
		.y = { .title = blocks ? "blocks" : "MiB", .unit = SVG_COUNT },
	};
	double top = 0;

	for (size_t i = 0; i < t->n; i++) {
		point[i] = (struct svg_point){ begin_of(h, t, i), value_of(&t->span[i], blocks) };
		if (point[i].y > top)
			top = point[i].y;
	}
	point[t->n] = (struct svg_point){ c.x.max, t->n ? point[t->n - 1].y : 0 };
	c.y.max = svg_nice(top);
	html_figure_begin(f, title);
	svg_begin(&c);
	svg_steps(&c, point, t->n + 1, COLOUR_BOTH, true);
	put_peak(&c, h, blocks ? "" : "peak");
	put_tips_of_whole(&c, h);
	svg_end(&c);
	html_figure_end(f);
	mem_free(point);
}

/* --- by call site, by size ------------------------------------------------ */

/* Without dashes: a line of steps has none. */
static const unsigned int colours[] = {
	FT_LOCK_SPIN, FT_LOCK_MUTEX, FT_LOCK_RWSEM_READ, LOCKS_RT_SPIN, LOCKS_PTHREAD_MUTEX,
	LOCKS_PTHREAD_SPIN, FT_LOCK_RAW_SPIN, COLOUR_BOTH,
};

#define LINES	ARRAY_SIZE(colours)

struct part_names {
	char		text[LINES][NAME];
	struct svg_key	key[LINES];
};

static void name_parts(struct part_names *names, const struct heap *h, enum heap_table table,
		       const struct heap_parts *p)
{
	char name[SYMBOLS_LEN];

	for (size_t i = 0; i < p->n; i++) {
		heap_row_name(h, table, p->row[i], name);
		visible_shorten(name, NAME - 1);
		snprintf(names->text[i], NAME, "%.*s", NAME - 1, name);
		names->key[i] = (struct svg_key){ names->text[i], colours[i] };
	}
}

static double most_of(const struct heap_parts *p)
{
	uint64_t most = 0;

	for (size_t i = 0; i < p->n; i++) {
		if (p->row[i]->most > most)
			most = p->row[i]->most;
	}
	return (double)most / MIB;
}

static void put_line(const struct svg_chart *c, const struct heap *h,
		     const struct heap_timeline *t, unsigned int colour)
{
	struct svg_point *point = mem_zalloc(t->n + 1, sizeof(*point));

	for (size_t i = 0; i < t->n; i++)
		point[i] = (struct svg_point){ begin_of(h, t, i),
					       (double)t->span[i].most.bytes / MIB };
	point[t->n] = (struct svg_point){ c->x.max, t->n ? point[t->n - 1].y : 0 };
	svg_steps(c, point, t->n + 1, colour, false);
	mem_free(point);
}

/* All that are shown, of one span. */
static void put_tip(const struct svg_chart *c, const struct heap *h, const struct heap_parts *p,
		    const struct part_names *names, size_t span)
{
	const struct heap_timeline *t = p->row[0]->over_time;
	char tip[TIP] = "", size[CELL];
	size_t at = 0;

	for (size_t i = 0; i < p->n && at < sizeof(tip); i++) {
		const struct heap_count *most = &p->row[i]->over_time->span[span].most;

		at += (size_t)snprintf(tip + at, sizeof(tip) - at, "%s%s: %s in %" PRIu64 " blocks",
				       at ? "\n" : "", names->text[i],
				       format_size(size, sizeof(size), most->bytes), most->blocks);
	}
	svg_hover(c, begin_of(h, t, span), begin_of(h, t, span + 1), "%s", tip);
}

static void put_parts(FILE *f, const struct heap *h, enum heap_table table, const char *title)
{
	struct part_names names;
	struct svg_chart c = {
		.f = f, .title = title, .width = 960, .height = 260,
		.x = { .title = "since the start", .unit = SVG_TIME },
		.y = { .title = "MiB", .unit = SVG_COUNT },
	};
	struct heap_parts p;

	heap_parts_take(&p, h, table, LINES);
	if (!p.n) {
		heap_parts_free(&p);
		return;
	}
	name_parts(&names, h, table, &p);
	c.x.max = begin_of(h, p.row[0]->over_time, p.row[0]->over_time->n);
	c.y.max = svg_nice(most_of(&p));
	c.legend = svg_legend_room(c.width, names.key, p.n);
	c.height += c.legend;
	html_figure_begin(f, title);
	svg_begin(&c);
	svg_legend(f, c.width, names.key, p.n, true);
	for (size_t i = 0; i < p.n; i++)
		put_line(&c, h, p.row[i]->over_time, colours[i]);
	put_peak(&c, h, "peak");
	for (size_t i = 0; i < p.row[0]->over_time->n; i++)
		put_tip(&c, h, &p, &names, i);
	svg_end(&c);
	if (p.n < h->rows[table].n)
		html_caption(f, "%zu of %zu: those with the most at the peak.", p.n,
			     h->rows[table].n);
	html_figure_end(f);
	heap_parts_free(&p);
}

void heap_charts(FILE *f, const struct heap *h)
{
	size_t without = heap_parts_without(h, HEAP_SITES);

	html_section_begin(f, "time", "In use over time", NULL);
	html_figures_begin(f, 1);
	put_whole(f, h, "Bytes", false);
	put_whole(f, h, "Blocks", true);
	put_parts(f, h, HEAP_SITES, "Bytes by call");
	put_parts(f, h, HEAP_SIZES, "Bytes by size");
	html_figures_end(f);
	if (without)
		html_note(f, HTML_CAUTION, "%zu calls cannot be among these: only the first %u can.",
			  without, HEAP_TIMELINES);
	html_section_end(f);
}
