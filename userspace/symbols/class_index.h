/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The class of any lock of a trace: that in TRACE/info/locks (lock_classes.h); for a lock
 * that is not there, its variable; else "(unknown)", or "(not asked)" if there is such a
 * file. Each class is one entry, however many locks it has.
 */
#ifndef FT_SYMBOLS_CLASS_INDEX_H
#define FT_SYMBOLS_CLASS_INDEX_H

#include <stddef.h>
#include <stdint.h>

struct class_index;
struct symbols;

/**
 * struct class_entry - a class
 * @name:	"dentry.d_lockref.lock", "pipe_inode_info.mutex (probably; 3 types fit)"; safe to
 *		print
 * @same:	without the number, "pipe_inode_info.mutex (probably)": the same in other traces
 * @kind:	as in struct lock_class_known; NULL: the file does not say it
 * @types:	how many types it may be of; 1: it is certain; 0: not known
 * @number:	0, 1, ... in the order in which they were first asked for
 */
struct class_entry {
	char		*name, *same;
	const char	*kind;
	unsigned int	types;
	uint32_t	number;
};

/** class_index_new - @symbols, which may be NULL, must stay as long */
struct class_index *class_index_new(const struct symbols *symbols);
void class_index_free(struct class_index *c);

/** class_index_of - the class of the lock at this address; stays as long as @c */
const struct class_entry *class_index_of(struct class_index *c, uint64_t lock);

/** class_index_known - as class_index_of(); NULL: neither the file nor a symbol says its class */
static inline const struct class_entry *class_index_known(struct class_index *c, uint64_t lock)
{
	const struct class_entry *entry = class_index_of(c, lock);

	return entry->kind || entry->types ? entry : NULL;
}

/** class_index_at - by @number; NULL behind the last */
const struct class_entry *class_index_at(const struct class_index *c, size_t number);

#endif /* FT_SYMBOLS_CLASS_INDEX_H */
