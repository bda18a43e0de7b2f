/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A table of the report: critical sections and waits by call site, by lock or by
 * task. A row is a family of lock and a key: an address, or a task.
 *
 * Memory is bounded: beyond TABLE_ROWS rows, new keys are only counted in @refused, which
 * the report shows.
 *
 * Rows lie in a hash table themselves (open addressing, linear probing), so that finding
 * one costs the cache line that is written then, and seldom the next one: the table is at
 * most half full, and three quarters where that would take more than TABLE_SPARSE. When the
 * table grows they move: a pointer to a row is good until table_row() makes another one, unless
 * table_make_room() was called before.
 */
#ifndef FT_ANALYSIS_TABLE_H
#define FT_ANALYSIS_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/distribution/sketch.h"
#include "base/map.h"
#include "base/mem.h"
#include "locks/locks.h"

#define TABLE_ROWS	(1u << 20)
/* Slots, 4 MiB: a larger table is filled more densely. */
#define TABLE_SPARSE	(1u << 16)

/** struct table_row - fills one cache line */
struct table_row {
	uint64_t	key;
	struct sketch	hold;	/* lengths of sections, ticks; tag: see table_family() */
	struct sketch	*wait;	/* how long was waited, ticks; NULL: never */
};

static inline unsigned int table_family(const struct table_row *row)
{
	return row->hold.tag - 1u;	/* 0: there is no row */
}

/**
 * enum table_column - columns to sort by
 *
 * In descending order, except family and key.
 */
enum table_column {
	COLUMN_TOTAL, COLUMN_COUNT, COLUMN_MIN, COLUMN_MEAN, COLUMN_P50,
	COLUMN_P90, COLUMN_P99, COLUMN_P999, COLUMN_MAX,
	COLUMN_WAIT_TOTAL, COLUMN_WAIT_COUNT, COLUMN_WAIT_MEAN,
	COLUMN_WAIT_P99, COLUMN_WAIT_MAX,
	COLUMN_FAMILY, COLUMN_KEY,
	TABLE_COLUMNS
};

struct table {
	/* After table_sort(). */
	struct table_row	**rows;		/* all of them, the first in order */
	size_t			n_rows;

	uint64_t		refused;	/* sections and waits without a row */

	/* Private. */
	struct table_row	*slots;
	size_t			mask;	/* slots - 1; 0 before the first row */
	struct arena		bins;	/* and what else belongs to rows */
};

/** table_for_each - every row, in no order */
#define table_for_each(t, row) \
	for (row = (t)->slots; (t)->mask && row <= (t)->slots + (t)->mask; row++) \
		if (!row->hold.tag) \
			continue; \
		else

/** table_make_room - for @n new rows, which will not move any other one */
void table_make_room(struct table *t, size_t n);

static inline uint32_t table_hash(unsigned int family, uint64_t key)
{
	return (uint32_t)map_hash(key) + family * 0x9e3779b1u;
}

/* Private: the first place to search; there are rows */
static inline struct table_row *table_place(const struct table *t, uint32_t hash)
{
	return &t->slots[hash & t->mask];
}

/** table_prefetch - the places where a row is nearly always; there may be no rows yet */
static inline void table_prefetch(const struct table *t, uint32_t hash)
{
	/* in integers: without rows it is no place, and the last place has none behind it */
	uintptr_t place = (uintptr_t)t->slots + (hash & t->mask) * sizeof(*t->slots);

	mem_prefetch((const void *)place);
	mem_prefetch((const void *)(place + sizeof(*t->slots)));
}

/* Private: the row of a key, or the free place behind which it is not; there are rows */
static inline struct table_row *table_search(const struct table *t, uint32_t hash,
					     unsigned int family, uint64_t key)
{
	struct table_row *row = table_place(t, hash);

	while (row->hold.tag && (row->key != key || table_family(row) != family)) {
		hash++;
		row = table_place(t, hash);
	}
	return row;
}

/* Private: the row of a new key; NULL, and counted, if the table is full */
struct table_row *table_add_row(struct table *t, uint32_t hash, unsigned int family,
				uint64_t key);

/** table_row_hashed - table_row() of a key whose table_hash() is known */
static inline struct table_row *table_row_hashed(struct table *t, uint32_t hash,
						 unsigned int family, uint64_t key)
{
	struct table_row *row = t->mask ? table_search(t, hash, family, key) : NULL;

	return row && row->hold.tag ? row : table_add_row(t, hash, family, key);
}

/** table_row - the row of a key, which is made if there is none; NULL: the table is full */
static inline struct table_row *table_row(struct table *t, unsigned int family,
					  uint64_t key)
{
	return table_row_hashed(t, table_hash(family, key), family, key);
}

/** table_hold - count a section in its row; @bin: sketch_bin() of its length */
static inline void table_hold(struct table *t, struct table_row *row,
			      uint64_t ticks, uint32_t bin)
{
	sketch_add_bin(&row->hold, ticks, bin, &t->bins);
}

/** table_wait - count a wait */
void table_wait(struct table *t, struct table_row *row, uint64_t ticks);

/** table_merge - add what @from has to @to */
void table_merge(struct table *t, struct table_row *to,
		 const struct table_row *from);

/** table_column_name - "count", "wait_p99"; NULL behind the last */
const char *table_column_name(unsigned int i);

/**
 * table_sort - sort the first @top rows, in an order that does not depend on the input's
 *
 * The others follow unsorted.
 */
void table_sort(struct table *t, enum table_column column, size_t top);

/**
 * table_top - the first @n rows in another order than that of @rows
 *
 * Return: these, then the others, the caller's to free; *@n: at most what there is
 */
struct table_row **table_top(const struct table *t, enum table_column column,
			     size_t *n);

/** table_find - the row of a key, or NULL */
static inline const struct table_row *table_find(const struct table *t,
						 unsigned int family,
						 uint64_t key)
{
	const struct table_row *row;

	if (!t->mask)
		return NULL;
	row = table_search(t, table_hash(family, key), family, key);
	return row->hold.tag ? row : NULL;
}

void table_free(struct table *t);

#endif /* FT_ANALYSIS_TABLE_H */
