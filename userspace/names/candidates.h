/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Types that an object may have by its size and by the lock in it, and the evidence for
 * each: arguments of the functions that took such locks. Memory is the caller's.
 */
#ifndef FT_NAMES_CANDIDATES_H
#define FT_NAMES_CANDIDATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "names/lock_types.h"
#include "names/memory.h"

#define CANDIDATES	256u
#define SITES		16u	/* of locks at one offset of a cache */

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

/* Types to which arguments of the functions point that took the lock. */
struct arguments {
	struct lock_type	type[SITES * LOCK_ARGUMENTS];
	unsigned int		n;
	unsigned int		first[SITES + 1];	/* of each function's in @type */
	const char		*function[SITES];
	const struct btf	*module[SITES];	/* of the function; NULL: the kernel */
	unsigned int		n_functions;
};

/** candidates_add - @type, if it has a lock of the @family at @offset */
void candidates_add(struct candidates *all, const struct lock_type *type, uint64_t offset,
		    unsigned int family);

/** candidates_add_sized - all such types of more than @above bytes, and of @most at most */
void candidates_add_sized(struct candidates *all, uint32_t above, uint32_t most, uint64_t offset,
			  unsigned int family);

/** candidates_narrow - keep those that @fits accepts, if there are any */
void candidates_narrow(struct candidates *all, bool (*fits)(const struct candidate *c, void *arg),
		       void *arg);

/** arguments_add - of the function that took a lock at @site, the address after its call */
void arguments_add(struct arguments *a, const struct memory *m, uint64_t site);

/**
 * arguments_all_know - have all functions a pointer to an object of the type @c?
 *
 * Else others in this place of other objects may be of another type.
 */
bool arguments_all_know(const struct candidate *c, const struct arguments *a);

/**
 * candidates_narrow_by_sites - keeps what types say of the functions that took the lock
 *
 * The best evidence comes first. For the one that is left, who knows a part of it, or has a
 * pointer to it in another type, does not speak: an object of another type may have such a
 * part, too.
 * Return: does something speak for what is left?
 */
bool candidates_narrow_by_sites(struct candidates *all, struct arguments *a);

/** candidates_narrow_by_word - by the first word of their names. Return: was there such a type? */
bool candidates_narrow_by_word(struct candidates *all, struct arguments *a);

/** candidates_name - what they have in common. Return: is there something? */
bool candidates_name(const struct candidates *all, char *buf, size_t len);

#endif /* FT_NAMES_CANDIDATES_H */
