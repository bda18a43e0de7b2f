// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The report for people: cells of tables. */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "view/text/text.h"

#define COLUMNS	100

const char *text_ps(char *buf, report_ps ps)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double v = (double)ps / 1000;
	unsigned int unit = 0, exp = 0;

	if (ps < 999500) {
		snprintf(buf, CELL, v < 9.95 && ps % 1000 ? "%.1f ns" : "%.0f ns",
			 v);
		return buf;
	}
	while (v >= 999.5 && unit < ARRAY_SIZE(units) - 1) {
		v /= 1000;
		unit++;
	}
	if (v < 99999.5) {
		snprintf(buf, CELL, "%.*f %s", v < 9.995 ? 2 : v < 99.95 ? 1 : 0,
			 v, units[unit]);
		return buf;
	}
	for (; v >= 9.95; v /= 10)
		exp++;
	snprintf(buf, CELL, "%.1fe%u s", v, exp);
	return buf;
}

const char *text_share(char *buf, uint64_t part, uint64_t whole)
{
	if (!whole)
		snprintf(buf, CELL, "-");
	else if (part == whole)
		snprintf(buf, CELL, "100 %%");
	else
		snprintf(buf, CELL, "%.1f %%",
			 /* only all is shown as 100 % */
			 part * 1000.0 / whole > 999 ? 99.9 :
			 100.0 * part / whole);
	return buf;
}

const char *text_rate(char *buf, double v)
{
	const char *units = " kMG";

	while (v >= 999.5 && units[1]) {
		v /= 1000;
		units++;
	}
	snprintf(buf, CELL, "%.*f%.*s", v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v,
		 *units != ' ', units);
	return buf;
}

void text_distribution(const struct report *r, const struct histogram *h)
{
	static const unsigned int permille[] = { 500, 900, 990, 999 };
	char cell[CELL];

	printf(" %7s", text_ps(cell, report_mean(r, h)));
	for (size_t i = 0; i < ARRAY_SIZE(permille); i++)
		printf(" %7s", text_ps(cell, report_span(r, histogram_quantile(h, permille[i]))));
	printf(" %7s", text_ps(cell, report_span(r, h->max)));
}

double text_seconds(const struct report *r, uint64_t ticks)
{
	return (double)(ticks - r->trace.start) / (double)r->trace.meta.freq;
}

void text_title(const struct report *r, const char *text)
{
	printf("\n%s%s\n", text, trace_lost(&r->trace) ? " *" : "");
}

const char *text_site(const struct report *r, uint64_t site, char *buf)
{
	return symbols_format(r->symbols, site, true, buf, SYMBOLS_LEN);
}

void text_stack(int indent, const char *path)
{
	int column = indent + 3, len;

	if (!path)
		return;
	printf("%*sin ", indent, "");
	while (*path) {
		const char *next = strstr(path, " < ");

		len = next ? (int)(next - path) + 2 : (int)strlen(path);
		if (column + len > COLUMNS && column > indent + 3) {
			printf("\n%*s", indent + 3, "");
			column = indent + 3;
		} else if (column > indent + 3) {
			putchar(' ');
		}
		printf("%.*s", len, path);
		column += len + 1;
		path += len + !!next;
	}
	putchar('\n');
}
