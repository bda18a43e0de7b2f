// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* All sections and waits, summed up by lock or by call site; and which are the longest. */
#include <stdlib.h>

#include "base/mem.h"
#include "why/pass.h"

static uint64_t length(const struct why_item *item)
{
	return item->end - item->start;
}

static int compare_items(const void *a, const void *b)
{
	const struct why_item *x = a, *y = b;

	if (length(x) != length(y))
		return length(x) > length(y) ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->lock > y->lock) - (x->lock < y->lock);
}

/* The last of @n that are a heap: its root, the shortest, is replaced and sinks. */
static void sink(struct why_item *item, size_t n, size_t i)
{
	for (;;) {
		size_t child = 2 * i + 1;
		struct why_item swap;

		if (child >= n)
			return;
		if (child + 1 < n && compare_items(&item[child + 1], &item[child]) > 0)
			child++;
		if (compare_items(&item[child], &item[i]) <= 0)
			return;
		swap = item[i];
		item[i] = item[child];
		item[child] = swap;
		i = child;
	}
}

static void choose(struct why *w, const struct why_item *item)
{
	struct why_item **list = &w->item[item->kind];
	size_t *n = &w->items[item->kind];

	if (*n < w->limit) {
		if (!(*n & (*n - 1)))
			*list = mem_resize(*list, *n ? 2 * *n : 1, sizeof(**list));
		(*list)[(*n)++] = *item;
		if (*n == w->limit) {
			for (size_t i = *n / 2; i-- > 0;)
				sink(*list, *n, i);
		}
	} else if (*n && compare_items(item, *list) < 0) {
		**list = *item;
		sink(*list, *n, 0);
	}
}

static void sum_up(struct why_row *row, const struct why_item *item)
{
	row->count++;
	row->sum += length(item);
	if (length(item) > row->max)
		row->max = length(item);
	for (unsigned int i = 0; i < WHY_CAUSES; i++)
		row->ticks[i] += item->ticks[i];
}

static uint64_t key_of(const struct why *w, const struct why_item *item)
{
	switch (w->by) {
	case WHY_BY_CLASS:
		return class_index_of(w->classes, item->lock)->number;
	case WHY_BY_SITE:
		return item->site;
	default:
		return item->lock;
	}
}

struct why_row *why_rows_add(struct why_pass *p, const struct why_item *item)
{
	struct why *w = &p->answer;
	struct why_table *table = &w->table[item->kind];
	struct why_row *row = pairs_get(&table->memory, key_of(w, item), 0, item->family);

	sum_up(&table->all, item);
	if (row)
		sum_up(row, item);
	choose(w, item);
	return row;
}

static int compare_rows(const void *a, const void *b)
{
	const struct why_row *x = *(struct why_row *const *)a, *y = *(struct why_row *const *)b;

	if (x->sum != y->sum)
		return x->sum > y->sum ? -1 : 1;
	if (x->key.a != y->key.a)
		return x->key.a < y->key.a ? -1 : 1;
	return (x->key.tag > y->key.tag) - (x->key.tag < y->key.tag);
}

void why_rows_finish(struct why_pass *p)
{
	struct why *w = &p->answer;

	for (unsigned int kind = 0; kind < WHY_KINDS; kind++) {
		struct why_table *table = &w->table[kind];

		table->rows = table->memory.used;
		table->row = (struct why_row **)pairs_list(&table->memory);
		if (table->rows)
			qsort(table->row, table->rows, sizeof(*table->row), compare_rows);
		why_details_finish(table);
		if (w->items[kind])
			qsort(w->item[kind], w->items[kind], sizeof(*w->item[kind]), compare_items);
	}
}
