// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* From the table by lock to that by class: see classes.h. */
#include <stdio.h>

#include "analysis/classes.h"
#include "base/map.h"
#include "base/mem.h"
#include "symbols/lock_classes.h"

struct classes_found {
	struct class_row	*row;
	size_t			n;
	long double		hold;	/* of all, ticks */
};

/* While it is collected: classes in the order in which they were found. */
struct finding {
	const struct symbols	*symbols;
	struct class_row	**row;
	size_t			n, room;
	struct map		by_class;	/* of the file; by its address */
	struct map		by_name;	/* others; by name */
};

static struct class_row *add(struct finding *f, const char *name)
{
	if (f->n == f->room) {
		f->room = f->room ? 2 * f->room : 256;
		f->row = mem_resize(f->row, f->room, sizeof(struct class_row *));
	}
	f->row[f->n] = mem_zalloc(1, sizeof(struct class_row));
	f->row[f->n]->name = mem_strdup(name);
	return f->row[f->n++];
}

static struct class_row *of_file(struct finding *f, const struct lock_class_known *class)
{
	struct class_row *row = map_get(&f->by_class, (uintptr_t)class);
	char text[LOCK_CLASSES_LEN];

	if (row)
		return row;
	row = add(f, lock_classes_text(class, text, sizeof(text)));
	row->kind = class->kind;
	row->types = class->types;
	map_put(&f->by_class, (uintptr_t)class, row);
	return row;
}

/* A lock of a program, or of a kernel that was not asked. */
static struct class_row *of_symbol(struct finding *f, uint64_t lock)
{
	struct symbols_place place;
	struct class_row *row;
	char text[SYMBOLS_LEN];
	uint64_t key;

	if (symbols_place(f->symbols, lock, false, &place))
		symbols_identity(f->symbols, lock, false, text, sizeof(text));
	else
		snprintf(text, sizeof(text), "%s",
			 symbols_locks(f->symbols) ? "(not asked)" : "(unknown)");
	key = map_text_key(text, strlen(text));
	row = map_get(&f->by_name, key);
	if (row)
		return row;
	row = add(f, text);
	row->types = text[0] != '(';
	map_put(&f->by_name, key, row);
	return row;
}

static struct class_row *find(struct finding *f, uint64_t lock)
{
	const struct lock_class_known *class = lock_classes_of(symbols_locks(f->symbols), lock);

	return class ? of_file(f, class) : of_symbol(f, lock);
}

/* By name, so that keys do not depend on the order in which locks were found. */
static int compare(const void *a, const void *b)
{
	const struct class_row *x = *(struct class_row *const *)a;
	const struct class_row *y = *(struct class_row *const *)b;
	int order = strcmp(x->name, y->name);

	return order ? order : (!!x->kind > !!y->kind) - (!!x->kind < !!y->kind);
}

/* The rows in order; @rank: the place of each, by its address. */
static void settle(struct classes_found *c, struct finding *f, struct map *rank)
{
	if (f->n)
		qsort(f->row, f->n, sizeof(struct class_row *), compare);
	c->row = mem_zalloc(f->n + 1, sizeof(*c->row));
	for (c->n = 0; c->n < f->n; c->n++)
		map_put(rank, (uintptr_t)f->row[c->n], (void *)(uintptr_t)(c->n + 1));
}

struct classes_found *classes_collect(const struct symbols *symbols, const struct table *locks,
				      struct table *to)
{
	struct classes_found *c = mem_zalloc(1, sizeof(*c));
	struct finding f = { .symbols = symbols };
	const struct table_row *row;
	struct map rank = { 0 };
	size_t i;

	table_for_each(locks, row) {
		struct class_row *class = find(&f, row->key);

		class->locks[table_family(row)]++;
		c->hold += (long double)row->hold.sum;
	}
	settle(c, &f, &rank);
	table_for_each(locks, row) {
		uintptr_t key = (uintptr_t)map_get(&rank, (uintptr_t)find(&f, row->key));
		struct table_row *sum = table_row(to, table_family(row), key - 1);

		if (sum)
			table_merge(to, sum, row);
	}
	for (i = 0; i < f.n; i++) {
		c->row[i] = *f.row[i];
		mem_free(f.row[i]);
	}
	mem_free(f.row);
	map_free(&f.by_class);
	map_free(&f.by_name);
	map_free(&rank);
	return c;
}

void classes_found_free(struct classes_found *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++)
		mem_free(c->row[i].name);
	mem_free(c->row);
	mem_free(c);
}

const struct class_row *classes_row(const struct classes_found *c, uint64_t key)
{
	return &c->row[key];
}

double classes_share(const struct classes_found *c, const struct table_row *row)
{
	return c->hold > 0 ? (double)((long double)row->hold.sum / c->hold) : 0;
}
