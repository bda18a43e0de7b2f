// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Rows by key, and their order. See rows.h. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "heap/rows.h"

struct heap_row *heap_rows_get(struct heap_rows *rows, uint64_t key)
{
	struct heap_row *row = map_get(&rows->by_key, key);

	if (row)
		return row;
	row = arena_zalloc(&rows->memory, sizeof(*row));
	row->key = key;
	map_put(&rows->by_key, key, row);
	if (rows->n == rows->room) {
		rows->room = 2 * rows->room + 16;
		rows->row = mem_resize(rows->row, rows->room, sizeof(*rows->row));
	}
	rows->row[rows->n++] = row;
	return row;
}

static int compare(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static int by_peak(const void *x, const void *y)
{
	const struct heap_row *a = *(struct heap_row *const *)x;
	const struct heap_row *b = *(struct heap_row *const *)y;

	return compare(a->peak.bytes, b->peak.bytes) ?:
	       compare(a->allocated.bytes, b->allocated.bytes) ?:
	       compare(a->allocated.blocks, b->allocated.blocks) ?: compare(b->key, a->key);
}

void heap_rows_sort(struct heap_rows *rows)
{
	if (rows->n)
		qsort(rows->row, rows->n, sizeof(*rows->row), by_peak);
}

static int by_count(const void *x, const void *y, void *arg)
{
	const char *a = *(char *const *)x, *b = *(char *const *)y;
	const struct heap_count *p = (const void *)(a + *(size_t *)arg);
	const struct heap_count *q = (const void *)(b + *(size_t *)arg);

	return compare(p->bytes, q->bytes) ?: compare(p->blocks, q->blocks) ?: by_peak(x, y);
}

struct heap_row **heap_rows_sorted(const struct heap_rows *rows, size_t offset)
{
	struct heap_row **sorted = mem_zalloc(rows->n + 1, sizeof(*sorted));

	if (!rows->n)
		return sorted;
	memcpy(sorted, rows->row, rows->n * sizeof(*sorted));
	qsort_r(sorted, rows->n, sizeof(*sorted), by_count, &offset);
	return sorted;
}

void heap_rows_free(struct heap_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		mem_free(rows->row[i]->over_time);
	map_free(&rows->by_key);
	mem_free(rows->row);
	arena_free(&rows->memory);
	*rows = (struct heap_rows){ 0 };
}
