/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * TRACE/info/locks: what locks are, as ft record and ft run found out. Its first line is
 * LOCK_FILE_HEAD; each other line is a lock, in tab-separated columns:
 *
 *	address		0x...; of a program's lock with the tag of its process, as in records
 *	kind		where it lies: one of LOCK_FILE_KINDS
 *	types		how many types it may be of: 1: the class is certain; 0: not known
 *	cpu		of a variable that each CPU has; else -
 *	class		"dentry.d_lockref.lock"; the same for all locks of the class
 *	owner		"mysqld 1234", a task, from the lock's first acquisition to the end of the
 *			recording; the column is missing where that is not known
 */
#ifndef FT_TRACE_LOCK_FILE_H
#define FT_TRACE_LOCK_FILE_H

#define LOCK_FILE_HEAD	"lock names 1"

#define LOCK_FILE_OWNER	96	/* characters, with a 0 at the end */

/* In the order of enum memory_kind (names/memory.h). */
#define LOCK_FILE_KERNEL_KINDS									\
	"static", "module", "percpu", "percpu_alloc", "slab", "kmalloc", "page", "node",	\
	"pages", "stack", "vmalloc", "unknown"

/* "stack" is one of programs', too. */
#define LOCK_FILE_KINDS	{ LOCK_FILE_KERNEL_KINDS, "data", "thread", "heap" }

#endif /* FT_TRACE_LOCK_FILE_H */
