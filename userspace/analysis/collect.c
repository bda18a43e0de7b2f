// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The one pass over a trace, and what is summed up after it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "analysis/report.h"
#include "analysis/sections.h"
#include "analysis/series.h"
#include "base/mem.h"
#include "locks/internal.h"
#include "locks/reading.h"
#include "symbols/lines.h"
#include "symbols/tasks.h"
#include "trace/fact.h"
#include "trace/session_file.h"

#define PSEC		1000000000000ull
#define NSEC		1000000000u

const char *report_scope(enum locks_scope scope)
{
	static const char *const names[LOCKS_SCOPES] = {
		[LOCKS_SPINNING] = "spinning", [LOCKS_SLEEPING] = "sleeping",
		[LOCKS_BOTH] = "both", [LOCKS_PROGRAM] = "program",
	};

	return names[scope];
}

report_ps report_span(const struct report *r, unsigned __int128 ticks)
{
	if (ticks >> 87)	/* the product has no more room */
		ticks = ((unsigned __int128)1 << 87) - 1;
	return ticks * PSEC / r->trace.meta.freq;
}

report_ps report_mean(const struct report *r, const struct histogram *h)
{
	if (!h->count)
		return 0;
	if (h->sum < (unsigned __int128)1 << 87)	/* PSEC < 2^40 */
		return h->sum * PSEC / ((unsigned __int128)h->count *
					r->trace.meta.freq);
	/* the remainder apart, so that the product stays within 128 bits */
	return report_span(r, h->sum / h->count) +
	       report_span(r, h->sum % h->count) / h->count;
}

report_ps report_mean_of(const struct report *r, unsigned __int128 sum,
			 uint64_t count)
{
	const struct histogram h = { .sum = sum, .count = count };

	return report_mean(r, &h);
}

const char *report_context_name(unsigned int context)
{
	static const char *const names[REPORT_CONTEXTS] = {
		"task", "softirq", "hardirq", "nmi",
	};

	return names[context];
}

unsigned int report_depths(const struct report *r, enum locks_scope scope)
{
	unsigned int depths = LOCKS_DEPTHS;

	while (depths && !r->depth[scope][depths - 1])
		depths--;
	return depths;
}

bool report_has(const struct report_class *c)
{
	return c->lengths.count || c->waits.count || c->cut[LOCKS_CUT_START] ||
	       c->cut[LOCKS_CUT_END] || c->cut[LOCKS_CUT_LOST] ||
	       c->cut[LOCKS_CUT_OTHER];
}

bool report_shows_group(const struct report *r, enum locks_group group)
{
	bool programs = report_has(&r->group[GROUP_PROGRAM]);

	return group == GROUP_PROGRAM ? programs :
	       !programs || report_has(&r->group[GROUP_SPINNING]) ||
	       report_has(&r->group[GROUP_SLEEPING]);
}

bool report_shows_scope(const struct report *r, enum locks_scope scope)
{
	return report_shows_group(r, scope == LOCKS_PROGRAM ? GROUP_PROGRAM :
							      GROUP_SPINNING);
}

double report_duration(const struct report *r)
{
	uint64_t from = r->first, to = r->last;

	if (r->filter.first > from)
		from = r->filter.first;
	if (r->filter.has_to && r->filter.end < to)
		to = r->filter.end;
	return from < to ? (double)(to - from) / (double)r->trace.meta.freq : 0;
}

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
	add_gap(r, s);
}

/* The whole. */

static void init(struct report *r)
{
	unsigned int i;

	for (i = 0; i < LOCKS_FAMILIES; i++) {
		r->family[i].name = locks_families[i].name;
		r->family[i].title = locks_families[i].title;
	}
	for (i = 0; i < LOCKS_GROUPS; i++) {
		r->group[i].name = locks_group_name(i);
		r->group[i].title = locks_group_title(i);
	}
	for (i = 0; i < r->n_limits; i++)
		r->limit[i].ticks = ((unsigned __int128)r->limit[i].ns *
				     r->trace.meta.freq + NSEC - 1) / NSEC;
	sections_init(r);
}

/* A record that is not of the acquisition or release of a lock. */
static void record(struct report *r, const struct stream *s, unsigned int kind)
{
	if (kind == LOCKS_KIND_UNKNOWN)
		r->unknown++;
	else if (kind == LOCKS_KIND_WAIT_BEGIN && r->waits)
		waits_begin(r->waits, s);
	else if (kind == LOCKS_KIND_WAIT_END && r->waits)
		waits_end(r->waits, s);
}

static int read_all(struct report *r)
{
	const uint8_t (*kinds)[FT_ID_MAX + 1] = locks_kinds(r->locks);
	struct reading reading;
	struct stream *s;
	unsigned int kind;

	if (reading_begin(&reading, &r->trace, r->locks, NULL))
		return -1;
	while (reading_next(&reading, &s)) {
		if (__builtin_expect(s->item != STREAM_RECORD, 0)) {
			gap(r, s);
			if (r->series)
				report_series_gap(r->series, s);
			continue;
		}
		kind = kinds[s->class][s->rec->id];
		if (__builtin_expect(kind < LOCKS_KIND_OTHER, 1))
			locks_record(r->locks, s, kind);
		else
			record(r, s, kind);
	}
	r->records = reading.records;
	r->first = reading.first;
	r->last = reading.last;
	r->early = reading.early.count;
	r->early_most = reading.early.max;
	return reading_end(&reading);
}

bool report_early(const struct report *r, uint64_t *ns)
{
	char value[24], *end;

	if (!trace_fact(&r->trace, "acquire_early_ns", value, sizeof(value)))
		return false;
	*ns = strtoull(value, &end, 10);
	return end != value && !*end;
}

struct balance report_balance(const struct report *r, unsigned int family)
{
	struct balance sum = { 0 };
	unsigned int i, cut;

	for (i = 0; i < r->trace.n_streams; i++) {
		const struct balance *b = &locks_balance(r->locks, i)[family];

		sum.acquires += b->acquires;
		sum.releases += b->releases;
		sum.complete += b->complete;
		for (cut = 0; cut < LOCKS_CUTS; cut++) {
			sum.no_release[cut] += b->no_release[cut];
			sum.no_acquire[cut] += b->no_acquire[cut];
		}
	}
	return sum;
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

int report_collect(struct report *r)
{
	struct places *places;
	unsigned int t;

	init(r);
	if (read_all(r))
		return -1;
	locks_finish(r->locks);
	if (r->waits)
		waits_finish(r->waits);
	sections_flush(r);
	places = places_new(r->symbols, &r->table[TABLE_SITE]);
	places_merge_table(places, &r->table[TABLE_SITE]);
	places_merge_pairs(places, &r->wait_pairs, add_waited);
	order_finish(r->order, places);
	places_free(places);
	longest_finish(r->longest);
	sort_waited(r);
	if (r->series)
		report_series_finish(r->series, r->last);
	add_cuts(r);
	add_groups(r);
	for (t = 0; t < REPORT_TABLES; t++)
		table_sort(&r->table[t], r->sort, r->top);
	return 0;
}

void report_exit(struct report *r)
{
	unsigned int i;

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
	free(r->gaps);
	order_free(r->order);
	longest_free(r->longest);
	waits_free(r->waits);
	pairs_free(&r->wait_pairs);
	free(r->waited);
	internal_free(r->in_locks);
	free(r->batch);
	report_series_free(r->series);
	locks_free(r->locks);
	lines_close(r->lines);
	symbols_free(r->symbols);
	names_free(r->names);
	filter_exit(&r->filter);
	trace_close(&r->trace);
}
