// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* From critical sections and waits, as they end, into the tables of a report. */
#include "analysis/collect.h"
#include "analysis/series.h"
#include "base/mem.h"
#include "locks/internal.h"
#include "symbols/lock_calls.h"

/* So many sections go into the tables at once, see advance(). */
#define BATCH		8

/* Unrolled: the place of a table is a constant then, and no branch ends the loop. */
#define for_each_table(t) \
	_Pragma("GCC unroll 3") \
	for ((t) = 0; (t) < REPORT_PASS_TABLES; (t)++)

struct waiting {
	uint64_t		length;
	uint32_t		bin;		/* in the sketches */
	uint8_t			family, ctx, flags;	/* as in struct section, ... */
	uint8_t			depth[LOCKS_SCOPES];
	uint32_t		hash[REPORT_PASS_TABLES];
	union {
		uint64_t		key;
		struct table_row	*row;	/* since find_rows() */
	} in[REPORT_PASS_TABLES];
};

/* ... so that they are copied at once. */
#define KIND_SIZE	(3 + LOCKS_SCOPES)

_Static_assert(offsetof(struct section, depth) + LOCKS_SCOPES ==
	       offsetof(struct section, family) + KIND_SIZE &&
	       offsetof(struct waiting, depth) + LOCKS_SCOPES ==
	       offsetof(struct waiting, family) + KIND_SIZE &&
	       offsetof(struct section, flags) - offsetof(struct section, family) ==
	       offsetof(struct waiting, flags) - offsetof(struct waiting, family),
	       "family, context, flags and depths are side by side, in this order");

struct batch {
	unsigned int	fills, found;		/* of these, whose rows are known */
	struct waiting	*new, *with_rows;
	struct waiting	memory[2][BATCH];
};

static uint64_t table_key(const struct section *s, enum report_tables which)
{
	if (which != TABLE_TASK)
		return which == TABLE_SITE ? s->site : s->lock;
	return s->ctx ? REPORT_TASK_CONTEXT(report_context(s->ctx)) :
			(uint32_t)s->tid;
}

static void count_section(struct report *r, const struct waiting *s)
{
	struct report_class *class = &r->family[s->family];
	uint64_t length = s->length;
	unsigned int i;

	histogram_add(&class->lengths, length);
	for (i = 0; i < r->n_limits; i++)
		class->below[i] += length < r->limit[i].ticks;
	class->context[report_context(s->ctx)]++;
	if (s->flags & SECTION_INTERNAL) {
		class->internal++;
		return;
	}
	locks_count_depth(r->depth, s->family, s->depth);
}

static void find_rows(struct report *r, struct waiting *w)
{
	unsigned int t;

	for_each_table(t) {
		struct table_row *row;

		row = table_row_hashed(&r->table[t], w->hash[t], w->family, w->in[t].key);
		w->in[t].row = row;
		if (row)
			mem_prefetch(sketch_place(&row->hold, w->bin));
	}
}

static void count_rows(struct report *r, struct waiting *w)
{
	unsigned int t;

	for_each_table(t) {
		if (w->in[t].row)
			table_hold(&r->table[t], w->in[t].row, w->length, w->bin);
	}
	count_section(r, w);
}

/* From here on no pointer to a row is kept. */
static void count_found(struct collecting *c)
{
	struct batch *b = c->batch;
	unsigned int i;

	for (i = 0; i < b->found; i++)
		count_rows(&c->answer, &b->with_rows[i]);
	b->found = 0;
}

/*
 * Rows of a hundred thousand locks are not in the cache, and their bins hang on them. So
 * each step is made for many sections and asks for what the next one needs, and the
 * processor fetches it for all of them while another batch fills.
 */
static void advance(struct collecting *c)
{
	struct report *r = &c->answer;
	struct batch *b = c->batch;
	struct waiting *done = b->with_rows;
	unsigned int i;

	count_found(c);
	for_each_table(i)
		table_make_room(&r->table[i], BATCH);
	for (i = 0; i < b->fills; i++)
		find_rows(r, &b->new[i]);
	b->with_rows = b->new;
	b->found = b->fills;
	b->new = done;
	b->fills = 0;
}

void sections_flush(struct collecting *c)
{
	advance(c);
	count_found(c);
}

static void count_ended(struct collecting *c, const struct section *s)
{
	struct report *r = &c->answer;
	struct batch *b = c->batch;
	struct waiting *w = &b->new[b->fills];
	unsigned int t;

	w->length = s->end - s->start;
	w->bin = sketch_bin(w->length);
	memcpy((char *)w + offsetof(struct waiting, family),
	       (const char *)s + offsetof(struct section, family), KIND_SIZE);
	for_each_table(t) {
		w->in[t].key = table_key(s, t);
		w->hash[t] = table_hash(s->family, w->in[t].key);
		mem_prefetch(table_place(&r->table[t], w->hash[t]));
		mem_prefetch(table_place(&r->table[t], w->hash[t] + 1));
	}
	if (++b->fills == BATCH)
		advance(c);
}

static void end_section(void *arg, const struct section *s)
{
	struct collecting *c = arg;
	struct report *r = &c->answer;

	if (!(s->flags & SECTION_SKIP)) {
		longest_end(r->longest, r->locks, s);
		if (r->series)
			series_section(r->series, s);
		if (!r->stacked)
			count_ended(c, s);
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
	struct table_row *row;

	order_stacks_section(r->order_stacks, &s, number);
	if (s.flags & SECTION_SKIP)
		return;
	if (number) {
		longest_stack(r->longest, &s, number);
		row = table_row(&r->table[TABLE_STACK], s.family, number);
		if (row)
			table_hold(&r->table[TABLE_STACK], row, s.end - s.start,
				   sketch_bin(s.end - s.start));
		s.site = stacked_site(r->stacked, s.site, number);
	}
	count_ended(c, &s);
}

/* What is held at an acquisition, as far as it is of the same context. */
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

/* Apart from the hot path, which needs no room for so many. */
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
	/* of a task's, there is nothing to tell without calls */
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

static void add_wait(struct report *r, enum report_tables which,
		     const struct wait *w, uint64_t key)
{
	struct table_row *row = table_row(&r->table[which], w->family, key);

	if (row)
		table_wait(&r->table[which], row, w->end - w->begin);
}

static void count_wait(struct collecting *c, const struct wait *w)
{
	const struct section s = { .tid = w->tid, .ctx = w->ctx };
	struct report *r = &c->answer;
	uint64_t length = w->end - w->begin;
	struct wait_pair *pair;

	count_found(c);
	histogram_add(&r->family[w->family].waits, length);
	add_wait(r, TABLE_LOCK, w, w->lock);
	add_wait(r, TABLE_TASK, w, table_key(&s, TABLE_TASK));
	if (w->site)
		add_wait(r, TABLE_SITE, w, w->site);
	pair = pairs_get(&r->wait_pairs, w->site, w->holder,
			 order_tag(w->family, w->holder ? w->holder_family :
							  w->family));
	if (!pair)
		return;
	pair->count++;
	if (__builtin_add_overflow(pair->sum, length, &pair->sum))
		pair->sum = UINT64_MAX;
	if (length > pair->max)
		pair->max = length;
}

static void end_wait(void *arg, const struct wait *w)
{
	struct collecting *c = arg;

	if (c->answer.stacked)
		stacked_wait(c->answer.stacked, c->now, w);
	else if (filter_wait(&c->filter, w))
		count_wait(c, w);
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
	if (number) {
		add_wait(r, TABLE_STACK, &w, number);
		w.site = stacked_site(r->stacked, w.site, number);
	}
	count_wait(c, &w);
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
	c->batch = mem_zalloc(1, sizeof(*c->batch));
	c->batch->new = c->batch->memory[0];
	c->batch->with_rows = c->batch->memory[1];
	c->calls = symbols_lock_calls(r->symbols);
	r->order = order_new();
	r->irq_uses = irq_uses_new(r->symbols);
	r->longest = longest_new(c->asked->n_longest);
	r->wait_pairs.size = sizeof(struct wait_pair);
	r->wait_pairs.max = WAIT_PAIRS;
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
