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

#include "base/array.h"
#include "base/mem.h"
#include "names/aliases.h"
#include "names/cache_types.h"
#include "names/classes.h"

#define CANDIDATES	256u
#define SITES		16u	/* of locks at one offset of a cache */
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

/* --- candidates ------------------------------------------------------------------ */

struct candidate {
	struct lock_type	type;
	struct lock_path	path;
};

struct candidates {
	const struct lock_types	*types;		/* where they are searched */
	struct candidate	*list;
	size_t			n;
	bool			more;	/* than are kept */
};

static void add_candidate(struct candidates *all, const struct lock_type *type, uint64_t offset,
			  unsigned int family)
{
	struct lock_path path;

	if (offset >= type->size ||
	    !lock_types_find(all->types, type, (uint32_t)offset, family, &path))
		return;
	for (size_t i = 0; i < all->n; i++) {
		if (!strcmp(all->list[i].path.text, path.text))
			return;
	}
	if (all->n == CANDIDATES) {
		all->more = true;
		return;
	}
	all->list[all->n++] = (struct candidate){ *type, path };
}

static void add_sized(struct candidates *all, uint32_t above, uint32_t most, uint64_t offset,
		      unsigned int family)
{
	const struct lock_types *t = all->types;

	for (size_t i = lock_types_sized(t, above + 1); i < t->n && t->type[i].size <= most; i++)
		add_candidate(all, &t->type[i], offset, family);
}

/* Keeps those of which @fits says so, if there are any. */
static void narrow(struct candidates *all, bool (*fits)(const struct candidate *c, void *arg),
		   void *arg)
{
	size_t kept = 0;

	for (size_t i = 0; i < all->n; i++) {
		if (!fits(&all->list[i], arg))
			continue;
		if (kept != i) {
			struct candidate moved = all->list[i];

			all->list[i] = all->list[kept];
			all->list[kept] = moved;
		}
		kept++;
	}
	if (kept)
		all->n = kept;
}

/* All types after which a cache may be called; a size may differ: of a task_struct, say. */
static void add_named(struct candidates *all, const char *cache, const struct spot *s)
{
	const struct lock_types *t = all->types;
	char name[80];

	for (unsigned int i = 0; cache_types_name(cache, i, name, sizeof(name)); i++) {
		size_t at = lock_types_called(t, name);

		for (; *name && at < t->n && !strcmp(t->named[at].name, name); at++)
			add_candidate(all, &t->named[at], s->offset, s->family);
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

/* Types to which arguments of the functions point that took the lock. */
struct arguments {
	struct lock_type	type[SITES * LOCK_ARGUMENTS];
	unsigned int		n;
	unsigned int		first[SITES + 1];	/* of each function's in @type */
	const char		*function[SITES];
	const struct btf	*module[SITES];	/* of the function; NULL: the kernel */
	unsigned int		n_functions;
};

static void add_site(struct arguments *a, const struct memory *m, uint64_t site)
{
	const struct kernel_symbol *s;
	const struct btf *of;
	uint64_t len;

	/* the address after the call */
	s = site ? kernel_symbols_find(m->symbols, site - 1, &len) : NULL;
	if (!s || a->n_functions == SITES)
		return;
	a->n += lock_types_arguments(m->types, s->name, &a->type[a->n], &of);
	a->function[a->n_functions] = s->name;
	a->module[a->n_functions++] = of != m->types->kernel ? of : NULL;
	a->first[a->n_functions] = a->n;
}

/* Has a function a pointer to the object itself, or only its module such a type? */
static bool knows(const struct candidate *c, const struct arguments *a, unsigned int function)
{
	for (unsigned int i = a->first[function]; i < a->first[function + 1]; i++) {
		if (!strcmp(a->type[i].name, c->path.type[0]))
			return true;
	}
	return a->module[function] && a->module[function] == c->type.btf;
}

static bool somebody_knows(const struct candidate *c, const struct arguments *a)
{
	for (unsigned int i = 0; i < a->n_functions; i++) {
		if (knows(c, a, i))
			return true;
	}
	return false;
}

/* Else others in this place of other objects may be of another type. */
static bool all_know(const struct candidate *c, const struct arguments *a)
{
	for (unsigned int i = 0; i < a->n_functions; i++) {
		if (!knows(c, a, i))
			return false;
	}
	return a->n_functions;
}

/* A pointer to it, or to a part of it: a wait queue, say, of which there are many. */
static bool fits_site(const struct candidate *c, void *arg)
{
	const struct arguments *a = arg;

	for (unsigned int i = 0; i < a->n; i++) {
		for (unsigned int k = 0; k < c->path.n; k++) {
			if (!strcmp(a->type[i].name, c->path.type[k]))
				return true;
		}
	}
	return false;
}

/* An argument has a pointer to it: of inode_sb_list_add() it is an inode, with its super_block. */
static bool fits_pointer(const struct candidate *c, void *arg)
{
	const struct arguments *a = arg;

	for (unsigned int i = 0; i < a->n; i++) {
		if (lock_types_points(&a->type[i], c->type.name))
			return true;
	}
	return false;
}

/* A type that only the module has whose function took the lock. */
static bool fits_module(const struct candidate *c, void *arg)
{
	const struct arguments *a = arg;

	for (unsigned int i = 0; i < a->n_functions; i++) {
		if (a->module[i] && a->module[i] == c->type.btf)
			return true;
	}
	return false;
}

/* pipe_write() and struct pipe_inode_info: the first word is the same. */
static bool fits_word(const struct candidate *c, void *arg)
{
	const struct arguments *a = arg;
	size_t len = strcspn(c->type.name, "_");

	for (unsigned int i = 0; i < a->n_functions && len > 2; i++) {
		const char *name = a->function[i] + strspn(a->function[i], "_");

		if (!strncmp(name, c->type.name, len) && name[len] == '_')
			return true;
	}
	return false;
}

/*
 * Keeps what types say of the functions that took the lock, the best evidence first. Return:
 * do they for what is left? For the one that is left, who knows a part of it, or has a pointer
 * to it in another type, does not: an object of another type may have such a part, too.
 */
static bool narrow_by_sites(struct candidates *all, struct arguments *a)
{
	static bool (*const fits[])(const struct candidate *c, void *arg) = {
		fits_site, fits_module, fits_pointer,
	};
	bool any = false;

	for (unsigned int i = 0; i < ARRAY_SIZE(fits) && all->n && (!any || all->n > 1); i++) {
		narrow(all, fits[i], a);
		any |= fits[i](&all->list[0], a);
	}
	return any && (all->n > 1 || somebody_knows(&all->list[0], a));
}

/* "sock.sk_lock.slock": as seen from the structure @i on the way */
static void inner_text(const struct lock_path *path, unsigned int i, char *buf, size_t len)
{
	snprintf(buf, len, "%s%s", path->type[i], path->text + path->inner[i]);
}

static bool has_inner(const struct lock_path *path, const char *text)
{
	char own[CLASS_LEN];

	for (unsigned int i = 0; i < path->n; i++) {
		inner_text(path, i, own, sizeof(own));
		if (!strcmp(own, text))
			return true;
	}
	return false;
}

/* The outermost structure that all candidates have around the lock. */
static bool find_common(const struct candidates *all, char *buf, size_t len)
{
	const struct lock_path *first = &all->list[0].path;

	for (unsigned int i = 0; i < first->n && !all->more; i++) {
		size_t k;

		inner_text(first, i, buf, len);
		/* a lock's own parts are in every lock */
		if (!strchr(buf, '.'))
			return false;
		for (k = 1; k < all->n && has_inner(&all->list[k].path, buf); k++)
			;
		if (k == all->n)
			return true;
	}
	return false;
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

/* What they have in common. Return: is there something? */
static bool name_common(const struct candidates *all, struct lock_class *out)
{
	if (all->n == 1 && !all->more)
		snprintf(out->text, sizeof(out->text), "%s", all->list[0].path.text);
	else if (!find_common(all, out->text, sizeof(out->text)))
		*out->text = '\0';
	return *out->text;
}

/*
 * Takes what is certain; @sure: something speaks for these. Else what has become the only one is
 * likely, and so is a type that begins with the same word as a function that took the lock: the
 * name is that type's, and still one of several.
 */
static void take(struct candidates *all, struct arguments *a, bool sure, struct lock_class *out)
{
	if (!all->n)
		return;
	if (sure && name_common(all, out)) {
		out->types = 1;
		return;
	}
	*out->text = '\0';
	if (out->types < 2 || all->n > 1) {
		narrow(all, fits_word, a);
		if (!fits_word(&all->list[0], a))
			return;
	}
	if (!name_common(all, out))
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
			add_candidate(all, &a->type[i], s->offset, s->family);
	}
	known = all->n;
	if (!known)
		add_sized(all, smaller, size, s->offset, s->family);
	out->types = (unsigned int)all->n;
	sure = narrow_by_sites(all, a) && !s->more_sites &&
	       (all->n > 1 || all_know(&all->list[0], a));
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
		add_sized(all, above, c->object_size, s->offset, s->family);
	out->types = (unsigned int)all->n;
	if (!c->merged && all->n > 1)
		narrow(all, fits_others, &others);
	if (all->n > 1 || !sure)
		sure |= narrow_by_sites(all, a);
	take(all, a, sure, out);
}

static void decide(struct classes *c, struct spot *s)
{
	const struct memory_cache *cache = &c->m->cache[s->cache];
	struct candidates all = { .types = c->m->types };
	struct arguments a = { .n = 0 };

	all.list = mem_zalloc(CANDIDATES, sizeof(*all.list));
	for (unsigned int i = 0; i < s->n_sites; i++)
		add_site(&a, c->m, s->site[i]);
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
		add_site(&a, c->m, use->site);
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

/* What is known to have a type, but which lock is there? */
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
