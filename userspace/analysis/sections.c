// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* From records to critical sections and waits, and where each of these goes. */
#include "analysis/collect.h"
#include "analysis/series.h"
#include "base/mem.h"
#include "locks/internal.h"
#include "symbols/lock_calls.h"

static void end_section(void *arg, const struct section *s)
{
	struct collecting *c = arg;
	struct report *r = &c->answer;

	if (!(s->flags & SECTION_SKIP)) {
		longest_end(r->longest, r->locks, s);
		if (r->series)
			series_section(r->series, s);
		if (!r->stacked)
			counting_section(c->counting, s, 0);
	}
	if (__builtin_expect(!!r->stacked, 0))
		stacked_section(r->stacked, c->now, s);
}

/* The same, later: its stack is known, or will not be. */
static void count_stacked(void *arg, const struct section *section, uint32_t number)
{
	struct collecting *c = arg;
	struct report *r = &c->answer;
	struct section s = *section;

	order_stacks_section(r->order_stacks, &s, number);
	if (s.flags & SECTION_SKIP)
		return;
	if (number) {
		longest_stack(r->longest, &s, number);
		s.site = stacked_site(r->stacked, s.site, number);
	}
	counting_section(c->counting, &s, number);
}

/* The locks held at an acquisition, as far as they are of the same context. */
static void begin_inside(struct collecting *c, const struct section *s,
			 const struct section *const *outer, unsigned int n)
{
	bool tried = lock_calls_at(c->calls, s->site) & LOCK_CALL_TRIES;
	struct report *r = &c->answer;
	unsigned int taken = 0, i;

	for (i = 0; i < n; i++) {
		if (report_context(outer[i]->ctx) != report_context(s->ctx) ||
		    (s->flags & outer[i]->flags & SECTION_SKIP))
			continue;
		if (taken++ >= ORDER_OUTER)
			continue;
		order_begin(r->order, s, outer[i], tried);
		if (r->order_stacks && !tried)
			order_stacks_begin(r->order_stacks, s, outer[i]);
	}
	if (taken > ORDER_OUTER)
		order_skip(r->order, taken - ORDER_OUTER);
}

/* Apart from the hot path, which needs no stack for that many. */
static __attribute__((noinline)) void begin_among(struct collecting *c, const struct section *s)
{
	const struct section *outer[2 * LOCKS_MAX_HELD];
	bool internal = s->flags & SECTION_INTERNAL;
	struct report *r = &c->answer;
	unsigned int n = 0;

	if (internal || section_depth(s))
		n = locks_outer(r->locks, s, outer, 2 * LOCKS_MAX_HELD);
	if (n && !internal)
		begin_inside(c, s, outer, n);
	/* without calls, a task's section says nothing */
	if (s->ctx || c->calls)
		irq_uses_begin(r->irq_uses, s, outer, n);
}

static void begin_section(void *arg, struct section *s)
{
	struct collecting *c = arg;
	struct report *r = &c->answer;

	if (c->filter.active && !filter_section(&c->filter, s))
		s->flags |= SECTION_SKIP;
	if (section_depth(s) || s->flags & SECTION_INTERNAL || s->ctx || c->calls)
		begin_among(c, s);
	if (r->stacked)
		stacked_begins(r->stacked, c->now, s);
	if (r->waits)
		waits_acquired(r->waits, s);
}

/* Waits. */

static void end_wait(void *arg, const struct wait *w)
{
	struct collecting *c = arg;

	if (c->answer.stacked)
		stacked_wait(c->answer.stacked, c->now, w);
	else if (filter_wait(&c->filter, w))
		counting_wait(c->counting, w, 0);
}

static void count_stacked_wait(void *arg, const struct wait *wait, uint32_t number)
{
	struct collecting *c = arg;
	struct report *r = &c->answer;
	struct wait w = *wait;

	if (number)
		order_stacks_wait(r->order_stacks, &w, number);
	if (!filter_wait(&c->filter, &w))
		return;
	if (number)
		w.site = stacked_site(r->stacked, w.site, number);
	counting_wait(c->counting, &w, number);
}

static bool has_waits(const struct metadata *m)
{
	unsigned int class;
	uint32_t id;

	for (class = 0; class < METADATA_CLASSES; class++) {
		for (id = 0; id < m->events[class].n; id++) {
			const struct event_type *type = m->events[class].at[id];

			if (type && !strcmp(type->name, "contention_begin"))
				return true;
		}
	}
	return false;
}

void sections_init(struct collecting *c)
{
	struct report *r = &c->answer;
	struct locks_watch watch = { .begin = begin_section };
	static const struct stacked_told told = {
		.section = count_stacked, .wait = count_stacked_wait,
	};

	r->stacks = stacks_open_parts(&r->trace.parts);
	if (r->stacks) {
		r->stacked = stacked_new(&r->trace, r->stacks, r->symbols, !c->asked->no_fold,
					 &told, c);
		r->order_stacks = order_stacks_new();
	}
	c->calls = symbols_lock_calls(r->symbols);
	r->order = order_new();
	r->irq_uses = irq_uses_new(r->symbols);
	r->longest = longest_new(c->asked->n_longest);
	c->counting = counting_new(r, c->crew);
	r->locks = locks_new(&r->trace, end_section, c);
	if (has_waits(&r->trace.meta))
		r->waits = waits_new(r->locks, end_wait, c);
	if (r->waits && r->stacked)
		waits_keep(r->waits);
	if (!c->asked->internal)
		c->internal = internal_new(r->symbols);
	watch.internal = c->internal;
	locks_watch(r->locks, &watch);
}
