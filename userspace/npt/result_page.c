// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The result as a page. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "base/array.h"
#include "base/file.h"
#include "npt/result.h"
#include "npt/span.h"
#include "view/page/html.h"
#include "view/page/svg.h"

#define COLOUR	0

static void facts(FILE *f, const struct npt_result *r)
{
	char text[SPAN_LEN], start[64];
	struct utsname uts;

	html_facts_begin(f);
	html_fact(f, "CPU", "%" PRIu32, r->place.cpu);
	html_fact(f, "Priority", r->place.priority ? "SCHED_FIFO %" PRIu32 : "none",
		  r->place.priority);
	html_fact(f, "Where", "%s", r->in_kernel ? "the kernel, with interrupts off" : "a program");
	html_fact(f, "In each turn", "%s", loop_work_about(r->loop.work));
	html_fact(f, "Measured for", "%s%s", span_text(text, r->turns->sum, r->hz),
		  r->interrupted ? ", until a signal" : "");
	html_fact(f, "Clock", "%s, in steps of %s",
		  r->loop.clock == LOOP_TSC ? "TSC" : "CLOCK_MONOTONIC",
		  span_text(text, r->step, r->hz));
	if (strftime(start, sizeof(start), "%F %T", localtime(&r->start)))
		html_fact(f, "Begun", "%s", start);
	if (!uname(&uts))
		html_fact(f, "Kernel", "%s on %s", uts.release, uts.nodename);
	if (r->trace)
		html_fact(f, "Trace", "%s", r->trace);
	html_facts_end(f);
	for (size_t i = 0; i < r->warnings.n; i++)
		html_note(f, HTML_CAUTION, "%s", r->warnings.text[i]);
}

static void cell(FILE *f, const struct npt_result *r, double ticks)
{
	char text[SPAN_LEN];

	html_number(f, span_ns(ticks, r->hz), "%s", span_text(text, ticks, r->hz));
}

static void row(FILE *f, const struct npt_result *r, const char *title, const struct turns *t)
{
	static const unsigned int permille[] = { 500, 990, 999 };

	html_row_begin(f);
	html_cell(f, "%s", title);
	html_count(f, t->count);
	cell(f, r, t->count ? (double)t->min : 0);
	cell(f, r, turns_mean(t));
	cell(f, r, turns_deviation(t));
	for (size_t i = 0; i < ARRAY_SIZE(permille); i++)
		cell(f, r, turns_quantile(t, permille[i]));
	cell(f, r, t->max);
	html_row_end(f);
}

static void lengths(FILE *f, const struct npt_result *r)
{
	static const struct html_column columns[] = {
		{ "loop", NULL, HTML_TEXT }, { "turns", NULL, HTML_NUMBER },
		{ "min", NULL, HTML_NUMBER }, { "mean", NULL, HTML_NUMBER },
		{ "std dev", NULL, HTML_NUMBER }, { "p50", NULL, HTML_NUMBER },
		{ "p99", NULL, HTML_NUMBER }, { "p99.9", NULL, HTML_NUMBER },
		{ "max", NULL, HTML_NUMBER },
	};

	html_section_begin(f, "turns", "How long turns took", NULL);
	html_table_begin(f, columns, ARRAY_SIZE(columns));
	row(f, r, "empty", r->bare);
	row(f, r, "measured", r->turns);
	html_table_end(f);
}

static void chart(FILE *f, const struct npt_result *r)
{
	struct svg_chart c = {
		.f = f, .title = "Length of turns", .width = 960, .height = 300,
		.x = { .title = "length of a turn", .log = true, .unit = SVG_TIME,
		       .min = span_ns(r->turns->min ? (double)r->turns->min : 1, r->hz) / 1.2e9,
		       .max = span_ns((double)r->turns->max, r->hz) / 1e9 * 1.2 },
		.y = { .title = "turns (logarithmic)", .log = true, .min = 0.7, .unit = SVG_COUNT },
	};
	char low[SPAN_LEN], high[SPAN_LEN];
	struct result_bin bin;
	uint32_t at = 0;

	for (at = 0; result_next_bin(r->turns, &at, &bin);)
		c.y.max = (double)bin.count > c.y.max ? (double)bin.count : c.y.max;
	c.y.max = c.y.max < 10 ? 10 : 1.5 * c.y.max;
	html_figures_begin(f, 1);
	html_figure_begin(f, "Length of turns");
	svg_begin(&c);
	for (at = 0; result_next_bin(r->turns, &at, &bin);)
		svg_bar(&c, span_ns((double)bin.low, r->hz) / 1e9,
			span_ns((double)bin.high, r->hz) / 1e9, (double)bin.count, COLOUR,
			"%s to %s\n%" PRIu64 " turns", span_text(low, (double)bin.low, r->hz),
			span_text(high, (double)bin.high, r->hz), bin.count);
	svg_end(&c);
	html_figure_end(f);
	html_figures_end(f);
}

static void longest(FILE *f, const struct npt_result *r)
{
	static const struct html_column columns[] = {
		{ "after", NULL, HTML_NUMBER }, { "took", NULL, HTML_NUMBER },
		{ "because of", NULL, HTML_TEXT },
	};
	char limit[SPAN_LEN], sum[SPAN_LEN], share[CELL];
	const struct long_turn **turns;
	size_t n;

	html_section_begin(f, "longest", "The longest turns", NULL);
	html_note(f, HTML_NOTE, "%" PRIu64 " turns took %s or more, together %s: %s of the time",
		  r->turns->long_count, span_text(limit, (double)r->turns->limit, r->hz),
		  span_text(sum, (double)r->turns->long_sum, r->hz),
		  text_share(share, r->turns->long_sum, r->turns->sum));
	if (r->turns->long_count > r->causes.n)
		html_note(f, HTML_NOTE, "The %zu longest of them are remembered.", r->causes.n);
	if (r->causes.lost)
		html_note(f, HTML_WARNING, "%" PRIu64 " records of the trace were lost: causes "
			  "may be missing.", r->causes.lost);
	turns = result_longest(r, &n);
	html_table_begin(f, columns, ARRAY_SIZE(columns) - !r->causes.found);
	for (size_t i = 0; i < n; i++) {
		double after = span_ns((double)(turns[i]->turn.begin - r->begin), r->hz) / 1e9;
		char *why = causes_text(&r->causes, turns[i], r->hz);

		html_row_begin(f);
		html_number(f, after, "%.6f s", after);
		cell(f, r, (double)(turns[i]->turn.end - turns[i]->turn.begin));
		if (r->causes.found)
			html_cell(f, "%s", why);
		html_row_end(f);
		free(why);
	}
	html_table_end(f);
	html_section_end(f);
	free(turns);
}

int result_page(const struct npt_result *r, const char *path)
{
	FILE *f = html_open(path);

	if (!f)
		return -1;
	html_begin(f, "Non-preempt test");
	facts(f, r);
	lengths(f, r);
	if (r->turns->count)
		chart(f, r);
	html_section_end(f);
	longest(f, r);
	html_end(f);
	return close_output(f, path);
}
