// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Finds classes of locks, and makes each of them once: see class_index.h. */
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "symbols/class_index.h"
#include "symbols/lock_classes.h"
#include "symbols/symbols.h"

/* Looking up a symbol is slow, so locks that the file lacks are cached; this many at most. */
#define REMEMBERED	(64u << 10)

struct class_index {
	const struct symbols	*symbols;
	struct class_entry	**entry;
	size_t			n, room;
	struct map		by_class;	/* of the file; by its address */
	struct map		by_name;	/* others */
	struct map		by_lock;	/* of those */
};

struct class_index *class_index_new(const struct symbols *symbols)
{
	struct class_index *c = mem_zalloc(1, sizeof(*c));

	c->symbols = symbols;
	return c;
}

void class_index_free(struct class_index *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++) {
		mem_free(c->entry[i]->name);
		mem_free(c->entry[i]->same);
		mem_free(c->entry[i]);
	}
	mem_free(c->entry);
	map_free(&c->by_class);
	map_free(&c->by_name);
	map_free(&c->by_lock);
	mem_free(c);
}

static struct class_entry *add(struct class_index *c, const char *name, char *same)
{
	struct class_entry *entry = mem_zalloc(1, sizeof(*entry));

	if (c->n == c->room) {
		c->room = c->room ? 2 * c->room : 256;
		c->entry = mem_resize(c->entry, c->room, sizeof(struct class_entry *));
	}
	entry->name = mem_strdup(name);
	entry->same = same;
	entry->number = (uint32_t)c->n;
	c->entry[c->n++] = entry;
	return entry;
}

static struct class_entry *of_file(struct class_index *c, const struct lock_class_known *class)
{
	struct class_entry *entry = map_get(&c->by_class, (uintptr_t)class);
	char text[LOCK_CLASSES_LEN];

	if (entry)
		return entry;
	entry = add(c, lock_classes_text(class, text, sizeof(text)),
		    mem_format("%s%s", class->name, class->types > 1 ? " (probably)" : ""));
	entry->kind = class->kind;
	entry->types = class->types;
	map_put(&c->by_class, (uintptr_t)class, entry);
	return entry;
}

static struct class_entry *find_symbol(struct class_index *c, uint64_t lock)
{
	struct symbols_place place;
	struct class_entry *entry;
	char text[SYMBOLS_LEN];
	uint64_t key;

	if (symbols_place(c->symbols, lock, false, &place))
		symbols_identity(c->symbols, lock, false, text, sizeof(text));
	else
		snprintf(text, sizeof(text), "%s",
			 symbols_locks(c->symbols) ? "(not asked)" : "(unknown)");
	key = map_text_key(text, strlen(text));
	entry = map_get(&c->by_name, key);
	if (entry)
		return entry;
	entry = add(c, text, mem_strdup(text));
	entry->types = text[0] != '(';
	map_put(&c->by_name, key, entry);
	return entry;
}

/* A lock of a program, or of a kernel that was not asked. */
static struct class_entry *of_symbol(struct class_index *c, uint64_t lock)
{
	struct class_entry *entry = map_get(&c->by_lock, lock);

	if (entry)
		return entry;
	entry = find_symbol(c, lock);
	if (c->by_lock.used < REMEMBERED)
		map_put(&c->by_lock, lock, entry);
	return entry;
}

const struct class_entry *class_index_of(struct class_index *c, uint64_t lock)
{
	const struct lock_class_known *class = lock_classes_of(symbols_locks(c->symbols), lock);

	return class ? of_file(c, class) : of_symbol(c, lock);
}

const struct class_entry *class_index_at(const struct class_index *c, size_t number)
{
	return number < c->n ? c->entry[number] : NULL;
}
