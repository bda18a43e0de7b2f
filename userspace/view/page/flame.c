// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Flame graphs: whose calls led to the time that locks were held, or waited for. A function's
 * box is as wide as the time of all sections, or waits, below it; its callers are above it.
 * A click on one gives it the whole width (html_style.c).
 */
#include <stdio.h>

#include "analysis/stack_paths.h"
#include "view/page/html.h"
#include "view/page/page.h"
#include "view/text/text.h"

#define WIDTH		960.0
#define ROW		17.0
#define LETTER		6.2
#define THINNEST	0.2	/* narrower boxes are left out, with what is in them */

struct flame {
	FILE			*f;		/* NULL: only @deepest is wanted */
	const struct report	*r;
	const struct stack_path	*path;
	enum stack_value	of;
	long double		all;
	uint32_t		deepest;
};

static unsigned __int128 sum(const struct flame *g, size_t from, size_t to)
{
	unsigned __int128 ticks = 0;

	for (; from < to; from++)
		ticks += g->path[from].ticks[g->of];
	return ticks;
}

/* Warm colours; one name has one, wherever it is. */
static unsigned int hue(const char *name)
{
	unsigned int h = 0;

	for (; *name; name++)
		h = h * 31 + (unsigned char)*name;
	return h % 50;
}

/* As much of the name as there is room for. */
static void label(FILE *f, const char *name, double x, double y, double width)
{
	double room = width / LETTER - 1;
	size_t len = 0, letters = 0;

	while (name[len] && letters < room) {
		len++;
		while ((name[len] & 0xc0) == 0x80)
			len++;
		letters++;
	}
	if (letters < 3)
		return;
	fprintf(f, "<text x=\"%.2f\" y=\"%.2f\">", x + 3, y + ROW - 5);
	if (name[len]) {
		char cut[SYMBOLS_LEN];

		snprintf(cut, sizeof(cut), "%.*s", (int)len, name);
		html_text(f, cut);
		fputs("\u2026", f);
	} else {
		html_text(f, name);
	}
	fputs("</text>", f);
}

static void box(const struct flame *g, const char *name, unsigned __int128 ticks, double x,
		double width, uint32_t depth)
{
	double y = depth * ROW;
	char time[CELL];

	fprintf(g->f, "<g data-x=\"%.4f\" data-w=\"%.4f\"><title>", x, width);
	html_text(g->f, name);
	fprintf(g->f, ": %s, %.2f\u00a0%%</title>", page_ps(time, report_span(g->r, ticks)),
		100 * width / WIDTH);
	fprintf(g->f, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
		"fill=\"hsl(%u,75%%,68%%)\"/>", x, y, width, ROW - 1, hue(name));
	label(g->f, name, x, y, width);
	fputs("</g>\n", g->f);
}

/* The functions at this depth of paths that are the same above it. */
static void draw(struct flame *g, size_t from, size_t to, uint32_t depth, double x)
{
	while (from < to && g->path[from].n <= depth)
		x += (double)((long double)g->path[from++].ticks[g->of] / g->all) * WIDTH;
	while (from < to) {
		const char *name = g->path[from].frame[depth];
		unsigned __int128 ticks;
		size_t end = from + 1;
		double width;

		while (end < to && g->path[end].frame[depth] == name)
			end++;
		ticks = sum(g, from, end);
		width = (double)((long double)ticks / g->all) * WIDTH;
		if (width >= THINNEST) {
			if (depth + 1 > g->deepest)
				g->deepest = depth + 1;
			if (g->f)
				box(g, name, ticks, x, width, depth + 1);
			draw(g, from, end, depth + 1, x);
		}
		x += width;
		from = end;
	}
}

static void flame(FILE *f, const struct report *r, const struct stack_paths *paths,
		  enum stack_value of, const char *id, const char *title)
{
	struct flame g = { .r = r, .of = of };
	unsigned __int128 all;
	size_t n;

	g.path = stack_paths_list(paths, &n);
	all = sum(&g, 0, n);
	if (!all)
		return;
	g.all = (long double)all;
	draw(&g, 0, n, 0, 0);
	g.f = f;
	html_section_begin(f, id, title, page_mark(r));
	fprintf(f, "<svg class=\"flame\" viewBox=\"0 0 %.0f %.0f\" role=\"img\"><title>%s</title>\n",
		WIDTH, (g.deepest + 1) * ROW, title);
	box(&g, "all", all, 0, WIDTH, 0);
	draw(&g, 0, n, 0, 0);
	fputs("</svg>\n", f);
	html_note(f, HTML_NOTE, "Callers are above what they call; a box is as wide as the time below "
		  "it. A click widens one; one on \"all\" shows all. Only %s of which the stack "
		  "is known. 'ft export -f folded%s' gives the same to other tools.",
		  of == STACK_HOLD ? "sections" : "waits", of == STACK_HOLD ? "" : " --of wait");
	html_section_end(f);
}

void page_flames(FILE *f, const struct report *r)
{
	struct stack_paths *paths;

	if (!r->shows[TABLE_STACK] || !r->table[TABLE_STACK].n_rows)
		return;
	paths = stack_paths_new(r);
	flame(f, r, paths, STACK_HOLD, "flame-hold", "Flame graph of hold time");
	flame(f, r, paths, STACK_WAIT, "flame-wait", "Flame graph of wait time");
	stack_paths_free(paths);
}
