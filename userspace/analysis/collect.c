// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The one pass over a trace, and what is summed up after it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "analysis/classes.h"
#include "analysis/collect.h"
#include "analysis/realtime/realtime.h"
#include "analysis/series.h"
#include "base/mem.h"
#include "locks/internal.h"
#include "locks/reading.h"
#include "symbols/lines.h"
#include "symbols/tasks.h"
#include "trace/fact.h"
#include "trace/request_mark.h"
#include "trace/session_file.h"

#define NSEC		1000000000u

/* Gaps. */

static void add_gap(struct report *r, const struct stream *s)
{
	size_t i = r->n_gaps;

	if (s->item == STREAM_RESUME) {
		while (i-- > 0) {
			if (r->gaps[i].cpu == s->cpu && r->gaps[i].open) {
				r->gaps[i].to = s->ts;
				r->gaps[i].open = false;
				break;
			}
		}
		return;
	}
	r->gaps_in_all++;
	if (r->n_gaps == REPORT_GAPS)
		return;
	if (!r->gaps)
		r->gaps = mem_zalloc(REPORT_GAPS, sizeof(*r->gaps));
	r->gaps[r->n_gaps++] = (struct report_gap){
		.cpu = s->cpu,
		.open = true,
		.from = s->ts > r->trace.start ? s->ts : r->trace.start,
	};
}

static void gap(struct report *r, const struct stream *s)
{
	if (r->waits)
		waits_gap(r->waits, s, locks_in_gap(r->locks, s));
	locks_feed(r->locks, s);
	if (r->stacked)
		stacked_gap(r->stacked, s);
	add_gap(r, s);
	if (r->series)
		series_gap(r->series, s);
}

/* The pass. */

static void init(struct collecting *c)
{
	const struct report_question *q = c->asked;
	struct report *r = &c->answer;
	unsigned int i;

	for (i = 0; i < LOCKS_FAMILIES; i++) {
		r->family[i].name = locks_families[i].name;
		r->family[i].title = locks_families[i].title;
	}
	for (i = 0; i < LOCKS_GROUPS; i++) {
		r->group[i].name = locks_group_name(i);
		r->group[i].title = locks_group_title(i);
	}
	r->n_limits = q->n_limits;
	for (i = 0; i < r->n_limits; i++) {
		r->limit[i] = q->limit[i];
		r->limit[i].ticks = ((unsigned __int128)r->limit[i].ns *
				     r->trace.meta.freq + NSEC - 1) / NSEC;
	}
	r->sort = q->sort;
	r->top = q->top;
	r->filtered = c->filter.active;
	r->internal_counted = q->internal;
	if (q->series)
		r->series = series_new(&r->trace);
	sections_init(c);
	r->internal_known = c->internal;
}

static void end_of_wait(struct report *r, const struct stream *s)
{
	if (r->stacked)
		stacked_wait_end(r->stacked, s);
	waits_end(r->waits, s);
}

/* A record that is not of the acquisition or release of a lock. */
static void record(struct report *r, const struct stream *s, unsigned int kind)
{
	if (kind == LOCKS_KIND_UNKNOWN)
		r->unknown++;
	else if (kind == LOCKS_KIND_WAIT_BEGIN && r->waits)
		waits_begin(r->waits, s);
	else if (kind == LOCKS_KIND_WAIT_END && r->waits)
		end_of_wait(r, s);
	else if (kind == LOCKS_KIND_STACK && r->stacked)
		stacked_record(r->stacked, s, r->waits);
	else if (kind == LOCKS_KIND_STACK)
		r->stackless++;
	else if (s->rec->id == FT_ID_MARK && !s->class)
		r->request_marks |= request_mark_read(s->rec->b) != REQUEST_ROLES;
}

static int read_all(struct collecting *c)
{
	struct report *r = &c->answer;
	struct reading reading;
	struct stream *s;
	unsigned int kind;

	if (reading_begin(&reading, &r->trace, r->locks, NULL))
		return -1;
	while (reading_next(&reading, &c->now)) {
		s = c->now;
		kind = reading_kind(&reading);
		if (__builtin_expect(kind < LOCKS_KIND_OTHER, 1)) {
			if (__builtin_expect(!!r->stacked, 0) && kind % 2)
				stacked_release(r->stacked, s);
			locks_record(r->locks, s, kind);
		} else if (kind == LOCKS_KIND_GAP) {
			gap(r, s);
		} else {
			record(r, s, kind);
		}
	}
	r->records = reading.records;
	r->first = reading.first;
	r->last = reading.last;
	r->early = reading.early.count;
	r->early_most = reading.early.max;
	return reading_end(&reading);
}

static void add_cuts(struct report *r)
{
	unsigned int family, cut;

	for (family = 0; family < LOCKS_FAMILIES; family++) {
		struct balance sum = report_balance(r, family);

		for (cut = 0; cut < LOCKS_CUTS; cut++)
			r->family[family].cut[cut] = sum.no_acquire[cut] +
						     sum.no_release[cut];
	}
}

static void add_groups(struct report *r)
{
	unsigned int family, i;

	for (family = 0; family < LOCKS_FAMILIES; family++) {
		const struct report_class *from = &r->family[family];
		struct report_class *to = &r->group[locks_group(family)];

		histogram_merge(&to->lengths, &from->lengths);
		histogram_merge(&to->waits, &from->waits);
		to->internal += from->internal;
		for (i = 0; i < REPORT_LIMITS; i++)
			to->below[i] += from->below[i];
		for (i = 0; i < REPORT_CONTEXTS; i++)
			to->context[i] += from->context[i];
		for (i = 0; i < LOCKS_CUTS; i++)
			to->cut[i] += from->cut[i];
	}
}

/* Longest total first; the rest only so that the order is always the same. */
static int compare_waited(const void *a, const void *b)
{
	const struct wait_pair *x = *(struct wait_pair *const *)a;
	const struct wait_pair *y = *(struct wait_pair *const *)b;

	if (x->sum != y->sum)
		return x->sum > y->sum ? -1 : 1;
	if (x->key.a != y->key.a)
		return x->key.a < y->key.a ? -1 : 1;
	if (x->key.b != y->key.b)
		return x->key.b < y->key.b ? -1 : 1;
	return (x->key.tag > y->key.tag) - (x->key.tag < y->key.tag);
}

static void add_waited(void *to, const void *from)
{
	const struct wait_pair *more = from;
	struct wait_pair *pair = to;

	pair->count += more->count;
	if (__builtin_add_overflow(pair->sum, more->sum, &pair->sum))
		pair->sum = UINT64_MAX;
	if (more->max > pair->max)
		pair->max = more->max;
}

static void sort_waited(struct report *r)
{
	r->waited = (struct wait_pair **)pairs_list(&r->wait_pairs);
	if (r->wait_pairs.used)
		qsort(r->waited, r->wait_pairs.used, sizeof(*r->waited),
		      compare_waited);
}

static double duration(const struct report *r, const struct filter *f)
{
	uint64_t from = r->first, to = r->last;

	if (f->first > from)
		from = f->first;
	if (f->has_to && f->end < to)
		to = f->end;
	return from < to ? (double)(to - from) / (double)r->trace.meta.freq : 0;
}

/* Those that were asked for; else all, but classes only where the trace has them. */
static void choose_tables(struct report *r, unsigned int by)
{
	unsigned int t;

	for (t = 0; t < REPORT_TABLES; t++)
		r->shows[t] = by ? by >> t & 1 :
			      t == TABLE_CLASS ? !!symbols_locks(r->symbols) :
			      t == TABLE_STACK ? r->table[t].n_rows : true;
}

static void sum_up(struct collecting *c)
{
	struct report *r = &c->answer;
	struct places *places;
	uint64_t selected;
	unsigned int t;

	locks_finish(r->locks);
	if (r->waits)
		waits_finish(r->waits);
	if (r->stacked)
		stacked_finish(r->stacked);
	counting_flush(c->counting);
	places = places_new(r->symbols, &r->table[TABLE_SITE]);
	places_merge_table(places, &r->table[TABLE_SITE]);
	places_merge_pairs(places, &r->wait_pairs, add_waited);
	order_finish(r->order, places);
	places_free(places);
	r->cycles = order_cycles_find(r->order, r->symbols, &r->table[TABLE_LOCK]);
	irq_uses_finish(r->irq_uses);
	longest_finish(r->longest);
	sort_waited(r);
	if (r->series)
		series_finish(r->series, r->last);
	add_cuts(r);
	add_groups(r);
	choose_tables(r, c->asked->by);
	if (r->shows[TABLE_CLASS])
		r->classes = classes_collect(r->symbols, &r->table[TABLE_LOCK],
					     &r->table[TABLE_CLASS]);
	for (t = 0; t < REPORT_TABLES; t++)
		table_sort(&r->table[t], r->sort, r->top);
	r->duration = duration(r, &c->filter);
	for (selected = 0, t = 0; t < LOCKS_GROUPS; t++)
		selected += r->group[t].lengths.count;
	if (r->filtered && !selected && !r->realtime)
		filter_warn_empty(&r->trace, r->locks);
}

/* The names of everything, which filters and depths need before the first record. */
static int open_names(struct collecting *c)
{
	const struct report_question *q = c->asked;
	struct report *r = &c->answer;
	char release[256];
	bool known = trace_fact(&r->trace, "kernel_release", release, sizeof(release));

	r->symbols = symbols_open(r->trace.dir, &q->symbols);
	r->names = names_open(r->trace.dir);
	r->lines = lines_open(q->debug, known ? release : NULL, r->symbols);
	if (q->debug && r->symbols && !r->lines)
		return -1;
	return filter_bind(&c->filter, &q->filter, &r->trace, r->symbols, r->names);
}

/*
 * A pass of its own, so that the other one costs nothing more where it is not wanted. Return:
 * could it?
 */
static bool read_realtime(struct collecting *c, char *const *dirs)
{
	struct report *r = &c->answer;

	if (c->asked->realtime)
		r->realtime = realtime_read(dirs, &c->asked->filter, r->symbols, r->names);
	return r->realtime || !c->asked->realtime;
}

const struct report *report_read(const struct report_question *q, char *const *dirs)
{
	struct collecting *c = mem_zalloc(1, sizeof(*c));
	struct report *r = &c->answer;

	c->asked = q;
	if (trace_open(&r->trace, dirs)) {
		free(c);
		return NULL;
	}
	c->crew = jobs_crew(&q->jobs, r->trace.size);
	trace_read_ahead(&r->trace, c->crew);
	if (!open_names(c) && read_realtime(c, dirs)) {
		init(c);
		if (!read_all(c)) {
			sum_up(c);
			return r;
		}
	}
	report_free(r);
	return NULL;
}

/* The answer is the first that its collection has. */
void report_free(const struct report *answer)
{
	struct collecting *c = (struct collecting *)answer;
	struct report *r;
	unsigned int i;

	if (!c)
		return;
	r = &c->answer;
	counting_free(c->counting);	/* first: a thread may be at it */
	for (i = 0; i < LOCKS_FAMILIES; i++) {
		histogram_free(&r->family[i].lengths);
		histogram_free(&r->family[i].waits);
	}
	for (i = 0; i < LOCKS_GROUPS; i++) {
		histogram_free(&r->group[i].lengths);
		histogram_free(&r->group[i].waits);
	}
	for (i = 0; i < REPORT_TABLES; i++)
		table_free(&r->table[i]);
	classes_found_free(r->classes);
	free(r->gaps);
	order_cycles_free(r->cycles);
	order_free(r->order);
	order_stacks_free(r->order_stacks);
	irq_uses_free(r->irq_uses);
	longest_free(r->longest);
	waits_free(r->waits);
	stacked_free(r->stacked);
	stacks_free(r->stacks);
	pairs_free(&r->wait_pairs);
	free(r->waited);
	internal_free(c->internal);
	series_free(r->series);
	realtime_free(r->realtime);
	locks_free(r->locks);
	lines_close(r->lines);
	symbols_free(r->symbols);
	names_free(r->names);
	filter_exit(&c->filter);
	trace_close(&r->trace);
	crew_free(c->crew);
	free(c);
}
