// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* From the table by lock to that by class: see classes.h. */
#include <stdlib.h>
#include <string.h>

#include "analysis/classes.h"
#include "base/mem.h"
#include "symbols/class_index.h"

struct classes_found {
	struct class_index	*index;
	struct class_row	*row;
	size_t			n;
	long double		hold;	/* of all, ticks */
};

/* By name, so that keys do not depend on the order in which locks were found. */
static int compare(const void *a, const void *b)
{
	const struct class_entry *x = *(const struct class_entry *const *)a;
	const struct class_entry *y = *(const struct class_entry *const *)b;
	int order = strcmp(x->name, y->name);

	return order ? order : (!!x->kind > !!y->kind) - (!!x->kind < !!y->kind);
}

/* The rows in order. Return: the place of each, by its number */
static size_t *settle(struct classes_found *c)
{
	const struct class_entry **entry, *next;
	size_t *rank, i;

	while (class_index_at(c->index, c->n))
		c->n++;
	entry = mem_zalloc(c->n + 1, sizeof(*entry));
	for (i = 0; (next = class_index_at(c->index, i)); i++)
		entry[i] = next;
	if (c->n)
		qsort(entry, c->n, sizeof(*entry), compare);
	c->row = mem_zalloc(c->n + 1, sizeof(*c->row));
	rank = mem_zalloc(c->n + 1, sizeof(*rank));
	for (i = 0; i < c->n; i++) {
		c->row[i] = (struct class_row){ .name = entry[i]->name, .kind = entry[i]->kind,
						.types = entry[i]->types };
		rank[entry[i]->number] = i;
	}
	mem_free(entry);
	return rank;
}

struct classes_found *classes_collect(const struct symbols *symbols, const struct table *locks,
				      struct table *to)
{
	struct classes_found *c = mem_zalloc(1, sizeof(*c));
	const struct table_row *row;
	size_t *rank;

	c->index = class_index_new(symbols);
	table_for_each(locks, row) {
		class_index_of(c->index, row->key);
		c->hold += (long double)row->hold.sum;
	}
	rank = settle(c);
	table_for_each(locks, row) {
		size_t key = rank[class_index_of(c->index, row->key)->number];
		struct table_row *sum = table_row(to, table_family(row), key);

		c->row[key].locks[table_family(row)]++;
		if (sum)
			table_merge(to, sum, row);
	}
	mem_free(rank);
	return c;
}

void classes_found_free(struct classes_found *c)
{
	if (!c)
		return;
	class_index_free(c->index);
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
