/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The building blocks of a page: a document that is one file and needs no other,
 * with facts, notes, tables and room for figures (svg.h).
 *
 * These functions escape all text, so callers pass names, commands and hosts unchanged.
 * Bytes that are not UTF-8, and control characters, become U+FFFD. The output is
 * well-formed XML, too.
 *
 *	f = html_open(path);
 *	html_begin(f, "Locks of buildbox");
 *	html_facts_begin(f);
 *	html_fact(f, "Kernel", "%s", release);
 *	html_facts_end(f);
 *	html_section_begin(f, "families", "Critical sections", NULL);
 *	html_table_begin(f, columns, n);
 *	html_row_begin(f);
 *	html_cell(f, "%s", family);
 *	html_number(f, mean, "%s", "1.24 us");
 *	html_row_end(f);
 *	html_table_end(f);
 *	html_section_end(f);
 *	html_end(f);
 *	return close_output(f, path);
 *
 * With JavaScript, tables sort by a click on a column's head and what has a tip
 * shows it at once; without, the order stays and the browser shows the tip.
 */
#ifndef FT_VIEW_HTML_H
#define FT_VIEW_HTML_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** enum html_kind - what a column of a table holds */
enum html_kind {
	HTML_TEXT,
	HTML_CODE,	/* a symbol or address, in a font of equal widths */
	HTML_NUMBER,	/* right-aligned, sorts largest first */
};

struct html_column {
	const char	*title;
	const char	*tip;	/* says more of the title, or NULL */
	enum html_kind	kind;
};

/** enum html_tone - how loud a note is */
enum html_tone {
	HTML_NOTE,	/* grey, small: an explanation */
	HTML_CAUTION,	/* amber: a limitation */
	HTML_WARNING,	/* red: something is missing or wrong */
};

/** html_text - escaped, for content and for attributes in double quotes */
void html_text(FILE *f, const char *s);

/** html_open - create the file of a page; NULL with a message */
FILE *html_open(const char *path);

/** html_begin - the document up to its first headline, which is @title */
void html_begin(FILE *f, const char *title);
void html_end(FILE *f);

/** html_note - a paragraph */
__attribute__((format(printf, 3, 4)))
void html_note(FILE *f, enum html_tone tone, const char *fmt, ...);

/**
 * html_disclosure_begin - a folded part, which a click on @fmt opens
 *
 * In print, and without JavaScript, it is open.
 */
__attribute__((format(printf, 2, 3)))
void html_disclosure_begin(FILE *f, const char *fmt, ...);
void html_disclosure_end(FILE *f);

/* A list of names and values. */
void html_facts_begin(FILE *f);
__attribute__((format(printf, 3, 4)))
void html_fact(FILE *f, const char *name, const char *fmt, ...);
/** html_fact_folded - a value that may be long: a click shows its middle */
void html_fact_folded(FILE *f, const char *name, const char *value);
void html_facts_end(FILE *f);

/**
 * html_section_begin - a part of the page with a headline
 * @id:		for links within the page: letters, digits, hyphens
 * @mark:	shown beside the headline, as "not complete"; or NULL
 */
void html_section_begin(FILE *f, const char *id, const char *title,
			const char *mark);
void html_section_end(FILE *f);

/**
 * html_figures_begin - a grid of figures
 * @per_row: 1 to 3 side by side, fewer where the window is narrow; charts look
 *	     best 960, 520 and 340 wide
 */
void html_figures_begin(FILE *f, unsigned int per_row);
void html_figures_end(FILE *f);

/** html_figure_begin - a svg_chart follows, then html_figure_end() */
void html_figure_begin(FILE *f, const char *title);

void html_figure_end(FILE *f);

/** html_caption - of the figure that stands before it, within html_figure_end() */
__attribute__((format(printf, 2, 3)))
void html_caption(FILE *f, const char *fmt, ...);

/**
 * html_table_begin - the head of a table whose rows follow
 *
 * Each row must have a cell for each column, in their order: html_number() for
 * HTML_NUMBER, html_cell() or html_code() for the others.
 */
void html_table_begin(FILE *f, const struct html_column *columns, size_t n);
void html_table_end(FILE *f);
void html_row_begin(FILE *f);
void html_row_end(FILE *f);

__attribute__((format(printf, 2, 3)))
void html_cell(FILE *f, const char *fmt, ...);

__attribute__((format(printf, 2, 3)))
void html_code(FILE *f, const char *fmt, ...);

/** html_number - @value sorts, @fmt shows it: "1.24 us", "-" */
__attribute__((format(printf, 3, 4)))
void html_number(FILE *f, double value, const char *fmt, ...);

#define HTML_COUNT	64	/* bytes that a count needs */

/** html_grouped - a number with narrow spaces between groups of three digits */
const char *html_grouped(char buf[HTML_COUNT], uint64_t v);

/** html_count - a cell with a count */
void html_count(FILE *f, uint64_t v);

#endif /* FT_VIEW_HTML_H */
