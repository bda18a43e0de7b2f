/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * TRACE/info/locks: what the kernel's locks are, as ft record found out. Its first line is
 * LOCK_FILE_HEAD; each other line is a lock, in columns that tabs divide:
 *
 *	address		0x...
 *	kind		where it lies: one of LOCK_FILE_KINDS
 *	types		how many types it may be of: 1: the class is certain; 0: not known
 *	cpu		of a variable that each CPU has; else -
 *	class		"dentry.d_lockref.lock"; the same for all locks of the class
 */
#ifndef FT_TRACE_LOCK_FILE_H
#define FT_TRACE_LOCK_FILE_H

#define LOCK_FILE_HEAD	"lock names 1"

/* In the order of enum memory_kind (names/memory.h). */
#define LOCK_FILE_KINDS	{									\
	"static", "module", "percpu", "percpu_alloc", "slab", "kmalloc", "page", "node",	\
	"pages", "stack", "vmalloc", "unknown",							\
}

#endif /* FT_TRACE_LOCK_FILE_H */
