// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Memory: from malloc(), large pieces from huge.h. In a scope each piece has a block in
 * front of it, which links it.
 */
#include <err.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/exit_status.h"
#include "base/huge.h"
#include "base/mem.h"
#include "base/scope.h"

#define LINE	64

_Static_assert(sizeof(struct scope_block) == LINE, "what follows it is aligned, too");

void mem_none(void)
{
	if (scope_now)
		_longjmp(scope_now->no_memory, 1);
	errx(FT_EXIT_ERROR, "out of memory");
}

/* Pieces of a scope. */

static struct scope_block *block_of(void *p)
{
	return (struct scope_block *)p - 1;
}

static void block_unlink(struct scope_block *block)
{
	*(block->prev ? &block->prev->next : &scope_now->blocks) = block->next;
	if (block->next)
		block->next->prev = block->prev;
}

static void *block_link(struct scope_block *block)
{
	block->prev = NULL;
	block->next = scope_now->blocks;
	if (block->next)
		block->next->prev = block;
	scope_now->blocks = block;
	return block + 1;
}

/* Bytes for @n objects of @size and a block in front, in whole lines; 0: too many */
static size_t block_bytes(size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes) ||
	    __builtin_add_overflow(bytes, 2 * LINE - 1, &bytes))
		return 0;
	return bytes / LINE * LINE;
}

static void *block_zalloc(size_t n, size_t size)
{
	size_t bytes = block_bytes(n, size);
	void *block = mem_check(bytes ? aligned_alloc(LINE, bytes) : NULL);

	return block_link(memset(block, 0, bytes));
}

/* Only what mem_zalloc_lines() gave needs more than malloc()'s alignment. */
static void *block_resize(void *p, size_t n, size_t size)
{
	size_t bytes = block_bytes(n, size);
	struct scope_block *block = p ? block_of(p) : NULL;

	if (!bytes)
		return NULL;
	if (block)
		block_unlink(block);
	p = realloc(block, bytes);
	if (!p && block)
		block_link(block);
	return p ? block_link(p) : NULL;
}

/* All pieces. */

void *mem_zalloc(size_t n, size_t size)
{
	return scope_now ? block_zalloc(n, size) : mem_check(calloc(n ? n : 1, size));
}

void *mem_zalloc_lines(size_t n, size_t size)
{
	size_t bytes = (n && size ? n * size + LINE - 1 : LINE) / LINE * LINE;

	if (scope_now)
		return block_zalloc(n, size);
	return memset(mem_check(aligned_alloc(LINE, bytes)), 0, bytes);
}

void *mem_try_resize(void *p, size_t n, size_t size)
{
	return scope_now ? block_resize(p, n, size) :
			   reallocarray(p, n ? n : 1, size);
}

void *mem_resize(void *p, size_t n, size_t size)
{
	return mem_check(mem_try_resize(p, n, size));
}

char *mem_strdup(const char *s)
{
	size_t len = strlen(s) + 1;

	return memcpy(mem_resize(NULL, len, 1), s, len);
}

char *mem_vformat(const char *fmt, va_list ap)
{
	va_list again;
	char *text;
	int len;

	va_copy(again, ap);
	len = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (len < 0)
		mem_none();
	text = mem_resize(NULL, (size_t)len + 1, 1);
	vsnprintf(text, (size_t)len + 1, fmt, ap);
	return text;
}

char *mem_format(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = mem_vformat(fmt, ap);
	va_end(ap);
	return text;
}

void mem_free(void *p)
{
	if (scope_now && p) {
		p = block_of(p);
		block_unlink(p);
	}
	free(p);
}

/* Large ones: those of a scope are linked as all others. */

static bool is_huge(size_t n, size_t size)
{
	return !scope_now && n * size >= HUGE_LEAST;
}

void *mem_zalloc_huge(size_t n, size_t size)
{
	return is_huge(n, size) ? mem_check(huge_zalloc(n * size)) :
				  mem_zalloc_lines(n, size);
}

void mem_free_huge(void *p, size_t n, size_t size)
{
	if (!is_huge(n, size))
		mem_free(p);
	else if (p)
		huge_free(p, n * size);
}
