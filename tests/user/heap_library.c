// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * An allocator that a program is linked with, as jemalloc is: its own functions, and its own
 * operators of C++, which do not call malloc().
 */
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#define UNIT	64u

static _Alignas(64) char memory[32 << 20];
static atomic_size_t used;

static void *get(size_t size)
{
	size_t need = (size + 2 * UNIT - 1) & ~(size_t)(UNIT - 1);
	char *p;

	if (size > sizeof(memory) / 2 || used > sizeof(memory) / 2)
		return NULL;
	p = memory + atomic_fetch_add(&used, need);
	memcpy(p, &size, sizeof(size));
	return p + UNIT;
}

void *malloc(size_t size)
{
	return get(size);
}

void free(void *p)
{
	(void)p;
}

void *calloc(size_t n, size_t size)
{
	return get(n * size);	/* never used twice */
}

void *realloc(void *p, size_t size)
{
	char *new = get(size);
	size_t old = 0;

	if (p)
		memcpy(&old, (char *)p - UNIT, sizeof(old));
	for (size_t i = 0; new && i < old && i < size; i++)
		new[i] = ((char *)p)[i];
	return new;
}

int posix_memalign(void **p, size_t alignment, size_t size)
{
	if (alignment > UNIT)
		return 12;
	*p = get(size);
	return *p ? 0 : 12;
}

void *aligned_alloc(size_t alignment, size_t size)
{
	(void)alignment;
	return get(size);
}

void *_Znwm(size_t size);
void *_Znwm(size_t size)
{
	return get(size);
}

void _ZdlPv(void *p);
void _ZdlPv(void *p)
{
	(void)p;
}

void _ZdlPvm(void *p, size_t size);
void _ZdlPvm(void *p, size_t size)
{
	(void)p;
	(void)size;
}
