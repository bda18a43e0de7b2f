// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The report for people: the longest sections. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/longest.h"
#include "symbols/lines.h"
#include "symbols/tasks.h"
#include "view/text/text.h"

/* Of what is inside a section, so many are shown: the longest, by time. */
#define SHOWN	12

static void print_inside(const struct report *r, const struct section *outer,
			 const struct section *s)
{
	int indent = 2 * ((int)section_level(s) - (int)section_level(outer) - 1);
	char cell[CELL], symbol[SYMBOLS_LEN];

	/* an interrupt, or what is internal, counts depth by itself */
	if (indent < 0 || s->flags & SECTION_INTERNAL)
		indent = 0;
	printf("  +%-9s", text_ps(cell, report_span(r, s->start - outer->start)));
	if (s->end)
		printf(" %8s", text_ps(cell, report_span(r, s->end - s->start)));
	else
		printf(" %8s", "goes on");
	printf("  %*s%s at %s", indent < 20 ? indent : 20, "",
	       r->family[s->family].title, text_site(r, s->site, symbol));
	if (s->ctx != outer->ctx)
		printf("  [%s]", report_context_name(report_context(s->ctx)));
	putchar('\n');
}

static uint64_t length_inside(const struct section *outer,
			      const struct section *s)
{
	/* what goes on: at least to the end of the outer one */
	return (s->end ? s->end : outer->end) - s->start;
}

/* The length that so many of those inside have at least. */
static uint64_t shown_from(const struct long_section *l)
{
	uint64_t longest[SHOWN] = { 0 };
	unsigned int i, at;

	for (i = 0; i < l->n_inside; i++) {
		uint64_t length = length_inside(&l->section, &l->inside[i]);

		for (at = SHOWN; at > 0 && length > longest[at - 1]; at--) {
			if (at < SHOWN)
				longest[at] = longest[at - 1];
			longest[at - 1] = length;
		}
	}
	return longest[SHOWN - 1];
}

static void print_long(const struct report *r, const struct long_section *l)
{
	const struct section *s = &l->section;
	char cell[CELL], symbol[SYMBOLS_LEN], lock[SYMBOLS_LEN];
	const char *line = lines_find(r->lines, s->site);
	const char *name = names_find(r->names, s->tid);
	uint64_t from = shown_from(l);
	char title[TRACE_NAME_LEN];
	unsigned int i, n = 0;

	printf("%8s  %s at %s%s%s\n",
	       text_ps(cell, report_span(r, s->end - s->start)),
	       r->family[s->family].title, text_site(r, s->site, symbol),
	       line ? "  " : "", line ? line : "");
	printf("%10sat %.9f s, %s, %s %" PRId32 "%s%s, lock %s\n", "",
	       text_seconds(r, s->start), trace_stream_title(title, s->cpu),
	       s->ctx ? report_context_name(report_context(s->ctx)) : "task",
	       s->tid, name ? " " : "", name ? name : "",
	       symbols_format(r->symbols, s->lock, false, lock, sizeof(lock)));
	for (i = 0; i < l->n_inside && n < SHOWN; i++) {
		if (length_inside(s, &l->inside[i]) < from)
			continue;
		print_inside(r, s, &l->inside[i]);
		n++;
	}
	if (l->n_inside > n)
		printf("  (%u shorter ones are not shown)\n", l->n_inside - n);
	if (l->ended > l->n_inside)
		printf("  (%" PRIu32 " ended inside it; those before the latest %u are not known)\n",
		       l->ended, LOCKS_INSIDE);
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
