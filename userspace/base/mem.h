/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Memory for the analysis. Without memory the program ends with a message, so callers
 * need no error path. In a call of the library only that call ends, and its memory
 * belongs to the call's scope: see scope.h. Code that may run in a scope frees with
 * mem_free(); other code may call free().
 */
#ifndef FT_BASE_MEM_H
#define FT_BASE_MEM_H

#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/** mem_none - out of memory: end the scope's call, or the program */
__attribute__((noreturn))
void mem_none(void);

static inline void *mem_check(void *p)
{
	if (__builtin_expect(!p, 0))
		mem_none();
	return p;
}

/** mem_prefetch - load the cache line at @p */
static inline void mem_prefetch(const void *p)
{
	__builtin_prefetch(p, 1);
	/* else gcc removes a loop that only prefetches */
	asm volatile("");
}

/** mem_zalloc - @n zeroed objects of @size bytes */
void *mem_zalloc(size_t n, size_t size);

/** mem_zalloc_lines - the same, from the beginning of a cache line on */
void *mem_zalloc_lines(size_t n, size_t size);

/** mem_zalloc_huge - the same, in huge pages where that is worth it: see huge.h */
void *mem_zalloc_huge(size_t n, size_t size);

/** mem_free_huge - what mem_zalloc_huge() gave for the same numbers; or NULL */
void mem_free_huge(void *p, size_t n, size_t size);

/** mem_resize - room for @n objects of @size bytes; new ones are not zeroed */
void *mem_resize(void *p, size_t n, size_t size);

/** mem_try_resize - the same; NULL, and @p stays, where there is no memory */
void *mem_try_resize(void *p, size_t n, size_t size);

/** mem_strdup - a copy */
char *mem_strdup(const char *s);

/** mem_format, mem_vformat - as asprintf(), vasprintf() */
__attribute__((format(printf, 1, 2)))
char *mem_format(const char *fmt, ...);
__attribute__((format(printf, 1, 0)))
char *mem_vformat(const char *fmt, va_list ap);

/** mem_free - what any of these gave, but mem_zalloc_huge(); or NULL */
void mem_free(void *p);

#endif /* FT_BASE_MEM_H */
