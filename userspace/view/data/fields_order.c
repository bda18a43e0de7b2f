// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The report for programs: the order of locks. */
#include <stdio.h>

#include "analysis/order.h"
#include "view/data/fields_put.h"

static void put_inversion(const struct report *r, struct fields *f, size_t i,
			  const struct order_inversion *in)
{
	char row[24];

	snprintf(row, sizeof(row), "%zu", i);
	f->row(f, row);
	put_lock(r, f, "lock_a", in->there->key.a);
	put_lock(r, f, "lock_b", in->there->key.b);
	put_u64(f, "locks", in->locks);
	put_site(r, f, "there_outer", in->there->outer_family,
		 in->there->outer_site);
	put_site(r, f, "there_inner", in->there->inner_family,
		 in->there->inner_site);
	put_text(f, "there_context",
		 report_context_name(report_context(in->there->ctx)));
	put_u64(f, "there_count", in->there_count);
	put_site(r, f, "back_outer", in->back->outer_family,
		 in->back->outer_site);
	put_site(r, f, "back_inner", in->back->inner_family,
		 in->back->inner_site);
	put_text(f, "back_context",
		 report_context_name(report_context(in->back->ctx)));
	put_u64(f, "back_count", in->back_count);
}

void put_order(const struct report *r, struct fields *f)
{
	const struct order_pair *const *pairs;
	const struct order_inversion *inversions;
	char row[FIELDS_ROW];
	size_t n, i;

	f->table(f, "order");
	pairs = order_pairs(r->order, &n);
	for (i = 0; i < n && i < r->top; i++) {
		f->row(f, pair_name(row, ">", &pairs[i]->key));
		put_symbol(r, f, "outer_symbol", pairs[i]->key.a, true);
		put_symbol(r, f, "inner_symbol", pairs[i]->key.b, true);
		put_u64(f, "count", pairs[i]->count);
	}
	f->table(f, "inversion");
	inversions = order_inversions(r->order, &n);
	for (i = 0; i < n && i < r->top; i++)
		put_inversion(r, f, i, &inversions[i]);
}
