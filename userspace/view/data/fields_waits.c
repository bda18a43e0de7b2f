// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The report for programs: who waited for whom. */
#include "locks/waits.h"
#include "view/data/fields_put.h"

static void put_wait_pair(const struct report *r, struct fields *f,
			  const struct wait_pair *p)
{
	char row[FIELDS_ROW];

	f->row(f, pair_name(row, "<", &p->key));
	if (p->key.a)
		put_symbol(r, f, "waiter_symbol", p->key.a, true);
	if (p->key.b)
		put_symbol(r, f, "holder_symbol", p->key.b, true);
	put_u64(f, "count", p->count);
	put_total(f, "", report_span(r, p->sum), p->sum == UINT64_MAX);
	put_ns(f, "mean_ns", report_mean_of(r, p->sum, p->count));
	put_ns(f, "max_ns", report_span(r, p->max));
}

void put_waits(const struct report *r, struct fields *f)
{
	size_t i;

	if (!r->waits)
		return;
	f->table(f, "wait");
	f->row(f, "-");
	put_u64(f, "cut_start", waits_cut(r->waits, LOCKS_CUT_START));
	put_u64(f, "cut_end", waits_cut(r->waits, LOCKS_CUT_END));
	put_u64(f, "cut_lost", waits_cut(r->waits, LOCKS_CUT_LOST));
	put_u64(f, "cut_other", waits_cut(r->waits, LOCKS_CUT_OTHER));
	f->table(f, "waited");
	for (i = 0; i < r->wait_pairs.used && i < r->top; i++)
		put_wait_pair(r, f, r->waited[i]);
}
