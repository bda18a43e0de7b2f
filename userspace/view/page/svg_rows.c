// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Charts of horizontal bars with long names, such as call sites. See svg.h. */
#include "base/mem.h"
#include "base/utf8.h"
#include "base/visible.h"
#include "view/page/html.h"
#include "view/page/svg_axis.h"

#define WIDTH		960.0
#define AFTER		90.0	/* room for the text behind the longest bar */
#define ROW		21.0
#define LETTERS		52	/* that a name has room for */

struct field {
	struct svg_axis	axis;
	double		left, right, top, bottom;
};

/* As wide as the longest name is. */
static double names_width(const struct svg_rows *c)
{
	size_t longest = 0, i;

	for (i = 0; i < c->n; i++) {
		size_t n = utf8_count(c->rows[i].label);

		longest = n > longest ? n : longest;
	}
	return (longest > LETTERS ? LETTERS : longest) * SVG_LETTER + 10;
}

static void draw_row(FILE *f, const struct field *field, const struct svg_row *row,
		     double y)
{
	double width = axis_place(&field->axis, row->value) *
		       (field->right - field->left);
	char *label = mem_strdup(row->label);

	visible_shorten(label, LETTERS);
	fputs("<g><title>", f);
	html_text(f, row->label);
	if (row->tip) {
		putc('\n', f);
		html_text(f, row->tip);
	}
	fputs("</title>", f);
	svg_text(f, field->left - 8, y + ROW - 6, "t e", label);
	/* what is not 0 must be visible */
	if (row->value > 0 && width < 0.6)
		width = 0.6;
	fprintf(f, "<rect class=\"b c%u\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>",
		row->colour, field->left, y + 3, width, ROW - 6);
	svg_text(f, field->left + width + 6, y + ROW - 6, "", row->text ? row->text : "");
	fputs("</g>\n", f);
	free(label);
}

static void draw_axis(FILE *f, const struct field *field, const char *title)
{
	double ticks[AXIS_TICKS], x;
	size_t n = axis_ticks(&field->axis, 6, ticks), i;
	char label[AXIS_LABEL];

	for (i = 0; i < n; i++) {
		x = field->left + axis_place(&field->axis, ticks[i]) *
				  (field->right - field->left);
		fprintf(f, "<path class=\"%s\" d=\"M%.1f %.1fV%.1f\"/>\n",
			i ? "g" : "a", x, field->top, field->bottom);
		svg_text(f, x, field->bottom + 16, "m",
			 axis_label(&field->axis, ticks[i], label));
	}
	svg_text(f, (field->left + field->right) / 2, field->bottom + 33, "m", title);
}

void svg_rows(FILE *f, const struct svg_rows *c)
{
	struct field field = {
		.axis = { .unit = c->unit },
		.left = names_width(c), .right = WIDTH - AFTER,
		.top = svg_legend_room(WIDTH, c->keys, c->n_keys),
	};
	size_t i;

	for (i = 0; i < c->n; i++) {
		if (c->rows[i].value > field.axis.max)
			field.axis.max = c->rows[i].value;
	}
	field.axis.max = svg_nice(field.axis.max);
	field.bottom = field.top + c->n * ROW + 4;
	svg_open(f, WIDTH, field.bottom + 40, c->name);
	svg_legend(f, WIDTH, c->keys, c->n_keys, false);
	draw_axis(f, &field, c->title);
	for (i = 0; i < c->n; i++)
		draw_row(f, &field, &c->rows[i], field.top + i * ROW + 2);
	fputs("</svg>\n", f);
}
