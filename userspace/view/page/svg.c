// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Charts: the frame, and what is drawn into it. See svg.h. */
#include <stdarg.h>
#include <string.h>

#include "base/utf8.h"
#include "view/page/html.h"
#include "view/page/svg_axis.h"

#define LINE		17
#define KEY_GAP		38	/* of a legend: the swatch and the space behind */

static double text_width(const char *s)
{
	return utf8_count(s) * SVG_LETTER;
}

static double place_x(const struct svg_chart *c, double v)
{
	return c->left + axis_place(&c->x, v) * (c->right - c->left);
}

static double place_y(const struct svg_chart *c, double v)
{
	return c->bottom - axis_place(&c->y, v) * (c->bottom - c->top);
}

void svg_text(FILE *f, double x, double y, const char *class, const char *text)
{
	fprintf(f, "<text x=\"%.1f\" y=\"%.1f\"", x, y);
	if (*class)
		fprintf(f, " class=\"%s\"", class);
	putc('>', f);
	html_text(f, text);
	fputs("</text>\n", f);
}

static void line_at(FILE *f, double x1, double y1, double x2, double y2,
		    const char *class)
{
	fprintf(f, "<path class=\"%s\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", class, x1,
		y1, x2, y2);
}

void svg_open(FILE *f, double width, double height, const char *name)
{
	fprintf(f, "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"",
		width, height);
	html_text(f, name);
	fputs("\">\n", f);
}

/* The field is what the ticks' labels and the titles leave. */
static void lay_out(struct svg_chart *c)
{
	double ticks[AXIS_TICKS], widest = 0, width;
	size_t n = axis_ticks(&c->y, 4, ticks), i;
	char label[AXIS_LABEL];

	for (i = 0; i < n; i++) {
		width = text_width(axis_label(&c->y, ticks[i], label));
		if (width > widest)
			widest = width;
	}
	c->left = widest + 9;
	c->right = c->width - 16;
	c->top = c->legend + (c->y.title ? 24 : 8);
	c->bottom = c->height - (c->x.title ? 40 : 22);
}

static void draw_x(const struct svg_chart *c)
{
	double ticks[AXIS_TICKS], x;
	unsigned int wanted = (unsigned int)((c->right - c->left) /
					     (c->x.unit == SVG_CATEGORY ? 24 : 62));
	size_t n = axis_ticks(&c->x, wanted ? wanted : 1, ticks), i;
	char label[AXIS_LABEL];

	for (i = 0; i < n; i++) {
		x = place_x(c, ticks[i]);
		if (c->x.unit != SVG_CATEGORY)
			line_at(c->f, x, c->bottom, x, c->bottom + 4, "a");
		svg_text(c->f, x, c->bottom + 17, "m",
			 axis_label(&c->x, ticks[i], label));
	}
	line_at(c->f, c->left, c->bottom, c->right, c->bottom, "a");
	if (c->x.title)
		svg_text(c->f, (c->left + c->right) / 2, c->bottom + 34, "m",
			 c->x.title);
}

static void draw_y(const struct svg_chart *c)
{
	double ticks[AXIS_TICKS], y;
	size_t n = axis_ticks(&c->y, 4, ticks), i;
	char label[AXIS_LABEL];

	for (i = 0; i < n; i++) {
		y = place_y(c, ticks[i]);
		if (y < c->bottom - 0.5)
			line_at(c->f, c->left, y, c->right, y, "g");
		svg_text(c->f, c->left - 6, y + 4, "e",
			 axis_label(&c->y, ticks[i], label));
	}
	if (c->y.title)
		svg_text(c->f, 0, c->top - 12, "", c->y.title);
}

void svg_begin(struct svg_chart *c)
{
	lay_out(c);
	svg_open(c->f, c->width, c->height, c->title);
	draw_y(c);
	draw_x(c);
}

void svg_end(struct svg_chart *c)
{
	fputs("</svg>\n", c->f);
}

__attribute__((format(printf, 6, 0)))
static void box(FILE *f, double x0, double x1, double y0, double y1,
		const char *fmt, va_list ap)
{
	char tip[1024];

	fprintf(f, " x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\">", x0, y0,
		x1 > x0 ? x1 - x0 : 0, y1 > y0 ? y1 - y0 : 0);
	vsnprintf(tip, sizeof(tip), fmt, ap);
	fputs("<title>", f);
	html_text(f, tip);
	fputs("</title></rect>\n", f);
}

void svg_bar(const struct svg_chart *c, double x0, double x1, double y,
	     unsigned int colour, const char *fmt, ...)
{
	va_list ap;

	fprintf(c->f, "<rect class=\"b c%u\"", colour);
	va_start(ap, fmt);
	box(c->f, place_x(c, x0), place_x(c, x1), place_y(c, y), c->bottom, fmt, ap);
	va_end(ap);
}

/* Half a pixel wider on each side, so that a very short one is visible. */
void svg_shade(const struct svg_chart *c, double x0, double x1, const char *fmt, ...)
{
	va_list ap;

	fputs("<rect class=\"x\"", c->f);
	va_start(ap, fmt);
	box(c->f, place_x(c, x0) - 0.5, place_x(c, x1) + 0.5, c->top, c->bottom, fmt,
	    ap);
	va_end(ap);
}

void svg_hover(const struct svg_chart *c, double x0, double x1, const char *fmt, ...)
{
	va_list ap;

	fputs("<rect class=\"h\"", c->f);
	va_start(ap, fmt);
	box(c->f, place_x(c, x0), place_x(c, x1), c->top, c->bottom, fmt, ap);
	va_end(ap);
}

void svg_line(const struct svg_chart *c, const struct svg_point *p, size_t n,
	      unsigned int colour)
{
	size_t i;

	if (!n)
		return;
	fprintf(c->f, "<path class=\"l d c%u\" d=\"", colour);
	for (i = 0; i < n; i++)
		fprintf(c->f, "%c%.1f %.1f", i ? 'L' : 'M', place_x(c, p[i].x),
			place_y(c, p[i].y));
	fputs("\"/>\n", c->f);
}

static void steps_path(const struct svg_chart *c, const struct svg_point *p,
		       size_t n)
{
	size_t i;

	for (i = 0; i + 1 < n; i++)
		fprintf(c->f, "V%.1fH%.1f", place_y(c, p[i].y),
			place_x(c, p[i + 1].x));
}

void svg_steps(const struct svg_chart *c, const struct svg_point *p, size_t n,
	       unsigned int colour, bool fill)
{
	if (n < 2)
		return;
	if (fill) {
		fprintf(c->f, "<path class=\"f c%u\" d=\"M%.1f %.1f", colour,
			place_x(c, p[0].x), c->bottom);
		steps_path(c, p, n);
		fprintf(c->f, "V%.1fZ\"/>\n", c->bottom);
	}
	fprintf(c->f, "<path class=\"l c%u\" d=\"M%.1f %.1f", colour,
		place_x(c, p[0].x), place_y(c, p[0].y));
	steps_path(c, p, n);
	fputs("\"/>\n", c->f);
}

void svg_vertical(const struct svg_chart *c, double x, const char *word)
{
	line_at(c->f, place_x(c, x), c->top, place_x(c, x), c->bottom, "v");
	svg_text(c->f, place_x(c, x), c->top - 5, "m", word);
}

void svg_label(const struct svg_chart *c, double x, double y, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	svg_text(c->f, place_x(c, x), place_y(c, y) - 4, "t m", text);
}

/* Where the next key stands, and how wide it is. */
static double next_key(double width, const struct svg_key *key, double *x,
		       double *y)
{
	double need = text_width(key->name) + KEY_GAP;

	if (*x > 0 && *x + need > width) {
		*x = 0;
		*y += LINE;
	}
	return need;
}

double svg_legend_room(double width, const struct svg_key *keys, size_t n)
{
	double x = 0, y = LINE;

	for (size_t i = 0; i < n; i++)
		x += next_key(width, &keys[i], &x, &y);
	return n ? y + 5 : 0;
}

void svg_legend(FILE *f, double width, const struct svg_key *keys, size_t n,
		bool lines)
{
	double x = 0, y = LINE, need;

	for (size_t i = 0; i < n; i++) {
		need = next_key(width, &keys[i], &x, &y);
		fprintf(f, "<path class=\"%sc%u\" d=\"M%.1f %.1f%s\"/>\n",
			lines ? "l d " : "", keys[i].colour,
			lines ? x : x + 7, lines ? y - 8 : y - 13,
			lines ? "h18" : "h11v11h-11z");
		svg_text(f, x + 23, y - 4, "t", keys[i].name);
		x += need;
	}
}
