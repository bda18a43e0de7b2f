// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The gnuplot scripts of figures: each stands alone and draws SVG and PNG. */
#include <inttypes.h>
#include <math.h>

#include "analysis/series.h"
#include "base/mem.h"
#include "base/virtual.h"
#include "trace/fact.h"
#include "view/page/figures.h"
#include "view/page/page.h"
#include "view/page/svg.h"
#include "view/text/text.h"

static const char *const colours[LOCKS_FAMILIES] = {
	[FT_LOCK_SPIN]		= "#0072b2",
	[FT_LOCK_RWLOCK_READ]	= "#56b4e9",
	[FT_LOCK_RWLOCK_WRITE]	= "#cc79a7",
	[FT_LOCK_MUTEX]		= "#d55e00",
	[FT_LOCK_SEMAPHORE]	= "#e69f00",
	[FT_LOCK_RWSEM_READ]	= "#009e73",
	[FT_LOCK_RWSEM_WRITE]	= "#4d4d4d",
	[LOCKS_RT_SPIN]		= "#0072b2",
	[LOCKS_RT_RWLOCK_READ]	= "#56b4e9",
	[LOCKS_RT_RWLOCK_WRITE]	= "#cc79a7",
	[LOCKS_PTHREAD_MUTEX]	= "#d55e00",
	[LOCKS_PTHREAD_READ]	= "#009e73",
	[LOCKS_PTHREAD_WRITE]	= "#4d4d4d",
	[LOCKS_PTHREAD_SPIN]	= "#0072b2",
	[LOCKS_SEM]		= "#e69f00",
	[LOCKS_COND]		= "#cc79a7",
};

static const char *colour_of(const struct figure *fig)
{
	return fig->scope == LOCKS_BOTH ? "#8c6d31" :
	       fig->group == GROUP_SPINNING ? colours[FT_LOCK_SPIN] :
	       fig->group == GROUP_SLEEPING ? colours[FT_LOCK_MUTEX] :
					      colours[LOCKS_PTHREAD_READ];
}

/* In single quotes nothing is special to gnuplot but these. */
static void quote(FILE *f, const char *s)
{
	putc('\'', f);
	for (; *s; s++) {
		if (*s == '\'')
			putc('\'', f);
		putc(*s < ' ' || *s > '~' ? '?' : *s, f);
	}
	putc('\'', f);
}

/* What has to be known of all figures stands below each, in red. */
static void caution(FILE *f, const struct report *r, double height)
{
	char text[256] = "", name[128];
	size_t len = 0;

	if (trace_lost(&r->trace))
		len = (size_t)snprintf(text, sizeof(text),
				       "not complete: %" PRIu64 " records were lost",
				       trace_lost(&r->trace));
	if (trace_fact(&r->trace, "virtual", name, sizeof(name)) &&
	    virtual_is_emulator(name))
		snprintf(text + len, sizeof(text) - len,
			 "%srecorded in an emulator (%.60s): times mean nothing",
			 len ? "; " : "", name);
	if (!text[0])
		return;
	fputs("set label 1 ", f);
	quote(f, text);
	fprintf(f, " at screen 0.985, screen %.3f right font ',9' tc rgb '#b3261e'\n"
		"set bmargin at screen %.3f\n", 11 / height, 84 / height);
}

/* Up to where the plot stands; end() closes what this opens. */
static void begin(FILE *f, const struct report *r, const struct figure *fig,
		  unsigned int width, unsigned int height)
{
	fprintf(f, "# %s. To draw it again: gnuplot %s.gp\n"
		"reset\n"
		"set encoding utf8\n"
		"set datafile separator tab\n"
		"set border 3 lc rgb '#8b949e'\n"
		"set tics nomirror out tc rgb '#333333'\n"
		"set grid ytics lt 1 lw 0.5 lc rgb '#e0e4e8'\n"
		"set style fill solid noborder\n"
		"set key top right samplen 2\n",
		fig->title, fig->name);
	caution(f, r, height);
	fprintf(f, "do for [what in 'svg png'] {\n"
		"if (what eq 'svg') {\n"
		"set terminal svg size %u,%u noenhanced font 'sans-serif,13' background 'white'\n"
		"} else {\n"
		"set terminal pngcairo size %u,%u noenhanced font 'sans,11' fontscale 1.8 linewidth 2\n"
		"}\n"
		"set output '%s.'.what\n", width, height, 2 * width, 2 * height,
		fig->name);
}

static void end(FILE *f)
{
	fputs("unset output\n}\n", f);
}

void figure_lengths_plot(FILE *f, const struct report *r, const struct figure *fig)
{
	uint64_t all = r->group[fig->group].lengths.count, rest = 0;

	for (unsigned int i = 0; i < LOCKS_FAMILIES; i++)
		rest += figure_has(fig->group, i) ? r->series->bins[i][SERIES_BINS] : 0;
	begin(f, r, fig, 760, 440);
	fprintf(f, "set title '%s: %" PRIu64 " sections, %.2f %% of them (not shown) 15 \u00b5s or longer'\n",
		fig->title, all, report_percent(rest, all));
	fputs("set xrange [0:15]\nset yrange [0:*]\nset y2range [0:100]\n"
	      "set border 11\nset y2tics 20\nset xtics 1\nset key outside above horizontal\n"
	      "set xlabel 'hold time (\u00b5s)'\n"
	      "set ylabel 'sections per bin of 0.1 \u00b5s (%)'\n"
	      "set y2label 'sections that are shorter (%)'\n", f);
	fprintf(f, "plot '%s.tsv' using ($1 + 0.05):4:(0.1) with boxes lc rgb '%s' title 'share (left)', \\\n"
		"\t'' using 2:5 axes x1y2 with lines lw 2 lc rgb '#333333' title 'cumulative (right)'\n",
		fig->name, colour_of(fig));
	end(f);
}

/* From the decade of the shortest to that of the longest, all with a label. */
static void time_decades(FILE *f, const struct report *r, const struct histogram *h)
{
	double min = report_seconds(r, (double)h->min);
	double max = report_seconds(r, (double)h->max);
	const char *between = "";
	char label[24];
	int e, end;

	e = (int)floor(log10(fmax(min, 1e-9)) + 1e-9);
	end = (int)ceil(log10(fmax(max, 1e-9)) - 1e-9);
	end = end > e ? end : e + 1;
	fprintf(f, "set xrange [1e%d:1e%d]\nset xtics (", e, end);
	for (; e <= end; e++) {
		fprintf(f, "%s'%s' 1e%d", between,
			svg_tick(SVG_TIME, pow(10, e), label, sizeof(label)), e);
		between = ", ";
	}
	fputs(")\n", f);
}

void figure_cumulative_plot(FILE *f, const struct report *r, const struct figure *fig)
{
	unsigned int column = 5;	/* of the first family's percents */

	begin(f, r, fig, 760, 440);
	fprintf(f, "set title '%s'\n", fig->title);
	fputs("set logscale x\n", f);
	time_decades(f, r, &r->group[fig->group].lengths);
	fputs("set yrange [0:102]\nset ytics 20\nset key bottom right\n"
	      "set grid xtics ytics lt 1 lw 0.5 lc rgb '#e0e4e8'\n"
	      "set xlabel 'hold time'\n"
	      "set ylabel 'sections that are shorter (%)'\n", f);
	fprintf(f, "plot '%s.tsv' using ($1 / 1e6):3 with lines lw 4 lc rgb '#bbbbbb' title 'all'",
		fig->name);
	for (unsigned int i = 0; i < LOCKS_FAMILIES; i++) {
		if (!figure_has(fig->group, i))
			continue;
		if (r->family[i].lengths.count)
			fprintf(f, ", \\\n\t'' using ($1 / 1e6):%u with lines lw 2 lc rgb '%s' title '%s'",
				column, colours[i], r->family[i].title);
		column += 2;
	}
	putc('\n', f);
	end(f);
}

void figure_depth_plot(FILE *f, const struct report *r, const struct figure *fig)
{
	unsigned int depths = report_depths(r, fig->scope);

	begin(f, r, fig, 560, 400);
	fprintf(f, "set title '%s'\n"
		"set xrange [-0.6:%u.6]\nset yrange [0:109]\nset ytics 20\n"
		"set xtics %u\nset boxwidth 0.7\n"
		"set xlabel 'nesting depth'\nset ylabel 'sections (%%)'\n"
		"plot '%s.tsv' using 1:3 with boxes lc rgb '%s' notitle",
		fig->title, depths < 5 ? 4 : depths - 1, depths > 20 ? depths / 10 : 1,
		fig->name, colour_of(fig));
	if (depths <= 8)
		fputs(", \\\n\t'' using 1:3:($2 > 0 ? sprintf('%.3g %%', $3) : '') "
		      "with labels offset 0,0.7 notitle", f);
	putc('\n', f);
	end(f);
}

/* A round end of the axis, and its half. */
static void rate_axis(FILE *f, const struct report *r, unsigned int family,
		      const struct series_span *spans, size_t n)
{
	char half[24], full[24];
	double most = 0;

	for (size_t i = 0; i < n; i++)
		most = fmax(most, (double)spans[i].count[family] /
				  report_seconds(r, (double)(spans[i].to -
							     spans[i].from)));
	most = svg_nice(most);
	fprintf(f, "set yrange [0:%.9g]\nset ytics ('0' 0, '%s' %.9g, '%s' %.9g)\n",
		most, svg_tick(SVG_COUNT, most / 2, half, sizeof(half)), most / 2,
		svg_tick(SVG_COUNT, most, full, sizeof(full)), most);
}

static void rate_panel(FILE *f, const struct report *r, const struct figure *fig,
		       unsigned int family, bool last)
{
	if (last)
		fputs("set format x '%g'\nset xlabel 'time since the trace began (s)'\n",
		      f);
	fprintf(f, "set title '%s, sections per second' offset 0,-0.7\n"
		"plot '%s.tsv' using (($1 + $2) / 2):3:($2 - $1) axes x1y2 with boxes lc rgb '#f2b8b5', \\\n"
		"\t'' using 1:($%u / ($2 - $1)) with steps lw 1.2 lc rgb '%s'\n"
		"unset label 1\n", r->family[family].title, fig->name, 4 + family,
		colours[family]);
}

/* A small plot for each family, all with the same axis of time. */
void figure_rate_plot(FILE *f, const struct report *r, const struct figure *fig)
{
	struct series_span *spans = mem_zalloc(FIGURE_SPANS, sizeof(*spans));
	size_t n_spans = report_series_spans(r->series, r->last, FIGURE_SPANS, spans);
	unsigned int i, n = 0;
	double height;

	for (i = 0; i < LOCKS_FAMILIES; i++)
		n += r->family[i].lengths.count != 0;
	height = 150 + 120 * n;
	begin(f, r, fig, 760, (unsigned int)height);
	fprintf(f, "unset bmargin\n"
		"set multiplot layout %u,1 title '%s' margins screen 0.09, screen 0.97, screen %.3f, screen %.3f spacing screen %.3f\n",
		n, fig->title, 76 / height, 1 - 66 / height, 40 / height);
	fprintf(f, "set xrange [0:%.9f]\nset y2range [0:1]\nset format x ''\n"
		"unset xlabel\nunset key\n",
		report_seconds(r, (double)(r->last - r->series->base)));
	for (i = 0; i < LOCKS_FAMILIES; i++) {
		if (!r->family[i].lengths.count)
			continue;
		rate_axis(f, r, i, spans, n_spans);
		rate_panel(f, r, fig, i, !--n);
	}
	fputs("unset multiplot\n", f);
	end(f);
	free(spans);
}

void figure_sites_plot(FILE *f, const struct report *r, const struct figure *fig)
{
	const struct table_row *sites[FIGURE_SITES];
	size_t n = report_top_sites(r, fig->group, FIGURE_SITES, sites);
	report_ps most = n ? report_span(r, sites[0]->hold.sum) : 0;
	/* of the data's microseconds */
	bool seconds = most >= 1000000000000ull, ms = most >= 1000000000ull;

	begin(f, r, fig, 860, 110 + 22 * (unsigned int)n);
	fprintf(f, "set title '%s'\n"
		"set yrange [-%zu.6:-0.4]\nset xrange [0:*]\nset border 1\n"
		"set ytics scale 0\nset grid noytics xtics lt 1 lw 0.5 lc rgb '#e0e4e8'\n"
		"set xlabel 'total hold time (%s)'\n"
		"plot '%s.tsv' using ($2 / %s / 2):(-$1):($2 / %s / 2):(0.36):ytic(7) "
		"with boxxyerror lc rgb '%s' notitle\n", fig->title, n,
		seconds ? "s" : ms ? "ms" : "\u00b5s", fig->name,
		seconds ? "1e6" : ms ? "1e3" : "1.0",
		seconds ? "1e6" : ms ? "1e3" : "1.0", colour_of(fig));
	end(f);
}
