// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The report for programs: waits, lock order, the longest sections. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/longest.h"
#include "analysis/order.h"
#include "locks/waits.h"
#include "view/fields_put.h"

#define ROW	96

/* "spin:0xffffffff81234567", or "spin:?" where the site is not known. */
static int format_site(char *buf, size_t len, unsigned int family, uint64_t addr)
{
	if (!addr)
		return snprintf(buf, len, "%s:?", locks_name(family));
	return snprintf(buf, len, "%s:0x%" PRIx64, locks_name(family), addr);
}

static void format_pair(char *buf, const char *between, const struct pair *key)
{
	int n = format_site(buf, ROW, key->tag >> 8, key->a);

	n += snprintf(buf + n, ROW - n, "%s", between);
	format_site(buf + n, ROW - n, key->tag & 0xff, key->b);
}

static void put_site(const struct report *r, struct fields *f,
		     const char *column, unsigned int family, uint64_t addr)
{
	char text[ROW], name[32];

	format_site(text, sizeof(text), family, addr);
	put_text(f, column, text);
	snprintf(name, sizeof(name), "%s_symbol", column);
	if (addr)
		put_symbol(r, f, name, addr, true);
}

static void put_lock(const struct report *r, struct fields *f,
		     const char *column, uint64_t addr)
{
	char text[ROW], name[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, addr);
	put_text(f, column, text);
	snprintf(name, sizeof(name), "%s_symbol", column);
	put_symbol(r, f, name, addr, false);
}

static void put_wait_pair(const struct report *r, struct fields *f,
			  const struct wait_pair *p)
{
	char row[ROW];

	format_pair(row, "<", &p->key);
	f->row(f, row);
	if (p->key.a)
		put_symbol(r, f, "waiter_symbol", p->key.a, true);
	if (p->key.b)
		put_symbol(r, f, "holder_symbol", p->key.b, true);
	put_u64(f, "count", p->count);
	put_ns(f, "total_ns", report_span(r, p->sum));
	if (p->sum == UINT64_MAX)
		put_u64(f, "total_saturated", 1);
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
	char row[ROW];
	size_t n, i;

	f->table(f, "order");
	pairs = order_pairs(r->order, &n);
	for (i = 0; i < n && i < r->top; i++) {
		format_pair(row, ">", &pairs[i]->key);
		f->row(f, row);
		put_symbol(r, f, "outer_symbol", pairs[i]->key.a, true);
		put_symbol(r, f, "inner_symbol", pairs[i]->key.b, true);
		put_u64(f, "count", pairs[i]->count);
	}
	f->table(f, "inversion");
	inversions = order_inversions(r->order, &n);
	for (i = 0; i < n && i < r->top; i++)
		put_inversion(r, f, i, &inversions[i]);
}

static void put_section(const struct report *r, struct fields *f,
			const struct section *s, const uint64_t *since)
{
	char text[ROW];

	put_text(f, "family", locks_name(s->family));
	if (since)
		put_ns(f, "begin_ns", report_span(r, s->start - *since));
	else
		put_time(r, f, "begin_ns", s->start);
	if (s->end)
		put_ns(f, "length_ns", report_span(r, s->end - s->start));
	put_stream(f, "cpu", s->cpu);
	put_number(f, "tid", "%" PRId32, s->tid);
	put_text(f, "context", report_context_name(report_context(s->ctx)));
	put_lock(r, f, "lock", s->lock);
	snprintf(text, sizeof(text), "0x%" PRIx64, s->site);
	put_text(f, "site", text);
	put_symbol(r, f, "symbol", s->site, true);
	put_line(r, f, "line", s->site);
}

static void put_inside(const struct report *r, struct fields *f,
		       const char *group, size_t number,
		       const struct long_section *l)
{
	const struct section *s = &l->section;
	unsigned int i;
	char row[ROW];

	for (i = 0; i < l->n_inside; i++) {
		const struct section *in = &l->inside[i];

		snprintf(row, sizeof(row), "%s:%zu:%u", group, number, i);
		f->row(f, row);
		/* an interrupt is what is of another context than the section */
		put_u64(f, "interrupt", in->ctx != s->ctx);
		put_u64(f, "internal", in->flags & SECTION_INTERNAL);
		put_section(r, f, in, &s->start);
	}
}

void put_longest(const struct report *r, struct fields *f)
{
	const struct long_section *list;
	unsigned int group;
	char row[ROW];
	size_t n, i;

	f->table(f, "longest");
	for (group = 0; group < LOCKS_GROUPS; group++) {
		list = longest_list(r->longest, group, &n);
		for (i = 0; i < n; i++) {
			snprintf(row, sizeof(row), "%s:%zu", locks_group_name(group), i);
			f->row(f, row);
			put_section(r, f, &list[i].section, NULL);
			put_u64(f, "inside", list[i].ended);
		}
	}
	f->table(f, "inside");
	for (group = 0; group < LOCKS_GROUPS; group++) {
		list = longest_list(r->longest, group, &n);
		for (i = 0; i < n; i++)
			put_inside(r, f, locks_group_name(group), i, &list[i]);
	}
}
