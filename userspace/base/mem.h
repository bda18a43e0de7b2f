/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Memory for the analysis: it has nothing sensible to do without, so it says so
 * and ends. A caller needs no error path.
 */
#ifndef FT_BASE_MEM_H
#define FT_BASE_MEM_H

#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"

static inline void *mem_check(void *p)
{
	if (__builtin_expect(!p, 0))
		errx(FT_EXIT_ERROR, "out of memory");
	return p;
}

/** mem_prefetch - the line at @p will be needed soon */
static inline void mem_prefetch(const void *p)
{
	__builtin_prefetch(p, 1);
	/* else gcc takes what only prefetches for nothing, and leaves it out */
	asm volatile("");
}

/** mem_zalloc - @n zeroed objects of @size bytes */
static inline void *mem_zalloc(size_t n, size_t size)
{
	return mem_check(calloc(n ? n : 1, size));
}

/** mem_zalloc_lines - the same, from the beginning of a cache line on; free() takes it */
void *mem_zalloc_lines(size_t n, size_t size);

/**
 * mem_zalloc_huge - the same, in huge pages where that is worth it
 *
 * For what is large and visited at random: the processor finds the page of an
 * address at once, where it would miss in its table for most small ones.
 */
void *mem_zalloc_huge(size_t n, size_t size);

/** mem_free_huge - what mem_zalloc_huge() gave for the same numbers; or NULL */
void mem_free_huge(void *p, size_t n, size_t size);

/** mem_resize - room for @n objects of @size bytes; new ones are not zeroed */
static inline void *mem_resize(void *p, size_t n, size_t size)
{
	return mem_check(reallocarray(p, n ? n : 1, size));
}

static inline char *mem_strdup(const char *s)
{
	return mem_check(strdup(s));
}

#endif /* FT_BASE_MEM_H */
