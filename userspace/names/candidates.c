// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Types that fit, and evidence for them: see candidates.h. */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "names/candidates.h"

void candidates_add(struct candidates *all, const struct lock_type *type, uint64_t offset,
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

void candidates_add_sized(struct candidates *all, uint32_t above, uint32_t most, uint64_t offset,
			  unsigned int family)
{
	const struct lock_types *t = all->types;

	for (size_t i = lock_types_sized(t, above + 1); i < t->n && t->type[i].size <= most; i++)
		candidates_add(all, &t->type[i], offset, family);
}

void candidates_narrow(struct candidates *all, bool (*fits)(const struct candidate *c, void *arg),
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

void arguments_add(struct arguments *a, const struct memory *m, uint64_t site)
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
		if (!strcmp(a->type[i].name, c->type.name))
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

bool arguments_all_know(const struct candidate *c, const struct arguments *a)
{
	for (unsigned int i = 0; i < a->n_functions; i++) {
		if (!knows(c, a, i))
			return false;
	}
	return a->n_functions;
}

/* A pointer to the lock, or to part of it: to a wait queue, say, which many locks have. */
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

bool candidates_narrow_by_sites(struct candidates *all, struct arguments *a)
{
	static bool (*const fits[])(const struct candidate *c, void *arg) = {
		fits_site, fits_module, fits_pointer,
	};
	bool any = false;

	for (unsigned int i = 0; i < ARRAY_SIZE(fits) && all->n && (!any || all->n > 1); i++) {
		candidates_narrow(all, fits[i], a);
		any |= fits[i](&all->list[0], a);
	}
	return any && (all->n > 1 || somebody_knows(&all->list[0], a));
}

bool candidates_narrow_by_word(struct candidates *all, struct arguments *a)
{
	candidates_narrow(all, fits_word, a);
	return fits_word(&all->list[0], a);
}

/* "sock.sk_lock.slock": as seen from the structure @i on the way */
static void inner_text(const struct lock_path *path, unsigned int i, char *buf, size_t len)
{
	snprintf(buf, len, "%s%s", path->type[i], path->text + path->inner[i]);
}

static bool has_inner(const struct lock_path *path, const char *text)
{
	char own[sizeof(path->text)];

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

bool candidates_name(const struct candidates *all, char *buf, size_t len)
{
	if (all->n == 1 && !all->more)
		snprintf(buf, len, "%s", all->list[0].path.text);
	else if (!find_common(all, buf, len))
		*buf = '\0';
	return *buf;
}
