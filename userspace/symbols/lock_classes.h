/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the locks of a trace are, from TRACE/info/locks (trace/lock_file.h). A class
 * is "dentry.d_lockref.lock": all locks that are this member of their object, or a variable,
 * or that variable of all CPUs. Of a program it may also be "heap, first taken in push
 * (queue.c:57)": all that code has first taken there.
 */
#ifndef FT_SYMBOLS_LOCK_CLASSES_H
#define FT_SYMBOLS_LOCK_CLASSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for the name of a class with how many types it may be of. */
#define LOCK_CLASSES_LEN	224

/**
 * struct lock_class_known - a class
 * @name:	safe to print; @in_file: as it stands there; @shown: private
 * @kind:	where such locks lie: "slab", "static", ...
 * @types:	how many types they may be of; 1: the class is certain
 * @variable:	it is the name of a variable, which tells its locks apart
 */
struct lock_class_known {
	const char	*name, *in_file, *kind;
	char		*shown;
	unsigned int	types;
	bool		variable;
};

struct lock_classes;

/**
 * lock_classes_open - those of the trace @dir
 * @mangled:	names of C++ and Rust as they stand in the file
 *
 * Return: NULL: the trace has no such file, or it is not understood: a message
 */
struct lock_classes *lock_classes_open(const char *dir, bool mangled);
void lock_classes_free(struct lock_classes *c);

/** lock_classes_of - the class of the lock at @addr, or NULL; @c may be NULL */
const struct lock_class_known *lock_classes_of(const struct lock_classes *c, uint64_t addr);

/**
 * lock_classes_text - the class in words: "PING+0x98 (3 types)", or, where one of the types is
 * more likely than others, "pipe_inode_info.mutex (probably; 3 types fit)"; where memory was
 * used again, "heap, initialised in open_file (file.c:9) (probably; 2 sites)"
 *
 * Return: @buf
 */
const char *lock_classes_text(const struct lock_class_known *class, char *buf, size_t len);

/**
 * lock_classes_name - the lock at @addr in words: "runqueues.__lock, CPU 3",
 * "mm_struct.mmap_lock 0xffff888003f12340 of mysqld 1234"
 *
 * Return: false, and nothing in @buf, if the file does not have it.
 */
bool lock_classes_name(const struct lock_classes *c, uint64_t addr, char *buf, size_t len);

/**
 * lock_classes_lookup - all locks of the class @name, in order; or those that are shown so
 *
 * Return: how many; free *@addrs
 */
size_t lock_classes_lookup(const struct lock_classes *c, const char *name, uint64_t **addrs);

#endif /* FT_SYMBOLS_LOCK_CLASSES_H */
