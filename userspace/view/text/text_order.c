// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The report for people: the order of locks. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/order.h"
#include "view/text/text.h"

static void print_way(const struct report *r, const struct order_edge *e,
		      uint64_t count)
{
	char symbol[SYMBOLS_LEN];

	printf("%10" PRIu64 "  %s (%s)\n", count,
	       text_site(r, e->outer_site, symbol),
	       r->family[e->outer_family].title);
	printf("%18s%s (%s), in %s, first at %.6f s\n", "then  ",
	       text_site(r, e->inner_site, symbol),
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
	printf("two tasks that do so at the same time can deadlock, unless one uses trylock\n");
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
	text_title(r, "Nested acquisitions: the lock that is held, and the one acquired then");
	printf("%10s  (%zu of %zu)\n", "number", shown, n);
	for (i = 0; i < shown; i++) {
		const struct pair *key = &pairs[i]->key;

		printf("%10" PRIu64 "  %s (%s)\n", pairs[i]->count,
		       text_site(r, key->a, symbol),
		       r->family[key->tag >> 8].title);
		printf("%18s%s (%s)\n", "then  ", text_site(r, key->b, symbol),
		       r->family[key->tag & 0xff].title);
	}
}
