// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The report for people: the longest sections. */
#include <stdio.h>

#include "analysis/longest.h"
#include "view/long_section.h"
#include "view/text/text.h"

static void print_inside(const struct report *r, const struct long_inside *in)
{
	char cell[CELL], symbol[SYMBOLS_LEN];

	printf("  +%-9s", text_ps(cell, report_span(r, in->since)));
	printf(" %8s", in->goes_on ? "goes on" : text_ps(cell, report_span(r, in->held)));
	printf("  %*s%s at %s", in->level < 10 ? 2 * (int)in->level : 20, "", in->family,
	       text_site(r, in->site, symbol));
	if (in->context)
		printf("  [%s]", in->context);
	putchar('\n');
}

static void print_long(const struct report *r, const struct long_section *l)
{
	struct long_shown shown;
	char cell[CELL];
	unsigned int i;

	long_show(&shown, r, l);
	printf("%8s  %s%s%s\n", text_ps(cell, report_span(r, shown.held)), shown.what,
	       shown.line ? "  " : "", shown.line ? shown.line : "");
	printf("%10s%s\n", "", shown.where);
	text_stack(10, shown.stack);
	for (i = 0; i < shown.n_inside; i++)
		print_inside(r, &shown.inside[i]);
	if (*shown.left_out)
		printf("  (%s)\n", shown.left_out);
	long_end(&shown);
}

void text_longest(const struct report *r)
{
	static const char *const titles[LOCKS_GROUPS] = {
		[GROUP_SPINNING] = "The longest sections of spinning locks, and what began inside",
		[GROUP_SLEEPING] = "The longest sections of sleeping locks, and what began inside",
		[GROUP_PROGRAM] = "The longest sections of programs' locks, and what began inside",
	};
	const struct long_section *list;
	unsigned int group;
	size_t n, i;

	for (group = 0; group < LOCKS_GROUPS; group++) {
		list = longest_list(r->longest, group, &n);
		if (n)
			text_title(r, titles[group]);
		for (i = 0; i < n; i++)
			print_long(r, &list[i]);
	}
}
