// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Tables by site, lock and task: rows, and their order. See table.h. */
#include "analysis/table.h"
#include "base/mem.h"

#define LEAST_SLOTS	16

_Static_assert(sizeof(struct table_row) == 64, "a row fills a cache line");

static const char *const names[TABLE_COLUMNS] = {
	[COLUMN_TOTAL]		= "total",
	[COLUMN_COUNT]		= "count",
	[COLUMN_MIN]		= "min",
	[COLUMN_MEAN]		= "mean",
	[COLUMN_P50]		= "p50",
	[COLUMN_P90]		= "p90",
	[COLUMN_P99]		= "p99",
	[COLUMN_P999]		= "p999",
	[COLUMN_MAX]		= "max",
	[COLUMN_WAIT_TOTAL]	= "wait_total",
	[COLUMN_WAIT_COUNT]	= "wait_count",
	[COLUMN_WAIT_MEAN]	= "wait_mean",
	[COLUMN_WAIT_P99]	= "wait_p99",
	[COLUMN_WAIT_MAX]	= "wait_max",
	[COLUMN_FAMILY]		= "family",
	[COLUMN_KEY]		= "address",
};

const char *table_column_name(unsigned int i)
{
	return i < TABLE_COLUMNS ? names[i] : NULL;
}

static void grow(struct table *t, size_t slots)
{
	struct table bigger = *t;
	struct table_row *row;

	bigger.mask = slots - 1;
	bigger.slots = mem_zalloc_huge(slots, sizeof(*bigger.slots));
	table_for_each(t, row) {
		uint32_t hash = table_hash(table_family(row), row->key);

		*table_search(&bigger, hash, table_family(row), row->key) = *row;
	}
	if (t->mask)
		mem_free_huge(t->slots, t->mask + 1, sizeof(*t->slots));
	*t = bigger;
}

static size_t most_rows(size_t slots)
{
	return slots <= TABLE_SPARSE ? slots / 2 : slots / 4 * 3;
}

void table_make_room(struct table *t, size_t n)
{
	size_t slots = t->mask ? t->mask + 1 : LEAST_SLOTS;

	if (n > TABLE_ROWS - t->n_rows)
		n = TABLE_ROWS - t->n_rows;
	while (most_rows(slots) < t->n_rows + n)
		slots *= 2;
	if (slots > t->mask + 1)
		grow(t, slots);
}

struct table_row *table_add_row(struct table *t, uint32_t hash, unsigned int family,
				uint64_t key)
{
	struct table_row *row;

	if (t->n_rows == TABLE_ROWS) {
		t->refused++;
		return NULL;
	}
	table_make_room(t, 1);
	row = table_search(t, hash, family, key);
	row->key = key;
	row->hold.tag = (uint8_t)(family + 1);
	t->n_rows++;
	return row;
}

void table_wait(struct table *t, struct table_row *row, uint64_t ticks)
{
	if (!row->wait)
		row->wait = arena_zalloc(&t->bins, sizeof(*row->wait));
	sketch_add(row->wait, ticks, &t->bins);
}

void table_merge(struct table *t, struct table_row *to,
		 const struct table_row *from)
{
	sketch_merge(&to->hold, &from->hold, &t->bins);
	if (!from->wait)
		return;
	if (!to->wait)
		to->wait = arena_zalloc(&t->bins, sizeof(*to->wait));
	sketch_merge(to->wait, from->wait, &t->bins);
}

/* Sorting. */

typedef unsigned __int128 sort_key;

struct sorted {
	sort_key		key;	/* greatest first */
	struct table_row	*row;
};

static sort_key sketch_key(const struct sketch *s, enum table_column column)
{
	static const unsigned int permille[TABLE_COLUMNS] = {
		[COLUMN_P50] = 500, [COLUMN_P90] = 900, [COLUMN_P99] = 990,
		[COLUMN_P999] = 999,
	};

	if (!s || !s->count)
		return 0;
	switch (column) {
	case COLUMN_TOTAL:
		return s->sum;
	case COLUMN_COUNT:
		return s->count;
	case COLUMN_MIN:
		return s->min;
	case COLUMN_MAX:
		return s->max;
	case COLUMN_MEAN:	/* with a fraction, or many would be the same */
		return ((sort_key)s->sum << 40) / s->count;
	default:
		return sketch_quantile(s, permille[column]);
	}
}

static sort_key row_key(const struct table_row *row, enum table_column column)
{
	switch (column) {
	case COLUMN_WAIT_TOTAL:
		return sketch_key(row->wait, COLUMN_TOTAL);
	case COLUMN_WAIT_COUNT:
		return sketch_key(row->wait, COLUMN_COUNT);
	case COLUMN_WAIT_MEAN:
		return sketch_key(row->wait, COLUMN_MEAN);
	case COLUMN_WAIT_P99:
		return sketch_key(row->wait, COLUMN_P99);
	case COLUMN_WAIT_MAX:
		return sketch_key(row->wait, COLUMN_MAX);
	case COLUMN_FAMILY:
		return UINT8_MAX - table_family(row);
	case COLUMN_KEY:
		return UINT64_MAX - row->key;
	default:
		return sketch_key(&row->hold, column);
	}
}

/* The rest only so that the order is always the same. */
static int compare(const void *a, const void *b)
{
	const struct sorted *sa = a, *sb = b;
	const struct table_row *x = sa->row, *y = sb->row;

	if (sa->key != sb->key)
		return sa->key > sb->key ? -1 : 1;
	if (x->hold.sum != y->hold.sum)
		return x->hold.sum > y->hold.sum ? -1 : 1;
	if (x->hold.count != y->hold.count)
		return x->hold.count > y->hold.count ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (int)table_family(x) - (int)table_family(y);
}

/* What comes late in the order goes up in the heap. */
static void heap_sink(struct sorted *heap, size_t n, size_t i)
{
	struct sorted moved = heap[i];
	size_t child;

	for (; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n &&
		    compare(&heap[child + 1], &heap[child]) > 0)
			child++;
		if (compare(&heap[child], &moved) <= 0)
			break;
		heap[i] = heap[child];
	}
	heap[i] = moved;
}

/*
 * The first @n of all to the front, in no order: a heap of the best so far, with
 * the last of them on top. Most rows only look at that one.
 */
static void select_first(struct sorted *all, size_t n_all, size_t n)
{
	size_t i;

	for (i = n / 2; i-- > 0;)
		heap_sink(all, n, i);
	for (i = n; n && i < n_all; i++) {
		struct sorted last = all[0];

		if (compare(&all[i], &last) >= 0)
			continue;
		all[0] = all[i];
		all[i] = last;
		heap_sink(all, n, 0);
	}
}

/* All rows, the first @top in order. */
static struct table_row **sorted_rows(const struct table *t,
				      enum table_column column, size_t top)
{
	struct sorted *sorted = mem_zalloc(t->n_rows, sizeof(*sorted));
	struct table_row **rows = mem_zalloc(t->n_rows, sizeof(*rows));
	struct table_row *row;
	size_t n = 0, i;

	table_for_each(t, row) {
		sorted[n].row = row;
		sorted[n].key = row_key(row, column);
		n++;
	}
	if (top < n)
		select_first(sorted, n, top);
	else
		top = n;
	if (top)
		qsort(sorted, top, sizeof(*sorted), compare);
	for (i = 0; i < n; i++)
		rows[i] = sorted[i].row;
	free(sorted);
	return rows;
}

void table_sort(struct table *t, enum table_column column, size_t top)
{
	free(t->rows);
	t->rows = sorted_rows(t, column, top);
}

struct table_row **table_top(const struct table *t, enum table_column column,
			     size_t *n)
{
	if (*n > t->n_rows)
		*n = t->n_rows;
	return sorted_rows(t, column, *n);
}

void table_free(struct table *t)
{
	if (t->mask)
		mem_free_huge(t->slots, t->mask + 1, sizeof(*t->slots));
	arena_free(&t->bins);
	free(t->rows);
	*t = (struct table){ 0 };
}
