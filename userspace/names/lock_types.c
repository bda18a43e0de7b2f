// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Types with locks: see lock_types.h. The way to a lock at a known offset is a descent:
 * of each structure only the members that lie over that offset are looked at.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>
#include <linux/btf.h>

#include <linux/feather_trace.h>

#include "base/array.h"
#include "base/mem.h"
#include "names/lock_types.h"

#define MODULES		"/sys/kernel/btf"

/* Typedefs of typedefs, and structures inside of structures; nobody writes so many. */
#define CHAIN_MAX	32
#define DEEP_MAX	16

/* --- loading ---------------------------------------------------------------- */

/* A spinlock_t is a raw_spinlock_t, but that of PREEMPT_RT is an rt_mutex_base. */
static bool is_realtime(const struct btf *btf)
{
	struct lock_type spinlock;
	uint32_t bits;

	return lock_types_named(btf, "spinlock", &spinlock) &&
	       !lock_types_member(&spinlock, "rlock", &bits);
}

bool lock_types_open(struct lock_types *t)
{
	*t = (struct lock_types){ 0 };
	libbpf_set_strict_mode(LIBBPF_STRICT_ALL);
	libbpf_set_print(NULL);
	t->kernel = btf__load_vmlinux_btf();
	if (t->kernel)
		t->realtime = is_realtime(t->kernel);
	return t->kernel;
}

static const char *name_at(const struct btf *btf, uint32_t offset)
{
	const char *name = btf__name_by_offset(btf, offset);

	return name ? name : "";
}

static bool is_structure(const struct btf_type *type)
{
	return BTF_INFO_KIND(type->info) == BTF_KIND_STRUCT;
}

static void add_types(struct lock_types *t, const struct btf *btf, uint32_t from)
{
	uint32_t n = btf__type_cnt(btf), id;

	t->type = mem_resize(t->type, t->n + n - from, sizeof(*t->type));
	t->function = mem_resize(t->function, t->n_functions + n - from, sizeof(*t->function));
	t->variable = mem_resize(t->variable, t->n_variables + n - from, sizeof(*t->variable));
	for (id = from; id < n; id++) {
		const struct btf_type *type = btf__type_by_id(btf, id);
		const char *name = type ? name_at(btf, type->name_off) : "";

		if (!*name)
			continue;
		if (is_structure(type))
			t->type[t->n++] = (struct lock_type){ btf, id, type->size, name };
		else if (btf_is_func(type))
			t->function[t->n_functions++] = (struct lock_symbol){ btf, id, name };
		else if (btf_is_var(type))
			t->variable[t->n_variables++] = (struct lock_symbol){ btf, id, name };
	}
}

static int compare_symbols(const void *a, const void *b)
{
	const struct lock_symbol *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int compare_types(const void *a, const void *b)
{
	const struct lock_type *x = a, *y = b;

	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int compare_names(const void *a, const void *b)
{
	const struct lock_type *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->size > y->size) - (x->size < y->size);
}

/* Two modules may each have their own copy of a type. */
static void drop_copies(struct lock_types *t)
{
	size_t kept = 0, i;

	for (i = 0; i < t->n; i++) {
		if (!kept || compare_types(&t->type[kept - 1], &t->type[i]))
			t->type[kept++] = t->type[i];
	}
	t->n = kept;
}

static void close_listed(struct lock_types *t)
{
	if (t->listed)
		closedir(t->listed);
	t->listed = NULL;
}

void lock_types_modules(struct lock_types *t)
{
	const struct dirent *entry;
	struct btf *btf;

	add_types(t, t->kernel, 1);
	/* without memory, lock_types_close() closes what is in @t */
	t->listed = opendir(MODULES);
	while (t->listed && (entry = readdir(t->listed))) {
		if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "vmlinux"))
			continue;
		t->module = mem_resize(t->module, t->n_modules + 1, sizeof(*t->module));
		btf = btf__load_module_btf(entry->d_name, t->kernel);
		if (!btf)
			continue;
		t->module[t->n_modules++] = btf;
		add_types(t, btf, btf__type_cnt(t->kernel));
	}
	close_listed(t);
	if (t->n)
		qsort(t->type, t->n, sizeof(*t->type), compare_types);
	drop_copies(t);
	t->named = mem_resize(NULL, t->n + 1, sizeof(*t->named));
	if (t->n) {
		memcpy(t->named, t->type, t->n * sizeof(*t->named));
		qsort(t->named, t->n, sizeof(*t->named), compare_names);
	}
	if (t->n_functions)
		qsort(t->function, t->n_functions, sizeof(*t->function), compare_symbols);
	if (t->n_variables)
		qsort(t->variable, t->n_variables, sizeof(*t->variable), compare_symbols);
}

void lock_types_close(struct lock_types *t)
{
	close_listed(t);
	for (size_t i = 0; i < t->n_modules; i++)
		btf__free(t->module[i]);
	btf__free(t->kernel);
	*t = (struct lock_types){ 0 };
}

size_t lock_types_sized(const struct lock_types *t, uint32_t size)
{
	return array_first(t->n, i, t->type[i].size < size);
}

size_t lock_types_called(const struct lock_types *t, const char *name)
{
	size_t low = array_first(t->n, i, strcmp(t->named[i].name, name) < 0);

	return low < t->n && !strcmp(t->named[low].name, name) ? low : t->n;
}

/* --- types ------------------------------------------------------------------- */

/* What is behind typedefs and qualifiers; @alias: out: the last typedef's name, or "". */
static const struct btf_type *resolve(const struct btf *btf, uint32_t *id, const char **alias)
{
	*alias = "";
	for (unsigned int i = 0; i < CHAIN_MAX && *id; i++) {
		const struct btf_type *type = btf__type_by_id(btf, *id);

		if (!type)
			return NULL;
		switch (BTF_INFO_KIND(type->info)) {
		case BTF_KIND_TYPEDEF:
			*alias = name_at(btf, type->name_off);
			break;
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			break;
		default:
			return type;
		}
		*id = type->type;
	}
	return NULL;
}

bool lock_types_named(const struct btf *btf, const char *name, struct lock_type *type)
{
	int id = btf__find_by_name_kind(btf, name, BTF_KIND_STRUCT);
	const struct btf_type *found = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;

	if (!found)
		return false;
	*type = (struct lock_type){ btf, (uint32_t)id, found->size,
				    name_at(btf, found->name_off) };
	return true;
}

static bool find_member(const struct btf *btf, const struct btf_type *in, const char *name,
			uint32_t *bits, unsigned int deep)
{
	for (unsigned int i = 0; i < btf_vlen(in); i++) {
		const struct btf_member *m = &btf_members(in)[i];
		uint32_t at = btf_member_bit_offset(in, i), id = m->type, more;
		const struct btf_type *type;
		const char *alias;

		if (!strcmp(name_at(btf, m->name_off), name)) {
			*bits = at;
			return true;
		}
		if (*name_at(btf, m->name_off) || deep == DEEP_MAX)
			continue;
		type = resolve(btf, &id, &alias);
		if (type && btf_is_composite(type) &&
		    find_member(btf, type, name, &more, deep + 1)) {
			*bits = at + more;
			return true;
		}
	}
	return false;
}

bool lock_types_member(const struct lock_type *type, const char *name, uint32_t *bits)
{
	return find_member(type->btf, btf__type_by_id(type->btf, type->id), name, bits, 0);
}

bool lock_types_enum(const struct btf *btf, const char *of, const char *name, int64_t *value)
{
	int id = btf__find_by_name_kind(btf, of, BTF_KIND_ENUM);
	const struct btf_type *type = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;

	for (unsigned int i = 0; type && i < btf_vlen(type); i++) {
		if (strcmp(name_at(btf, btf_enum(type)[i].name_off), name))
			continue;
		*value = btf_enum(type)[i].val;
		return true;
	}
	return false;
}

/* --- locks -------------------------------------------------------------------- */

#define NAMES_MAX	3	/* and a NULL */

/* Types of a family's locks: names of structures, or of typedefs. */
static const char *const lock_names[][NAMES_MAX] = {
	[FT_LOCK_SPIN] = { "spinlock", "raw_spinlock" },
	[FT_LOCK_RWLOCK_READ] = { "rwlock_t" },
	[FT_LOCK_RWLOCK_WRITE] = { "rwlock_t" },
	[FT_LOCK_MUTEX] = { "mutex", "rt_mutex" },
	[FT_LOCK_SEMAPHORE] = { "semaphore" },
	[FT_LOCK_RWSEM_READ] = { "rw_semaphore" },
	[FT_LOCK_RWSEM_WRITE] = { "rw_semaphore" },
	[FT_LOCK_RAW_SPIN] = { "raw_spinlock" },
};

/* Where raw spinlocks have events of their own, they are not among the spinlocks. */
static const char *const realtime_spin[NAMES_MAX] = { "spinlock" };

_Static_assert(ARRAY_SIZE(lock_names) == FT_LOCK_FAMILIES &&
	       FT_LOCK_RAW_SPIN + 1 == FT_LOCK_FAMILIES, "each family has a row");

static bool is_lock(const char *const *names, const char *name, const char *alias)
{
	for (; *names; names++) {
		if (!strcmp(*names, name) || !strcmp(*names, alias))
			return true;
	}
	return false;
}

struct descent {
	const struct btf	*btf;
	const char *const	*names;		/* of the family's types */
	struct lock_path	*path;		/* the one that was found */
	unsigned int		found;
};

/* Adds @more to the path; false: there is no room. */
static bool extend(struct lock_path *path, const char *between, const char *more)
{
	size_t len = strlen(path->text);

	return snprintf(path->text + len, sizeof(path->text) - len, "%s%s", between, more) <
	       (int)(sizeof(path->text) - len);
}

static void enter(struct lock_path *path, const char *type)
{
	if (!*type || path->n == LOCK_PATH_INNER)
		return;
	path->type[path->n] = type;
	path->inner[path->n++] = (uint16_t)strlen(path->text);
}

static void look_at(struct descent *d, uint32_t id, uint64_t offset,
		    const struct lock_path *way, unsigned int deep);

static void look_inside(struct descent *d, const struct btf_type *in, uint64_t offset,
			const struct lock_path *way, unsigned int deep)
{
	for (unsigned int i = 0; i < btf_vlen(in) && d->found < 2; i++) {
		const struct btf_member *m = &btf_members(in)[i];
		uint32_t at = btf_member_bit_offset(in, i) / 8;
		const char *name = name_at(d->btf, m->name_off);
		struct lock_path path;

		if (btf_member_bitfield_size(in, i) || at > offset)
			continue;
		path = *way;
		if (!*name || extend(&path, ".", name))
			look_at(d, m->type, offset - at, &path, deep + 1);
	}
}

/* The element that lies over the offset, whichever it is. */
static void look_at_array(struct descent *d, const struct btf_type *type, uint64_t offset,
			  const struct lock_path *way, unsigned int deep)
{
	const struct btf_array *array = btf_array(type);
	int64_t size = btf__resolve_size(d->btf, array->type);
	struct lock_path path = *way;

	/* a flexible one has no number of elements */
	if (size <= 0 || (array->nelems && offset / (uint64_t)size >= array->nelems) ||
	    !extend(&path, "", "[]"))
		return;
	look_at(d, array->type, offset % (uint64_t)size, &path, deep + 1);
}

static void look_at(struct descent *d, uint32_t id, uint64_t offset,
		    const struct lock_path *way, unsigned int deep)
{
	const char *alias, *name;
	const struct btf_type *type = resolve(d->btf, &id, &alias);
	struct lock_path path = *way;

	if (!type || deep > DEEP_MAX)
		return;
	if (btf_is_array(type)) {
		look_at_array(d, type, offset, way, deep);
		return;
	}
	if (!btf_is_composite(type) || offset >= type->size)
		return;
	name = name_at(d->btf, type->name_off);
	if (!offset && is_lock(d->names, name, alias)) {
		/* the same lock in two members of a union is one */
		if (!d->found++)
			*d->path = path;
		return;
	}
	enter(&path, *name ? name : alias);
	look_inside(d, type, offset, &path, deep);
}

bool lock_types_find(const struct lock_types *t, const struct lock_type *type, uint32_t offset,
		     unsigned int family, struct lock_path *path)
{
	struct descent d = { .btf = type->btf, .path = path };
	struct lock_path way = { .n = 0 };

	if (family >= FT_LOCK_FAMILIES || !extend(&way, "", type->name))
		return false;
	d.names = family == FT_LOCK_SPIN && t->realtime ? realtime_spin : lock_names[family];
	look_at(&d, type->id, offset, &way, 0);
	return d.found == 1;
}

/* --- functions ---------------------------------------------------------------- */

/* The structure that a pointer of type @id points to. */
static bool pointed(const struct btf *btf, uint32_t id, struct lock_type *out)
{
	const struct btf_type *type;
	const char *alias;

	type = resolve(btf, &id, &alias);
	if (!type || !btf_is_ptr(type))
		return false;
	id = type->type;
	type = resolve(btf, &id, &alias);
	if (!type || !is_structure(type) || !*name_at(btf, type->name_off))
		return false;
	*out = (struct lock_type){ btf, id, type->size, name_at(btf, type->name_off) };
	return true;
}

static unsigned int arguments(const struct lock_symbol *f, struct lock_type out[LOCK_ARGUMENTS])
{
	const struct btf *btf = f->btf;
	const struct btf_type *type = btf__type_by_id(btf, f->id);
	unsigned int n;

	type = type ? btf__type_by_id(btf, type->type) : NULL;
	if (!type || BTF_INFO_KIND(type->info) != BTF_KIND_FUNC_PROTO)
		return 0;
	n = pointed(btf, type->type, &out[0]);
	for (unsigned int i = 0; i < btf_vlen(type) && n < LOCK_ARGUMENTS; i++)
		n += pointed(btf, btf_params(type)[i].type, &out[n]);
	return n;
}

static bool points(const struct btf *btf, uint32_t id, const char *name, unsigned int deep)
{
	const char *alias;
	const struct btf_type *type = resolve(btf, &id, &alias);
	struct lock_type to;

	if (!type || !btf_is_composite(type) || deep > DEEP_MAX)
		return false;
	for (unsigned int i = 0; i < btf_vlen(type); i++) {
		if (pointed(btf, btf_members(type)[i].type, &to) ? !strcmp(to.name, name) :
		    points(btf, btf_members(type)[i].type, name, deep + 1))
			return true;
	}
	return false;
}

bool lock_types_points(const struct lock_type *type, const char *name)
{
	return points(type->btf, type->id, name, 0);
}

bool lock_types_variable(const struct lock_types *t, const char *name, struct lock_type *type)
{
	const struct lock_symbol key = { .name = name }, *v = NULL;
	const struct btf_type *var;

	if (t->n_variables)
		v = bsearch(&key, t->variable, t->n_variables, sizeof(key), compare_symbols);
	var = v ? btf__type_by_id(v->btf, v->id) : NULL;
	if (!var)
		return false;
	*type = (struct lock_type){ v->btf, var->type, 0, name };
	return true;
}

unsigned int lock_types_arguments(const struct lock_types *t, const char *name,
				  struct lock_type out[LOCK_ARGUMENTS], const struct btf **of)
{
	char *plain = mem_strdup(name);
	const struct lock_symbol key = { .name = plain }, *f = NULL;

	plain[strcspn(plain, ".")] = '\0';
	if (t->n_functions)
		f = bsearch(&key, t->function, t->n_functions, sizeof(key), compare_symbols);
	mem_free(plain);
	*of = f ? f->btf : NULL;
	return f ? arguments(f, out) : 0;
}
