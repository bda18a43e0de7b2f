// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Pages: text, notes, tables. See html.h; the style stands in html_style.c. */
#include <err.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "base/visible.h"
#include "view/page/html.h"
#include "view/page/colours.h"
#include "view/page/html_style.h"

#define TEXT_MAX	4096
#define FACT_COLUMNS	80

/* Well-formed, but forbidden in XML (U+FFFE, U+FFFF), or a control character. */
static bool is_forbidden(const char *s, unsigned int len)
{
	return len == 1 ? (*s < ' ' && *s != '\n' && *s != '\t') || *s == 0x7f :
	       len == 2 ? s[0] == '\xc2' && (unsigned char)s[1] < 0xa0 :
	       !memcmp(s, "\xef\xbf\xbe", 3) || !memcmp(s, "\xef\xbf\xbf", 3);
}

void html_text(FILE *f, const char *s)
{
	unsigned int len;

	for (; *s; s += len) {
		len = utf8_length(s);
		switch (*s) {
		case '&':
			fputs("&amp;", f);
			break;
		case '<':
			fputs("&lt;", f);
			break;
		case '>':
			fputs("&gt;", f);
			break;
		case '"':
			fputs("&quot;", f);
			break;
		case '\'':
			fputs("&#39;", f);
			break;
		default:
			if (!len || is_forbidden(s, len))
				fputs("\xef\xbf\xbd", f);
			else
				fwrite(s, 1, len, f);
		}
		if (!len)
			len = 1;
	}
}

__attribute__((format(printf, 4, 0)))
static void html_element(FILE *f, const char *tag, const char *attributes,
			 const char *fmt, va_list ap)
{
	char text[TEXT_MAX];

	vsnprintf(text, sizeof(text), fmt, ap);
	fprintf(f, "<%s%s>", tag, attributes);
	html_text(f, text);
	fprintf(f, "</%s>", tag);
}

FILE *html_open(const char *path)
{
	FILE *f = fopen(path, "we");

	if (!f)
		warn("cannot write the page '%s'", path);
	return f;
}

void html_begin(FILE *f, const char *title)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	      "<meta charset=\"utf-8\"/>\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
	      "<title>", f);
	html_text(f, title);
	fputs("</title>\n<style>\n", f);
	fputs(html_style, f);
	colours_style(f);
	fputs("</style>\n</head>\n<body>\n<main>\n<h1>", f);
	html_text(f, title);
	fputs("</h1>\n", f);
}

void html_end(FILE *f)
{
	fputs("</main>\n<script>\n", f);
	fputs(html_script, f);
	fputs("</script>\n</body>\n</html>\n", f);
}

void html_note(FILE *f, enum html_tone tone, const char *fmt, ...)
{
	static const char *const classes[] = {
		[HTML_NOTE] = " class=\"note\"",
		[HTML_CAUTION] = " class=\"caution\"",
		[HTML_WARNING] = " class=\"warning\" role=\"alert\"",
	};
	va_list ap;

	va_start(ap, fmt);
	html_element(f, "p", classes[tone], fmt, ap);
	va_end(ap);
	putc('\n', f);
}

void html_disclosure_begin(FILE *f, const char *fmt, ...)
{
	va_list ap;

	fputs("<details open=\"open\">", f);
	va_start(ap, fmt);
	html_element(f, "summary", "", fmt, ap);
	va_end(ap);
	putc('\n', f);
}

void html_disclosure_end(FILE *f)
{
	fputs("</details>\n", f);
}

void html_facts_begin(FILE *f)
{
	fputs("<dl class=\"facts\">\n", f);
}

void html_fact(FILE *f, const char *name, const char *fmt, ...)
{
	va_list ap;

	fputs("<dt>", f);
	html_text(f, name);
	fputs("</dt>", f);
	va_start(ap, fmt);
	html_element(f, "dd", "", fmt, ap);
	va_end(ap);
	putc('\n', f);
}

void html_fact_folded(FILE *f, const char *name, const char *value)
{
	char *brief = mem_strdup(value);

	fputs("<dt>", f);
	html_text(f, name);
	fputs("</dt><dd>", f);
	if (visible_shorten(brief, FACT_COLUMNS)) {
		html_disclosure_begin(f, "%s", brief);
		html_text(f, value);
		html_disclosure_end(f);
	} else {
		html_text(f, value);
	}
	fputs("</dd>\n", f);
	free(brief);
}

void html_facts_end(FILE *f)
{
	fputs("</dl>\n", f);
}

void html_section_begin(FILE *f, const char *id, const char *title,
			const char *mark)
{
	fprintf(f, "<section id=\"%s\">\n<h2>", id);
	html_text(f, title);
	if (mark) {
		fputs(" <span class=\"mark\">", f);
		html_text(f, mark);
		fputs("</span>", f);
	}
	fputs("</h2>\n", f);
}

void html_section_end(FILE *f)
{
	fputs("</section>\n", f);
}

void html_figures_begin(FILE *f, unsigned int per_row)
{
	fprintf(f, "<div class=\"figures per%u\">\n", per_row);
}

void html_figures_end(FILE *f)
{
	fputs("</div>\n", f);
}

void html_figure_begin(FILE *f, const char *title)
{
	fputs("<figure>\n<h3>", f);
	html_text(f, title);
	fputs("</h3>\n", f);
}

void html_figure_end(FILE *f)
{
	fputs("</figure>\n", f);
}

void html_caption(FILE *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	html_element(f, "figcaption", "", fmt, ap);
	va_end(ap);
	putc('\n', f);
}

void html_table_begin(FILE *f, const struct html_column *columns, size_t n)
{
	fputs("<div class=\"scroll\"><table>\n<thead><tr>", f);
	for (size_t i = 0; i < n; i++) {
		fprintf(f, "<th scope=\"col\"%s",
			columns[i].kind == HTML_NUMBER ? " class=\"n\"" : "");
		if (columns[i].tip) {
			fputs(" title=\"", f);
			html_text(f, columns[i].tip);
			putc('"', f);
		}
		putc('>', f);
		html_text(f, columns[i].title);
		fputs("</th>", f);
	}
	fputs("</tr></thead>\n<tbody>\n", f);
}

void html_table_end(FILE *f)
{
	fputs("</tbody>\n</table></div>\n", f);
}

void html_row_begin(FILE *f)
{
	fputs("<tr>", f);
}

void html_row_end(FILE *f)
{
	fputs("</tr>\n", f);
}

void html_cell(FILE *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	html_element(f, "td", "", fmt, ap);
	va_end(ap);
}

void html_code(FILE *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	html_element(f, "td", " class=\"c\"", fmt, ap);
	va_end(ap);
}

void html_number(FILE *f, double value, const char *fmt, ...)
{
	char attributes[64];
	va_list ap;

	snprintf(attributes, sizeof(attributes), " class=\"n\" data-v=\"%.17g\"",
		 value);
	va_start(ap, fmt);
	html_element(f, "td", attributes, fmt, ap);
	va_end(ap);
}

const char *html_grouped(char buf[HTML_COUNT], uint64_t v)
{
	char digits[24], *to = buf;
	size_t n = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, v);

	for (size_t i = 0; i < n; i++) {
		/* four digits need no help */
		if (i && n > 4 && (n - i) % 3 == 0)
			to = stpcpy(to, "\u202f");
		*to++ = digits[i];
	}
	*to = '\0';
	return buf;
}

void html_count(FILE *f, uint64_t v)
{
	char text[HTML_COUNT];

	html_number(f, (double)v, "%s", html_grouped(text, v));
}
