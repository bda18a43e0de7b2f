// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Paths of functions. See stack_paths.h. */
#include <stdlib.h>
#include <string.h>

#include "analysis/stack_paths.h"
#include "base/map.h"
#include "base/mem.h"
#include "symbols/frames.h"

struct name {
	struct name	*next;		/* of the same key */
	char		text[];
};

struct stack_paths {
	struct map		names;		/* by map_text_key() */
	struct stack_path	*path;
	size_t			n;
};

const char *stack_paths_name(unsigned int value)
{
	static const char *const names[STACK_VALUES] = {
		[STACK_HOLD] = "hold", [STACK_WAIT] = "wait",
	};

	return value < STACK_VALUES ? names[value] : NULL;
}

/* One text for equal ones. */
static const char *intern(struct stack_paths *p, const char *text)
{
	size_t len = strlen(text);
	uint64_t key = map_text_key(text, len);
	struct name *first = map_get(&p->names, key), *name = first;

	while (name && strcmp(name->text, text))
		name = name->next;
	if (name)
		return name->text;
	name = mem_resize(NULL, 1, sizeof(*name) + len + 1);
	name->next = first;
	memcpy(name->text, text, len + 1);
	map_put(&p->names, key, name);
	return name->text;
}

/* Outermost first: from the last frame on, and in it from the last function on. */
static void fill(struct stack_paths *p, struct stack_path *to, const struct report *r,
		 const struct stack *stack)
{
	char name[FRAMES_INLINED][SYMBOLS_LEN];

	to->frame = mem_zalloc((size_t)stack->n * FRAMES_INLINED, sizeof(*to->frame));
	for (uint32_t i = stack->n; i-- > 0;) {
		unsigned int inlined = frames_at(r->symbols, stack, i, name);

		while (inlined-- > 0)
			to->frame[to->n++] = intern(p, name[inlined]);
	}
	/* few addresses have as many functions as there is room for */
	to->frame = mem_resize(to->frame, to->n, sizeof(*to->frame));
}

static int compare(const void *a, const void *b)
{
	const struct stack_path *x = a, *y = b;

	for (uint32_t i = 0; i < x->n && i < y->n; i++) {
		int order = x->frame[i] == y->frame[i] ? 0 : strcmp(x->frame[i], y->frame[i]);

		if (order)
			return order;
	}
	return (x->n > y->n) - (x->n < y->n);
}

/* Equal paths are side by side: keep one. */
static void unite(struct stack_paths *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		struct stack_path *path = &p->path[i], *last = n ? &p->path[n - 1] : NULL;

		if (!last || compare(last, path)) {
			p->path[n++] = *path;
			continue;
		}
		for (unsigned int v = 0; v < STACK_VALUES; v++)
			last->ticks[v] += path->ticks[v];
		mem_free(path->frame);
	}
	p->n = n;
}

struct stack_paths *stack_paths_new(const struct report *r)
{
	struct stack_paths *p = mem_zalloc(1, sizeof(*p));
	const struct table *t = &r->table[TABLE_STACK];

	p->path = mem_zalloc(t->n_rows + 1, sizeof(*p->path));
	for (; p->n < t->n_rows; p->n++) {
		const struct table_row *row = t->rows[p->n];
		struct stack_path *path = &p->path[p->n];

		fill(p, path, r, stacks_at(r->stacks, (uint32_t)row->key));
		path->ticks[STACK_HOLD] = row->hold.sum;
		path->ticks[STACK_WAIT] = row->wait ? row->wait->sum : 0;
	}
	if (p->n)
		qsort(p->path, p->n, sizeof(*p->path), compare);
	unite(p);
	return p;
}

const struct stack_path *stack_paths_list(const struct stack_paths *p, size_t *n)
{
	*n = p->n;
	return p->path;
}

void stack_paths_free(struct stack_paths *p)
{
	struct map_slot *slot;

	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++)
		mem_free(p->path[i].frame);
	map_for_each(&p->names, slot) {
		for (struct name *name = slot->value, *next; name; name = next) {
			next = name->next;
			mem_free(name);
		}
	}
	map_free(&p->names);
	mem_free(p->path);
	mem_free(p);
}
