// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Classes of locks: see classes.h.
 *
 * An object's type is searched among those of its cache's size which have a lock of that
 * family at that offset. Of several the one counts after which the cache is called; else
 * those which a function that took such a lock has as an argument; else what all of them
 * have in common: struct sock, say, with which each protocol's socket begins.
 */
#include <stdio.h>
#include <string.h>

#include <linux/feather_trace.h>

#include "base/mem.h"
#include "names/aliases.h"
#include "names/cache_types.h"
#include "names/candidates.h"
#include "names/classes.h"

/*
 * How far a module's symbol reaches at most. What lies farther may be of a module that was
 * loaded after the symbols were read: a page that nothing is in parts it from this one. So
 * may memory that is allocated for CPUs.
 */
#define MODULE_VARIABLE	4096u

#define ROUNDED		8u	/* a size may be rounded up to the next pointer */

/* Locks of one family at one offset in the objects of a cache. */
struct spot {
	unsigned int	cache;
	uint32_t	offset;
	uint8_t		family;
	uint8_t		n_sites;
	bool		decided, more_sites;	/* than are kept */
	uint64_t	site[SITES];
	struct lock_class class;
};

struct classes {
	const struct memory	*m;
	struct aliases		aliases;
	struct map		spots;
};

/* Both sides of a lock with readers are one lock, of one type. */
static uint8_t lock_of(uint8_t family)
{
	return family == FT_LOCK_RWLOCK_READ ? FT_LOCK_RWLOCK_WRITE :
	       family == FT_LOCK_RWSEM_READ ? FT_LOCK_RWSEM_WRITE : family;
}

static uint64_t spot_key(const struct lock_use *use)
{
	return (uint64_t)use->place.cache << 40 | use->place.offset << 8 | lock_of(use->family);
}

static bool is_object(const struct lock_use *use)
{
	return use->place.kind == MEMORY_SLAB || use->place.kind == MEMORY_KMALLOC;
}

/* At another offset, or in a cache of another name: "kmalloc-192" is the name of several. */
static bool is_another(const struct memory *m, const struct memory_place *a,
		       const struct memory_place *b)
{
	return a->offset != b->offset ||
	       strcmp(m->cache[a->cache].name, m->cache[b->cache].name);
}

void lock_use_ask_again(struct lock_use *use, struct memory *m)
{
	struct lock_use now = *use;

	use->again = true;
	if (!is_object(use))
		return;
	now.place = memory_find(m, use->addr);
	use->reused = is_object(&now) && is_another(m, &now.place, &use->place);
	now.owner = memory_owner(m, use->addr, &now.place);
	if (now.owner.pid != use->owner.pid)
		now.owner = (struct memory_owner){ .pid = 0 };
	/* the task may have another name by now */
	use->owner = now.owner;
}

static void add_use(struct classes *c, const struct lock_use *use)
{
	struct spot *s = map_get(&c->spots, spot_key(use));

	if (!s) {
		s = mem_zalloc(1, sizeof(*s));
		s->cache = use->place.cache;
		s->offset = (uint32_t)use->place.offset;
		s->family = lock_of(use->family);
		map_put(&c->spots, spot_key(use), s);
	}
	for (unsigned int i = 0; i < s->n_sites; i++) {
		if (s->site[i] == use->site)
			return;
	}
	if (s->n_sites < SITES)
		s->site[s->n_sites++] = use->site;
	else
		s->more_sites = true;
}

struct classes *classes_new(const struct memory *m, const struct lock_use *uses, size_t n)
{
	struct classes *c = mem_zalloc(1, sizeof(*c));

	c->m = m;
	aliases_read(&c->aliases);
	for (size_t i = 0; i < n; i++) {
		if (uses[i].asked && is_object(&uses[i]))
			add_use(c, &uses[i]);
	}
	return c;
}

void classes_free(struct classes *c)
{
	struct map_slot *slot;

	if (!c)
		return;
	map_for_each(&c->spots, slot)
		mem_free(slot->value);
	map_free(&c->spots);
	aliases_free(&c->aliases);
	mem_free(c);
}

/* All types after which a cache may be called; a size may differ: of a task_struct, say. */
static void add_named(struct candidates *all, const char *cache, const struct spot *s)
{
	const struct lock_types *t = all->types;
	char name[80];

	for (unsigned int i = 0; cache_types_name(cache, i, name, sizeof(name)); i++) {
		size_t at = lock_types_called(t, name);

		for (; *name && at < t->n && !strcmp(t->named[at].name, name); at++)
			candidates_add(all, &t->named[at], s->offset, s->family);
	}
}

/* With the names of all caches that are merged with it. */
static void add_by_names(struct candidates *all, const struct classes *c, const struct spot *s)
{
	const struct memory_cache *cache = &c->m->cache[s->cache];
	const char *name;
	size_t at = 0;

	add_named(all, cache->name, s);
	while (cache->merged && (name = aliases_next(&c->aliases, cache->name, &at)))
		add_named(all, name, s);
}

/* --- objects ----------------------------------------------------------------------- */

/* The greatest size of a cache for any memory that is too small for what this one has. */
static uint32_t next_smaller(const struct memory *m, uint32_t size)
{
	uint32_t smaller = 0;

	for (size_t i = 0; i < m->n_caches; i++) {
		const struct memory_cache *c = &m->cache[i];

		if (c->kmalloc && c->object_size < size && c->object_size > smaller)
			smaller = c->object_size;
	}
	return smaller;
}

/*
 * Takes what is certain; @sure: there is evidence for these. Otherwise the only one left is
 * likely, and so is a type that begins with the same word as a function that took the lock:
 * the name is that type's, but still one of several.
 */
static void take(struct candidates *all, struct arguments *a, bool sure, struct lock_class *out)
{
	if (!all->n)
		return;
	if (sure && candidates_name(all, out->text, sizeof(out->text))) {
		out->types = 1;
		return;
	}
	*out->text = '\0';
	if (out->types < 2 || all->n > 1) {
		if (!candidates_narrow_by_word(all, a))
			return;
	}
	if (!candidates_name(all, out->text, sizeof(out->text)))
		return;
	/* the only one that fits is not certain */
	if (out->types < 2)
		out->types = 2;
}

/* Memory of any size has any type: a function that took the lock must know it. */
static void decide_kmalloc(const struct memory *m, const struct spot *s, struct arguments *a,
			   struct candidates *all, struct lock_class *out)
{
	uint32_t size = m->cache[s->cache].object_size, smaller = next_smaller(m, size);
	size_t known;
	bool sure;

	/* with what follows a structure, memory may be larger than its type */
	for (unsigned int i = 0; i < a->n; i++) {
		if (a->type[i].size <= size)
			candidates_add(all, &a->type[i], s->offset, s->family);
	}
	known = all->n;
	if (!known)
		candidates_add_sized(all, smaller, size, s->offset, s->family);
	out->types = (unsigned int)all->n;
	sure = candidates_narrow_by_sites(all, a) && !s->more_sites &&
	       (all->n > 1 || arguments_all_know(&all->list[0], a));
	take(all, a, sure, out);
}

/* Has the type a lock at each place of the cache where there was one? */
struct others {
	const struct classes	*c;
	const struct spot	*s;
};

static bool fits_others(const struct candidate *c, void *arg)
{
	const struct others *o = arg;
	const struct map_slot *slot;
	struct lock_path path;

	map_for_each(&o->c->spots, slot) {
		const struct spot *s = slot->value;

		if (s->cache == o->s->cache &&
		    !lock_types_find(o->c->m->types, &c->type, s->offset, s->family, &path))
			return false;
	}
	return true;
}

static void decide_object(const struct classes *classes, const struct spot *s,
			  struct arguments *a, struct candidates *all, struct lock_class *out)
{
	const struct memory_cache *c = &classes->m->cache[s->cache];
	uint32_t above = c->object_size > ROUNDED ? c->object_size - ROUNDED : 0;
	struct others others = { classes, s };
	bool sure;

	add_by_names(all, classes, s);
	/* that a type has the size of the objects is no proof: a module may hide its own */
	sure = all->n;
	if (!sure)
		candidates_add_sized(all, above, c->object_size, s->offset, s->family);
	out->types = (unsigned int)all->n;
	if (!c->merged && all->n > 1)
		candidates_narrow(all, fits_others, &others);
	if (all->n > 1 || !sure)
		sure |= candidates_narrow_by_sites(all, a);
	take(all, a, sure, out);
}

static void decide(struct classes *c, struct spot *s)
{
	const struct memory_cache *cache = &c->m->cache[s->cache];
	struct candidates all = { .types = c->m->types };
	struct arguments a = { .n = 0 };

	all.list = mem_zalloc(CANDIDATES, sizeof(*all.list));
	for (unsigned int i = 0; i < s->n_sites; i++)
		arguments_add(&a, c->m, s->site[i]);
	if (cache->kmalloc)
		decide_kmalloc(c->m, s, &a, &all, &s->class);
	else
		decide_object(c, s, &a, &all, &s->class);
	if (!*s->class.text) {
		snprintf(s->class.text, sizeof(s->class.text), "%s+0x%x", cache->name, s->offset);
		/* the only one that fits is not certain */
		if (s->class.types == 1)
			s->class.types = 2;
	}
	mem_free(all.list);
	s->decided = true;
}

/* --- variables --------------------------------------------------------------------- */

static void put_variable(const struct memory_place *p, const char *tail, struct lock_class *out)
{
	char offset[24] = "";

	if (!tail && p->offset)
		snprintf(offset, sizeof(offset), "+0x%llx", (unsigned long long)p->offset);
	snprintf(out->text, sizeof(out->text), "%.80s%.50s%s%.50s%s", p->name,
		 tail ? tail : offset, p->module ? " [" : "",
		 p->module ? p->module : "", p->module ? "]" : "");
	out->types = 1;
}

/* A member of a variable whose type a function that took the lock knows. */
static void name_variable(const struct classes *c, const struct lock_use *use,
			  struct lock_class *out)
{
	const struct memory_place *p = &use->place;
	struct arguments a = { .n = 0 };
	struct lock_path path;

	if (p->module && p->offset >= MODULE_VARIABLE) {
		snprintf(out->text, sizeof(out->text), "(%s)", memory_kind_name(p->kind));
		return;
	}
	if (p->offset)
		arguments_add(&a, c->m, use->site);
	for (unsigned int i = 0; i < a.n; i++) {
		if (a.type[i].size <= p->len && p->offset < a.type[i].size &&
		    lock_types_find(c->m->types, &a.type[i], (uint32_t)p->offset, use->family,
				    &path)) {
			put_variable(p, path.text + strlen(a.type[i].name), out);
			return;
		}
	}
	put_variable(p, NULL, out);
}

static void name_percpu_memory(struct lock_class *out)
{
	out->kind = MEMORY_PERCPU_ALLOC;
	snprintf(out->text, sizeof(out->text), "(%s)", memory_kind_name(out->kind));
}

static void name_percpu(const struct classes *c, const struct lock_use *use,
			struct lock_class *out)
{
	const struct memory_place *p = &use->place;
	struct lock_type type;
	struct lock_path path;

	bool known = lock_types_variable(c->m->types, p->name, &type);

	if (known && lock_types_find(c->m->types, &type, (uint32_t)p->offset, use->family, &path))
		put_variable(p, path.text + strlen(p->name), out);
	else if (!p->module || p->offset < MODULE_VARIABLE)
		put_variable(p, NULL, out);
	else
		name_percpu_memory(out);
}

/* The type is known, but which of its locks is there? */
static bool name_typed(const struct classes *c, const struct lock_type *type,
		       const struct lock_use *use, struct lock_class *out)
{
	struct lock_path path;

	if (!lock_types_find(c->m->types, type, (uint32_t)use->place.offset, use->family, &path))
		return false;
	snprintf(out->text, sizeof(out->text), "%s", path.text);
	out->types = 1;
	return true;
}

static void name_other(const struct classes *c, const struct lock_use *use,
		       struct lock_class *out)
{
	const struct memory_place *p = &use->place;

	if (p->type && name_typed(c, p->type, use, out))
		return;
	if (p->kind == MEMORY_PAGE && (name_typed(c, &c->m->table, use, out) ||
				       name_typed(c, &c->m->page, use, out)))
		return;
	out->types = 0;
	if (p->kind == MEMORY_VMALLOC && p->name)
		snprintf(out->text, sizeof(out->text), "(vmalloc of %.120s)", p->name);
	else
		snprintf(out->text, sizeof(out->text), "(%s)", memory_kind_name(p->kind));
}

void classes_find(struct classes *c, const struct lock_use *use, struct lock_class *out)
{
	struct spot *s;

	*out = (struct lock_class){ .kind = use->place.kind };
	switch (use->place.kind) {
	case MEMORY_SLAB:
	case MEMORY_KMALLOC:
		s = map_get(&c->spots, spot_key(use));
		if (!s->decided)
			decide(c, s);
		*out = s->class;
		out->kind = use->place.kind;
		/* it was one, and then another */
		if (use->reused && out->types)
			out->types++;
		break;
	case MEMORY_STATIC:
	case MEMORY_MODULE:
		name_variable(c, use, out);
		break;
	case MEMORY_PERCPU:
		name_percpu(c, use, out);
		break;
	default:
		name_other(c, use, out);
	}
}
