// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The report for people: the longest sections, the order of locks. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/longest.h"
#include "analysis/order.h"
#include "symbols/lines.h"
#include "symbols/tasks.h"
#include "view/text.h"

/* Of what is inside a section, so many are shown: the longest, by time. */
#define SHOWN	12

static const char *site_name(const struct report *r, uint64_t site, char *buf)
{
	return symbols_format(r->symbols, site, true, buf, SYMBOLS_LEN);
}

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
	       r->family[s->family].title, site_name(r, s->site, symbol));
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
	       r->family[s->family].title, site_name(r, s->site, symbol),
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

/* Lock order. */

static void print_way(const struct report *r, const struct order_edge *e,
		      uint64_t count)
{
	char symbol[SYMBOLS_LEN];

	printf("%10" PRIu64 "  %s (%s)\n", count,
	       site_name(r, e->outer_site, symbol),
	       r->family[e->outer_family].title);
	printf("%18s%s (%s), in %s, first at %.6f s\n", "then  ",
	       site_name(r, e->inner_site, symbol),
	       r->family[e->inner_family].title,
	       report_context_name(report_context(e->ctx)),
	       text_seconds(r, e->when));
}

static void text_inversions(const struct report *r)
{
	char a[SYMBOLS_LEN], b[SYMBOLS_LEN];
	const struct order_inversion *in;
	size_t n, i;

	in = order_inversions(r->order, &n);
	if (!n)
		return;
	text_title(r, "WARNING: locks that were taken in both orders");
	for (i = 0; i < n && i < r->top; i++) {
		printf("%s and %s",
		       symbols_format(r->symbols, in[i].there->key.a, false, a,
				      sizeof(a)),
		       symbols_format(r->symbols, in[i].there->key.b, false, b,
				      sizeof(b)));
		if (in[i].locks > 1)
			printf(", and %" PRIu64 " pairs more", in[i].locks - 1);
		putchar('\n');
		print_way(r, in[i].there, in[i].there_count);
		print_way(r, in[i].back, in[i].back_count);
	}
	if (n > r->top)
		printf("and %zu more (--top 0)\n", n - r->top);
	printf("two tasks that do so at the same time wait for each other; with trylock they do not\n");
}

void text_order(const struct report *r)
{
	const struct order_pair *const *pairs;
	char symbol[SYMBOLS_LEN];
	size_t n, shown, i;

	text_inversions(r);
	pairs = order_pairs(r->order, &n);
	shown = n < r->top ? n : r->top;
	if (!n)
		return;
	text_title(r, "Nested acquisitions: what is held, and what is acquired then");
	printf("%10s  (%zu of %zu)\n", "number", shown, n);
	for (i = 0; i < shown; i++) {
		const struct pair *key = &pairs[i]->key;

		printf("%10" PRIu64 "  %s (%s)\n", pairs[i]->count,
		       site_name(r, key->a, symbol),
		       r->family[key->tag >> 8].title);
		printf("%18s%s (%s)\n", "then  ", site_name(r, key->b, symbol),
		       r->family[key->tag & 0xff].title);
	}
}
