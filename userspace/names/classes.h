/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The class of a lock: "dentry.d_lockref.lock", from where it lies, from its family and
 * from the functions that took it. What cannot be told apart stays so: several types
 * of a cache's size that have such a lock at that offset are "PING+0x98", and counted.
 */
#ifndef FT_NAMES_CLASSES_H
#define FT_NAMES_CLASSES_H

#include "names/memory.h"

#define CLASS_LEN	192

/**
 * struct lock_use - a lock, where it lay when it was asked, and who took it first
 * @owner:	the task whose it was; since it was asked @again: and is still
 * @reused:	then: its memory is another object's by now
 */
struct lock_use {
	uint64_t		addr, site;
	struct memory_place	place;
	struct memory_owner	owner;
	uint8_t			family;		/* enum ft_lock_family */
	bool			asked, again, reused;
};

/**
 * struct lock_class - what is known of a lock
 * @kind:	that of its place, or what it turned out to be
 * @types:	how many types it may be of: 1: it is known, by its variable or its type
 */
struct lock_class {
	char		text[CLASS_LEN];
	unsigned int	types;
	enum memory_kind kind;
};

/** lock_use_ask_again - what became of it, at the end of a recording */
void lock_use_ask_again(struct lock_use *use, struct memory *m);

struct classes;

/** classes_new - gather from all @uses what is known of each cache; keeps pointers to all */
struct classes *classes_new(const struct memory *m, const struct lock_use *uses, size_t n);
void classes_free(struct classes *c);

void classes_find(struct classes *c, const struct lock_use *use, struct lock_class *out);

#endif /* FT_NAMES_CLASSES_H */
