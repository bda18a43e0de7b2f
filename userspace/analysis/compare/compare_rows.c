// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ft compare: which call sites of the traces are the same place, which classes of locks are
 * the same?
 *
 * Classes are known by their name. Of call sites, addresses do not tell: a kernel lies
 * elsewhere after each boot. Where all traces are of one build of the kernel, it is function
 * and offset. In another build offsets differ: then all sites of a family in one function are
 * one. Where a trace has no symbols, only addresses are left.
 */
#include <stdio.h>

#include "analysis/compare/compare_steps.h"
#include "base/mem.h"
#include "trace/fact.h"

/* A call site, or a class, of one trace, on its way to the others. */
struct entry {
	char			*name;
	struct digest_row	*row;
	unsigned int		trace;
};

static bool same_fact(const struct compare *c, const char *key)
{
	char first[512], other[512];
	unsigned int i;

	if (!trace_fact(&c->trace[0].trace, key, first, sizeof(first)))
		return false;
	for (i = 1; i < c->n; i++) {
		if (!trace_fact(&c->trace[i].trace, key, other, sizeof(other)) ||
		    strcmp(first, other))
			return false;
	}
	return true;
}

/* The version (uname -v) has the number and the date of the build. */
static bool same_kernel(const struct compare *c)
{
	return same_fact(c, "kernel_release") && same_fact(c, "kernel_version");
}

static bool have_symbols(const struct compare *c)
{
	unsigned int i;

	for (i = 0; i < c->n; i++) {
		if (!c->trace[i].symbols && c->trace[i].n_rows[DIGEST_SITES])
			return false;
	}
	return true;
}

/* "name+0x1f [module]" to "name [module]" */
static void drop_offset(char *name)
{
	char *plus = strstr(name, "+0x"), *rest;

	if (!plus)
		return;
	rest = plus + strcspn(plus, " ");
	memmove(plus, rest, strlen(rest) + 1);
}

typedef const char *(*format_fn)(const struct symbols *s, uint64_t addr, bool call,
				 char *buf, size_t len);

static char *name_of(const struct compare *c, format_fn format, unsigned int i,
		     uint64_t addr, bool symbols)
{
	char name[SYMBOLS_LEN];

	format(symbols ? c->trace[i].symbols : NULL, addr, true, name, sizeof(name));
	if (c->whole_functions)
		drop_offset(name);
	return mem_strdup(name);
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int ret;

	if (x->row->family != y->row->family)
		return x->row->family < y->row->family ? -1 : 1;
	ret = strcmp(x->name, y->name);
	if (ret)
		return ret;
	if (x->trace != y->trace)
		return x->trace < y->trace ? -1 : 1;
	return (x->row->key > y->row->key) - (x->row->key < y->row->key);
}

static char *name_in(const struct compare *c, enum digest_table table, unsigned int i,
		     const struct digest_row *row, bool symbols, bool shown)
{
	if (table == DIGEST_LOCK_CLASSES)
		return mem_strdup(digest_class_name(&c->trace[i], row));
	return name_of(c, shown ? symbols_format : symbols_identity, i, row->key, symbols);
}

static struct entry *collect(const struct compare *c, enum digest_table table, bool symbols,
			     size_t *n)
{
	struct entry *entries;
	unsigned int i, family;

	for (*n = 0, i = 0; i < c->n; i++)
		*n += c->trace[i].n_rows[table];
	entries = mem_zalloc(*n, sizeof(*entries));
	for (*n = 0, i = 0; i < c->n; i++) {
		for (family = 0; family < LOCKS_FAMILIES; family++) {
			struct map_slot *slot;

			map_for_each(&c->trace[i].rows[table][family], slot)
				entries[(*n)++] = (struct entry){
					.name = name_in(c, table, i, slot->value, symbols, false),
					.row = slot->value,
					.trace = i,
				};
		}
	}
	if (*n)
		qsort(entries, *n, sizeof(*entries), compare_entries);
	return entries;
}

/* The largest share first; the rest only so that the order is always the same. */
static int compare_rows(const void *a, const void *b)
{
	const struct compare_row *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	if (x->family != y->family)
		return x->family < y->family ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void add_entry(struct compare *c, struct compare_row *to,
		      const struct entry *from)
{
	const struct digest *d = &c->trace[from->trace];
	double seconds = digest_seconds(d);

	if (seconds > 0)
		to->total += digest_time(d, (double)from->row->lengths.sum) /
			     seconds;
	if (to->in[from->trace])
		digest_row_merge(to->in[from->trace], from->row);
	else
		to->in[from->trace] = from->row;
}

void compare_match(struct compare *c, enum digest_table table)
{
	struct compare_table *t = &c->table[table];
	struct compare_row *last = NULL;
	bool symbols = have_symbols(c);
	struct entry *entries;
	size_t n, i;

	c->whole_functions = symbols && !same_kernel(c);
	entries = collect(c, table, symbols, &n);
	t->row = mem_zalloc(n, sizeof(*t->row));
	for (i = 0; i < n; i++) {
		struct entry *e = &entries[i];

		if (last && last->family == e->row->family &&
		    !strcmp(last->name, e->name)) {
			free(e->name);
		} else {
			last = &t->row[t->n++];
			last->family = e->row->family;
			last->name = e->name;
			last->shown = name_in(c, table, e->trace, e->row, symbols, true);
		}
		add_entry(c, last, e);
	}
	free(entries);
	if (t->n)
		qsort(t->row, t->n, sizeof(*t->row), compare_rows);
}

void compare_free_rows(struct compare_table *table)
{
	size_t i;

	for (i = 0; i < table->n; i++) {
		free(table->row[i].name);
		free(table->row[i].shown);
	}
	free(table->row);
}
