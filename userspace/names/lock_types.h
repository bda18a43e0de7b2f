/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The kernel's types (BTF), and where in them locks are. */
#ifndef FT_NAMES_LOCK_TYPES_H
#define FT_NAMES_LOCK_TYPES_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bpf/btf.h>

#define LOCK_PATH_LEN	160	/* room for "type.member.member" */
#define LOCK_PATH_INNER	8	/* structures inside of each other that are remembered */

/** struct lock_type - a structure; module types are in a BTF of their own */
struct lock_type {
	const struct btf	*btf;
	uint32_t		id;
	uint32_t		size;
	const char		*name;
};

/* A function, or a variable of CPUs, by name. */
struct lock_symbol {
	const struct btf	*btf;
	uint32_t		id;
	const char		*name;
};

struct lock_types {
	struct btf		*kernel;
	bool			realtime;	/* the kernel is PREEMPT_RT */
	struct btf		**module;
	size_t			n_modules;
	DIR			*listed;	/* while modules are looked for */
	struct lock_type	*type;		/* all that have a name, by size */
	size_t			n;
	struct lock_type	*named;		/* the same, by name */
	struct lock_symbol	*function;	/* all, by name */
	size_t			n_functions;
	struct lock_symbol	*variable;
	size_t			n_variables;
};

/**
 * struct lock_path - the way from a structure to a lock
 * @text:	"ext4_inode_info.vfs_inode.i_lock"
 * @inner:	for each structure on the way that has a name: where its members' names
 *		begin in @text
 * @type:	their names; the first one is the outermost
 */
struct lock_path {
	char		text[LOCK_PATH_LEN];
	const char	*type[LOCK_PATH_INNER];
	uint16_t	inner[LOCK_PATH_INNER];
	unsigned int	n;
};

/** lock_types_open - the running kernel's; false: it has none */
bool lock_types_open(struct lock_types *t);

/** lock_types_modules - add those of all modules that have some, and list all by size */
void lock_types_modules(struct lock_types *t);

/** lock_types_close - what libbpf has: all else belongs to the scope of the calls (base/scope.h) */
void lock_types_close(struct lock_types *t);

/** lock_types_sized - the first type of @size or more; @t->n: there is none */
size_t lock_types_sized(const struct lock_types *t, uint32_t size);

/** lock_types_called - the first structure of this name in @t->named; @t->n: there is none */
size_t lock_types_called(const struct lock_types *t, const char *name);

/** lock_types_named - a structure of the kernel; false: there is none */
bool lock_types_named(const struct btf *btf, const char *name, struct lock_type *type);

/**
 * lock_types_member - where a member is, in structures without a name, too
 * @bits:	out: its offset in bits
 *
 * Return: false if there is none.
 */
bool lock_types_member(const struct lock_type *type, const char *name, uint32_t *bits);

/** lock_types_enum - the value of a constant; false: there is none */
bool lock_types_enum(const struct btf *btf, const char *of, const char *name, int64_t *value);

/**
 * lock_types_find - the lock of a family that is @offset bytes in the structure @type
 * @family:	enum ft_lock_family
 *
 * Return: false if there is none, or several in a union.
 */
bool lock_types_find(const struct lock_types *t, const struct lock_type *type, uint32_t offset,
		     unsigned int family, struct lock_path *path);

/** lock_types_variable - the type of a variable of CPUs; false: it is not known */
bool lock_types_variable(const struct lock_types *t, const char *name, struct lock_type *type);

/** LOCK_ARGUMENTS - arguments of a function that are looked at, and its result */
#define LOCK_ARGUMENTS	7

/**
 * lock_types_arguments - the structures to which arguments of a function, or its result, point
 * @name:	as the compiler wrote it: what follows a dot does not count
 * @of:		out: in whose BTF the function is; NULL: in none
 *
 * Return: how many.
 */
unsigned int lock_types_arguments(const struct lock_types *t, const char *name,
				  struct lock_type out[LOCK_ARGUMENTS], const struct btf **of);

/** lock_types_points - has a member of @type a pointer to the structure @name? */
bool lock_types_points(const struct lock_type *type, const char *name);

#endif /* FT_NAMES_LOCK_TYPES_H */
