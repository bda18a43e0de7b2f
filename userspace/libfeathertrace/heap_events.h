/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Records of the heap, whose ids are FT_ID_USER_HEAP and up.
 *
 * An allocation is two records of one thread: heap_size, then what was called, both with
 * the block's address. It is recorded when it has happened, and a release before it happens,
 * as those of locks are: two blocks never have one address at one time.
 *
 * realloc() is the release of the old block and the allocation of the new one. Where it
 * fails, the old block stays: heap_realloc_undo takes its release back.
 *
 * What operator delete of C++ releases is a heap_free.
 *
 * heap_exit is of a process that calls exit(): only destructors follow. Its address is 0, but
 * for the tag.
 */
#ifndef FT_LIBFEATHERTRACE_HEAP_EVENTS_H
#define FT_LIBFEATHERTRACE_HEAP_EVENTS_H

#include <linux/feather_trace.h>

/* EVENT(constant, name, second word); the first word is the address, with its process's tag. */
#define FT_HEAP_EVENTS(EVENT)						\
	EVENT(FT_HEAP_SIZE, "heap_size", "size")			\
	EVENT(FT_HEAP_MALLOC, "heap_malloc", "caller")			\
	EVENT(FT_HEAP_CALLOC, "heap_calloc", "caller")			\
	EVENT(FT_HEAP_REALLOC, "heap_realloc", "caller")		\
	EVENT(FT_HEAP_ALIGNED, "heap_aligned", "caller")		\
	EVENT(FT_HEAP_NEW, "heap_new", "caller")			\
	EVENT(FT_HEAP_MAP, "heap_map", "caller")			\
	EVENT(FT_HEAP_FREE, "heap_free", "caller")			\
	EVENT(FT_HEAP_REALLOC_FREE, "heap_realloc_free", "caller")	\
	EVENT(FT_HEAP_REALLOC_UNDO, "heap_realloc_undo", "caller")	\
	EVENT(FT_HEAP_UNMAP, "heap_unmap", "caller")			\
	EVENT(FT_HEAP_EXIT, "heap_exit", "unused")

#define FT_HEAP_CONSTANT_(constant, name, second)	constant,
enum ft_heap_event {
	FT_HEAP_EVENTS(FT_HEAP_CONSTANT_)
	FT_HEAP_EVENTS_N
};

/* Events that begin a block: from the first one up to this. */
#define FT_HEAP_BEGINS_FIRST	FT_HEAP_MALLOC
#define FT_HEAP_BEGINS_LAST	FT_HEAP_MAP

#define FT_ID_HEAP(event)	(FT_ID_USER_HEAP + (event))

#endif /* FT_LIBFEATHERTRACE_HEAP_EVENTS_H */
