// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Finds a lock in a type: see debug_types.h. */
#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "names/debug_types.h"

/* Types nest no deeper than this; damaged ones may contain themselves. */
#define DEPTH_MAX	32

struct path {
	char	*buf;
	size_t	len, used;
};

/* Where the path ends: what the program's source calls a lock. */
static const char *const lock_types[] = {
	"pthread_mutex_t", "pthread_rwlock_t", "pthread_spinlock_t", "pthread_cond_t",
	"sem_t", "mtx_t", "cnd_t",
	/* of C++'s library */
	"mutex", "recursive_mutex", "timed_mutex", "recursive_timed_mutex", "shared_mutex",
	"shared_timed_mutex", "condition_variable", "condition_variable_any",
};

static bool is_lock(Dwarf_Die *type)
{
	const char *name = dwarf_diename(type);

	for (size_t i = 0; name && i < ARRAY_SIZE(lock_types); i++) {
		if (!strcmp(name, lock_types[i]))
			return true;
	}
	return false;
}

static bool extend(struct path *path, const char *dot, const char *name)
{
	size_t more = strlen(dot) + strlen(name);

	if (path->used + more >= path->len)
		return false;
	sprintf(path->buf + path->used, "%s%s", dot, name);
	path->used += more;
	return true;
}

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, type);
}

static bool number_of(Dwarf_Die *die, unsigned int name, uint64_t *value)
{
	Dwarf_Attribute attr;
	Dwarf_Word word;

	if (!dwarf_attr_integrate(die, name, &attr) || dwarf_formudata(&attr, &word))
		return false;
	*value = word;
	return true;
}

static bool find(Dwarf_Die *type, uint64_t offset, struct path *path, unsigned int depth);

static bool find_in_member(Dwarf_Die *member, uint64_t offset, struct path *path,
			   unsigned int depth)
{
	bool base = dwarf_tag(member) == DW_TAG_inheritance;
	const char *name = base ? NULL : dwarf_diename(member);
	size_t before = path->used;
	uint64_t at = 0;
	Dwarf_Die type;
	Dwarf_Word size;

	if (!base && dwarf_tag(member) != DW_TAG_member)
		return false;
	/* none: the first of its type, as all of a union's are; or static, with its own name */
	if (!number_of(member, DW_AT_data_member_location, &at) &&
	    dwarf_hasattr(member, DW_AT_external))
		return false;
	if (offset < at || !type_of(member, &type) || dwarf_aggregate_size(&type, &size) ||
	    offset - at >= size)
		return false;
	if ((!name || extend(path, ".", name)) && find(&type, offset - at, path, depth + 1))
		return true;
	path->used = before;
	path->buf[before] = '\0';
	return false;
}

static bool find_in_members(Dwarf_Die *type, uint64_t offset, struct path *path,
			    unsigned int depth)
{
	Dwarf_Die member;

	if (dwarf_child(type, &member))
		return false;
	do {
		if (find_in_member(&member, offset, path, depth))
			return true;
	} while (!dwarf_siblingof(&member, &member));
	return false;
}

/* A pair of brackets for each dimension. */
static bool put_brackets(Dwarf_Die *type, struct path *path)
{
	Dwarf_Die range;

	if (dwarf_child(type, &range))
		return extend(path, "", "[]");
	do {
		if (!extend(path, "", "[]"))
			return false;
	} while (!dwarf_siblingof(&range, &range));
	return true;
}

/* All elements of an array are of one class. */
static bool find_in_array(Dwarf_Die *type, uint64_t offset, struct path *path,
			  unsigned int depth)
{
	Dwarf_Die element;
	Dwarf_Word size;

	if (!type_of(type, &element) || dwarf_aggregate_size(&element, &size) || !size)
		return false;
	return put_brackets(type, path) && find(&element, offset % size, path, depth + 1);
}

static bool find(Dwarf_Die *type, uint64_t offset, struct path *path, unsigned int depth)
{
	Dwarf_Die next;

	if (depth > DEPTH_MAX)
		return false;
	if (!offset && is_lock(type))
		return true;
	switch (dwarf_tag(type)) {
	case DW_TAG_typedef:
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_atomic_type:
		return type_of(type, &next) && find(&next, offset, path, depth + 1);
	case DW_TAG_array_type:
		return find_in_array(type, offset, path, depth);
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		return find_in_members(type, offset, path, depth);
	default:
		return false;
	}
}

bool debug_types_lock(Dwarf_Die *type, uint64_t offset, char *buf, size_t len)
{
	struct path path = { buf, len, 0 };
	Dwarf_Word size;

	*buf = '\0';
	if (!dwarf_aggregate_size(type, &size) && offset < size && find(type, offset, &path, 0))
		return true;
	*buf = '\0';
	return false;
}
