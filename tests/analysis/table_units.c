// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What the report keeps its rows in: huge pages, arenas, tables, pairs, maps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/table.h"
#include "base/arena.h"
#include "base/huge.h"
#include "base/map.h"
#include "base/pairs.h"

/* --- huge pages, arena, tables, pairs --- */

static void huge_pieces_are_apart(void **state)
{
	size_t size[200];
	uint8_t *p[200];
	unsigned int i, round;

	(void)state;
	for (i = 0; i < 200; i++)	/* parts of all sizes, whole pages */
		size[i] = ((size_t)HUGE_LEAST << i % 8) - i;
	for (round = 0; round < 2; round++) {
		for (i = 0; i < 200; i++) {
			p[i] = huge_zalloc(size[i]);
			assert_true(!p[i][0] && !memcmp(p[i], p[i] + 1, size[i] - 1));
			memset(p[i], i + 1, size[i]);
		}
		for (i = 0; i < 200; i++) {	/* nobody wrote into another's */
			assert_int_equal(p[i][0], i + 1);
			assert_memory_equal(p[i], p[i] + 1, size[i] - 1);
			huge_free(p[i], size[i]);
		}
	}
}

static void arena_gives_again_what_came_back(void **state)
{
	struct arena arena = { 0 };
	uint8_t *p[1000];
	unsigned int i, j;

	(void)state;
	for (i = 0; i < 1000; i++) {
		p[i] = arena_zalloc(&arena, 1 + i % 300);
		for (j = 0; j < 1 + i % 300; j++)
			assert_int_equal(p[i][j], 0);
		memset(p[i], i, 1 + i % 300);
	}
	for (i = 0; i < 1000; i++)	/* nobody wrote into another's */
		assert_int_equal(p[i][i % 300], (uint8_t)i);
	arena_give_back(&arena, p[40], 41);
	arena_give_back(&arena, NULL, 41);
	assert_ptr_equal(arena_zalloc(&arena, 64), p[40]);
	assert_int_equal(p[40][0], 0);
	arena_free(&arena);
}

static void tables_are_bounded(void **state)
{
	struct table t = { 0 };
	uint64_t key;

	(void)state;
	for (key = 0; key < TABLE_ROWS + 5; key++) {
		struct table_row *row = table_row(&t, key % 2, key / 2);

		assert_true(!row == (key >= TABLE_ROWS));
		if (key < 9)
			table_hold(&t, row, key, sketch_bin(key));
	}
	assert_int_equal(t.n_rows, TABLE_ROWS);
	assert_int_equal(t.refused, 5);
	assert_non_null(table_find(&t, 1, 17));
	assert_null(table_find(&t, 1, TABLE_ROWS));
	table_sort(&t, COLUMN_MAX, 1);
	assert_int_equal(t.rows[0]->hold.max, 8);
	table_free(&t);
}

/* Keys of several families fall on one place; rows keep what they count when they move. */
static void tables_tell_rows_apart(void **state)
{
	enum { KEYS = 3000, FAMILIES = 7 };
	const struct table_row *row;
	struct table t = { 0 };
	unsigned int seen = 0;
	uint64_t key, family;

	(void)state;
	assert_null(table_find(&t, 0, 0));
	for (key = 0; key < KEYS; key++) {
		for (family = 0; family < FAMILIES; family++)
			table_hold(&t, table_row(&t, (unsigned int)family, key << 40),
				   key * FAMILIES + family, 0);
	}
	table_for_each(&t, row) {
		assert_int_equal(row->hold.count, 1);
		assert_int_equal(row->hold.sum, (row->key >> 40) * FAMILIES + table_family(row));
		seen++;
	}
	assert_int_equal(seen, KEYS * FAMILIES);
	for (key = 0; key < KEYS; key++)
		assert_int_equal(table_find(&t, 3, key << 40)->hold.sum, key * FAMILIES + 3);
	assert_null(table_find(&t, FAMILIES, 0));
	table_free(&t);
}

static void tables_have_the_room_they_made(void **state)
{
	struct table_row *row[1000];
	struct table t = { 0 };
	uint64_t key;

	(void)state;
	table_row(&t, 0, 1u << 31);
	table_make_room(&t, 1000);
	for (key = 0; key < 1000; key++)
		row[key] = table_row(&t, 0, key);
	for (key = 0; key < 1000; key++)
		assert_ptr_equal(table_find(&t, 0, key), row[key]);
	table_make_room(&t, SIZE_MAX);	/* never for more than there may be */
	assert_int_equal(t.mask + 1, 2 * TABLE_ROWS);
	table_free(&t);
}

/* The first ones are those of the whole order, and none is missing or there twice. */
static void tables_sort_the_first(void **state)
{
	static const size_t tops[] = { 0, 1, 2, 7, 499, 500, SIZE_MAX };
	struct table_row *whole[500], **rows;
	struct table t = { 0 };
	size_t top, i, j, n;

	(void)state;
	for (i = 0; i < 500; i++) {	/* many are alike but for their keys */
		uint64_t length = rand() % 20;

		table_hold(&t, table_row(&t, 0, i), length, sketch_bin(length));
	}
	table_sort(&t, COLUMN_TOTAL, SIZE_MAX);
	for (i = 0; i < 500; i++)
		whole[i] = t.rows[i];
	for (i = 1; i < 500; i++)
		assert_true(whole[i - 1]->hold.sum > whole[i]->hold.sum ||
			    (whole[i - 1]->hold.sum == whole[i]->hold.sum &&
			     whole[i - 1]->key < whole[i]->key));
	for (i = 0; i < sizeof(tops) / sizeof(tops[0]); i++) {
		bool seen[500] = { false };

		n = top = tops[i];
		table_sort(&t, COLUMN_TOTAL, top);
		rows = table_top(&t, COLUMN_TOTAL, &n);
		assert_int_equal(n, top < 500 ? top : 500);
		for (j = 0; j < n; j++) {
			assert_ptr_equal(t.rows[j], whole[j]);
			assert_ptr_equal(rows[j], whole[j]);
		}
		for (j = 0; j < 500; j++)
			seen[t.rows[j]->key] = true;
		for (j = 0; j < 500; j++)
			assert_true(seen[j]);
		free(rows);
	}
	table_free(&t);
}

static void pairs_are_bounded(void **state)
{
	struct pairs p = { .size = sizeof(struct pair) + 8, .max = 5000 };
	uint64_t i;
	void **list;

	(void)state;
	assert_null(pairs_find(&p, 1, 2, 3));
	for (i = 0; i < 6000; i++) {
		struct pair *pair = pairs_get(&p, i / 7, i % 7, i % 2);

		assert_true(!pair == (i >= 5000));
		assert_ptr_equal(pair, pairs_find(&p, i / 7, i % 7, i % 2));
		assert_ptr_equal(pair, pairs_get(&p, i / 7, i % 7, i % 2));
	}
	assert_int_equal(p.used, 5000);
	assert_int_equal(p.refused, 2000);
	assert_null(pairs_find(&p, 0, 0, 1));
	list = pairs_list(&p);
	for (i = 0; i < 5000; i++)
		assert_non_null(list[i]);
	free(list);
	pairs_free(&p);
}

/* --- map --- */

#define KEYS 3000

static size_t count(const struct map *m)
{
	struct map_slot *slot;
	size_t n = 0;

	map_for_each(m, slot)
		n++;
	return n;
}

static void map_agrees_with_an_array(void **state)
{
	static char values[KEYS];
	void *want[KEYS] = { NULL };
	struct map m = { 0 };
	size_t used = 0;
	int i;

	(void)state;
	assert_null(map_get(&m, 0));
	map_del(&m, 0);
	for (i = 0; i < 300000; i++) {
		size_t key = rand() % KEYS;
		/* like addresses of locks: high bits alike, low ones 0 */
		uint64_t addr = key ? 0xffff888000000000ull + 64 * key : 0;

		assert_ptr_equal(map_get(&m, addr), want[key]);
		if (rand() % 3) {
			used += !want[key];
			want[key] = &values[rand() % KEYS];
			map_put(&m, addr, want[key]);
		} else {
			used -= !!want[key];
			want[key] = NULL;
			map_del(&m, addr);
		}
		assert_int_equal(m.used, used);
	}
	assert_int_equal(count(&m), used);
	map_clear(&m);
	assert_int_equal(count(&m), 0);
	assert_null(map_get(&m, 0));
	map_put(&m, 5, values);
	assert_ptr_equal(map_get(&m, 5), values);
	map_free(&m);
	assert_int_equal(count(&m), 0);
}

/* What comes and goes must not make the map grow: locks do that all the time. */
static void map_does_not_fill_with_graves(void **state)
{
	struct map m = { 0 };
	uint64_t i;

	(void)state;
	for (i = 0; i < 100000; i++) {
		map_put(&m, 4096 * i, &m);
		map_del(&m, 4096 * i);
	}
	assert_true(m.mask < 64);
	map_free(&m);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(huge_pieces_are_apart),
		cmocka_unit_test(arena_gives_again_what_came_back),
		cmocka_unit_test(tables_are_bounded),
		cmocka_unit_test(tables_tell_rows_apart),
		cmocka_unit_test(tables_have_the_room_they_made),
		cmocka_unit_test(tables_sort_the_first),
		cmocka_unit_test(pairs_are_bounded),
		cmocka_unit_test(map_agrees_with_an_array),
		cmocka_unit_test(map_does_not_fill_with_graves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
