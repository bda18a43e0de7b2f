// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The report for programs: the longest sections. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/longest.h"
#include "view/data/fields_put.h"

static void put_section(const struct report *r, struct fields *f,
			const struct section *s, const uint64_t *since)
{
	char text[FIELDS_ROW];

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
	char row[FIELDS_ROW];

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
	char row[FIELDS_ROW];
	size_t n, i;

	f->table(f, "longest");
	for (group = 0; group < LOCKS_GROUPS; group++) {
		list = longest_list(r->longest, group, &n);
		for (i = 0; i < n; i++) {
			snprintf(row, sizeof(row), "%s:%zu", locks_group_name(group), i);
			f->row(f, row);
			put_section(r, f, &list[i].section, NULL);
			put_u64(f, "inside", list[i].ended);
			if (list[i].stack)
				put_stack(r, f, stacks_at(r->stacks, list[i].stack));
		}
	}
	f->table(f, "inside");
	for (group = 0; group < LOCKS_GROUPS; group++) {
		list = longest_list(r->longest, group, &n);
		for (i = 0; i < n; i++)
			put_inside(r, f, locks_group_name(group), i, &list[i]);
	}
}
