// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The report for people: the order of locks. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/order.h"
#include "view/text/text.h"

void text_order(const struct report *r)
{
	const struct order_pair *const *pairs;
	char symbol[SYMBOLS_LEN];
	size_t n, shown, i;

	text_cycles(r);
	text_irq_unsafe(r);
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
