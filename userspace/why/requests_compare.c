// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Requests by their duration, and what is different in the slow ones. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "why/requests_pass.h"
#include "why/show.h"

/* The typical ones: around the median; the slow ones: from here on. In thousandths. */
#define TYPICAL_FROM	450
#define TYPICAL_TO	550
#define SLOW_FROM	990

static int compare_durations(const void *a, const void *b, void *arg)
{
	const struct requests *r = arg;
	const struct request *x = &r->request[*(const size_t *)a];
	const struct request *y = &r->request[*(const size_t *)b];

	if (request_duration(x) != request_duration(y))
		return request_duration(x) < request_duration(y) ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

size_t requests_rank(size_t n, unsigned int permille)
{
	size_t rank = (n * permille + 999) / 1000;

	return rank ? rank - 1 : 0;
}

double requests_mean(const struct requests *r, unsigned int band, unsigned __int128 ticks)
{
	return (double)ticks * 1e9 / (double)r->why->trace.meta.freq / (double)r->band[band].n;
}

static struct requests_row *row_of(struct requests_table *table, const struct request_wait *wait,
				   uint64_t name, uint64_t holder)
{
	struct requests_row *row = pairs_get(&table->memory, name, holder, wait->family);

	if (row)
		row->wait = *wait;
	return row;
}

/* Rows are by name: a class, or the same lock's symbol; tasks of one name are one. */
static void add_wait(struct requests *r, unsigned int band, const struct request_wait *wait)
{
	struct request_wait lock = *wait;
	struct requests_row *row;
	char words[WHY_WORDS];
	uint64_t name, holder;

	requests_lock_words(r, wait, words, sizeof(words));
	name = map_text_key(words, strlen(words));
	requests_holder_words(r, wait, false, words, sizeof(words));
	holder = map_text_key(words, strlen(words));
	row = row_of(&r->holders, wait, name, holder);
	if (row)
		row->of[band] += wait->ticks;
	lock.who = 0;
	lock.holder = WHY_NOBODY;
	row = row_of(&r->locks, &lock, name, 0);
	if (row)
		row->of[band] += wait->ticks;
}

static void add_request(struct requests *r, unsigned int band, const struct request *one)
{
	r->band[band].duration += request_duration(one);
	r->band[band].ticks += one->ticks;
	r->band[band].alone += one->alone;
	for (unsigned int i = 0; i < WHY_CAUSES; i++)
		r->causes[i].of[band] += one->causes[i];
	for (unsigned int i = 0; i < one->waits; i++)
		add_wait(r, band, &one->wait[i]);
}

static double difference(const struct requests *r, const struct requests_row *row)
{
	return requests_mean(r, REQUESTS_SLOW, row->of[REQUESTS_SLOW]) -
	       requests_mean(r, REQUESTS_TYPICAL, row->of[REQUESTS_TYPICAL]);
}

static int compare_rows(const void *a, const void *b, void *r)
{
	const struct requests_row *x = *(struct requests_row *const *)a;
	const struct requests_row *y = *(struct requests_row *const *)b;
	double dx = fabs(difference(r, x)), dy = fabs(difference(r, y));

	if (dx != dy)
		return dx > dy ? -1 : 1;
	if (x->of[REQUESTS_SLOW] != y->of[REQUESTS_SLOW])
		return x->of[REQUESTS_SLOW] > y->of[REQUESTS_SLOW] ? -1 : 1;
	if (x->cause != y->cause)
		return x->cause < y->cause ? -1 : 1;
	if (x->key.a != y->key.a)
		return x->key.a < y->key.a ? -1 : 1;
	return (x->key.b > y->key.b) - (x->key.b < y->key.b);
}

static void sort_rows(struct requests *r, struct requests_table *table)
{
	table->rows = table->memory.used;
	table->row = (struct requests_row **)pairs_list(&table->memory);
	if (table->rows)
		qsort_r(table->row, table->rows, sizeof(*table->row), compare_rows, r);
}

static void sort_causes(struct requests *r)
{
	size_t n = 0;

	for (unsigned int i = 0; i < WHY_CAUSES; i++) {
		r->causes[i].cause = (enum why_cause)i;
		if (r->causes[i].of[0] || r->causes[i].of[1])
			r->cause[n++] = &r->causes[i];
	}
	qsort_r(r->cause, n, sizeof(*r->cause), compare_rows, r);
}

void requests_compare(struct requests *r)
{
	static const unsigned int from[] = { TYPICAL_FROM, SLOW_FROM }, to[] = { TYPICAL_TO, 1000 };

	r->locks.memory = (struct pairs){ .size = sizeof(struct requests_row),
					  .max = REQUESTS_ROWS };
	r->holders.memory = r->locks.memory;
	if (!r->n)
		return;
	r->by_duration = mem_zalloc(r->n, sizeof(*r->by_duration));
	for (size_t i = 0; i < r->n; i++)
		r->by_duration[i] = i;
	qsort_r(r->by_duration, r->n, sizeof(*r->by_duration), compare_durations, r);
	for (unsigned int band = 0; band < REQUESTS_BANDS; band++) {
		size_t first = requests_rank(r->n, from[band]);
		size_t last = requests_rank(r->n, to[band]);

		r->band[band] = (struct requests_band){ .first = first, .n = last - first + 1 };
		for (size_t i = first; i <= last; i++)
			add_request(r, band, requests_at(r, i));
	}
	sort_rows(r, &r->locks);
	sort_rows(r, &r->holders);
	sort_causes(r);
}
