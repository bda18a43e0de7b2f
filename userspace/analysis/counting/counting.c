// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Counting sections and waits: see counting.h. */
#include "analysis/counting/counting.h"
#include "base/crew/line.h"
#include "base/mem.h"

/* Sections that go into the tables at once, see advance(). */
#define BATCH		16
/* Items given to another thread at once; and the most lots that may wait. */
#define LOT		1024
#define LOTS		12

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
	unsigned int	n;
	struct waiting	waiting[BATCH];
};

/* What a lot has. */
struct told {
	union {
		struct section	section;
		struct wait	wait;
	};
	uint32_t	stack;
	bool		is_wait;
};

struct lot {
	unsigned int	n;
	struct told	told[LOT];
};

struct counting {
	struct report	*report;
	struct batch	*filling;
	struct batch	*near;		/* places of their rows are on the way to the cache */
	struct batch	*found;		/* their rows are known, their bins are on the way */
	struct batch	batches[3];
	struct line	*line;		/* to the thread that counts, or NULL: this one does */
	struct lot	*lot;		/* that is filled */
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

static void fetch_places(struct report *r, const struct batch *b)
{
	unsigned int i, t;

	for_each_table(t) {
		for (i = 0; i < b->n; i++)
			table_prefetch(&r->table[t], b->waiting[i].hash[t]);
	}
}

static void find_rows(struct report *r, struct batch *b)
{
	unsigned int i, t;

	for_each_table(t) {
		table_make_room(&r->table[t], BATCH);
		for (i = 0; i < b->n; i++) {
			struct waiting *w = &b->waiting[i];
			struct table_row *row;

			row = table_row_hashed(&r->table[t], w->hash[t], w->family, w->in[t].key);
			w->in[t].row = row;
			if (row)
				mem_prefetch(sketch_place(&row->hold, w->bin));
		}
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
static void count_found(struct counting *c)
{
	struct batch *b = c->found;
	unsigned int i;

	for (i = 0; i < b->n; i++)
		count_rows(c->report, &b->waiting[i]);
	b->n = 0;
}

/*
 * Rows of a hundred thousand locks are not in the cache, and their bins hang on them. So
 * each step is made for many sections, close to each other so that the processor makes them
 * side by side, and asks for what the next one needs, which it fetches while another batch
 * fills.
 */
static void advance(struct counting *c)
{
	struct batch *empty = c->found;

	count_found(c);
	find_rows(c->report, c->near);
	fetch_places(c->report, c->filling);
	c->found = c->near;
	c->near = c->filling;
	c->filling = empty;
}

static void count_ended(struct counting *c, const struct section *s)
{
	struct batch *b = c->filling;
	struct waiting *w = &b->waiting[b->n];
	unsigned int t;

	w->length = s->end - s->start;
	w->bin = sketch_bin(w->length);
	memcpy((char *)w + offsetof(struct waiting, family),
	       (const char *)s + offsetof(struct section, family), KIND_SIZE);
	for_each_table(t) {
		w->in[t].key = table_key(s, t);
		w->hash[t] = table_hash(s->family, w->in[t].key);
	}
	if (++b->n == BATCH)
		advance(c);
}

/* Waits. */

static void add_wait(struct report *r, enum report_tables which,
		     const struct wait *w, uint64_t key)
{
	struct table_row *row = table_row(&r->table[which], w->family, key);

	if (row)
		table_wait(&r->table[which], row, w->end - w->begin);
}

static void count_wait(struct counting *c, const struct wait *w)
{
	const struct section s = { .tid = w->tid, .ctx = w->ctx };
	struct report *r = c->report;
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

static inline __attribute__((always_inline)) void
take_section(struct counting *c, const struct section *s, uint32_t stack)
{
	struct table *t = &c->report->table[TABLE_STACK];
	struct table_row *row = stack ? table_row(t, s->family, stack) : NULL;

	if (row)
		table_hold(t, row, s->end - s->start, sketch_bin(s->end - s->start));
	count_ended(c, s);
}

static void take_wait(struct counting *c, const struct wait *w, uint32_t stack)
{
	if (stack)
		add_wait(c->report, TABLE_STACK, w, stack);
	count_wait(c, w);
}

/* In another thread, or in this one. */

static void take_lot(void *arg, void *block, unsigned int worker)
{
	struct counting *c = arg;
	struct lot *lot = block;

	(void)worker;
	for (unsigned int i = 0; i < lot->n; i++) {
		const struct told *told = &lot->told[i];

		if (told->is_wait)
			take_wait(c, &told->wait, told->stack);
		else
			take_section(c, &told->section, told->stack);
	}
	lot->n = 0;
}

static struct told *tell(struct counting *c)
{
	if (c->lot->n == LOT)
		c->lot = line_next(c->line);
	return &c->lot->told[c->lot->n++];
}

void counting_section(struct counting *c, const struct section *s, uint32_t stack)
{
	struct told *told;

	if (!c->line) {
		take_section(c, s, stack);
		return;
	}
	told = tell(c);
	told->section = *s;
	told->stack = stack;
	told->is_wait = false;
}

void counting_wait(struct counting *c, const struct wait *w, uint32_t stack)
{
	struct told *told;

	if (!c->line) {
		take_wait(c, w, stack);
		return;
	}
	told = tell(c);
	told->wait = *w;
	told->stack = stack;
	told->is_wait = true;
}

void counting_flush(struct counting *c)
{
	if (c->line) {
		line_flush(c->line);
		c->lot = line_block(c->line);
	}
	while (c->filling->n || c->near->n || c->found->n)
		advance(c);
}

struct counting *counting_new(struct report *r, struct crew *crew)
{
	struct counting *c = mem_zalloc(1, sizeof(*c));
	const struct line_asked asked = {
		.size = sizeof(struct lot), .blocks = LOTS, .in_turn = true,
		.work = take_lot, .arg = c,
	};

	c->report = r;
	c->filling = &c->batches[0];
	c->near = &c->batches[1];
	c->found = &c->batches[2];
	r->wait_pairs.size = sizeof(struct wait_pair);
	r->wait_pairs.max = WAIT_PAIRS;
	if (crew) {
		c->line = line_new(crew, &asked);
		c->lot = line_block(c->line);
	}
	return c;
}

void counting_free(struct counting *c)
{
	if (!c)
		return;
	line_end(c->line, NULL);
	free(c);
}
