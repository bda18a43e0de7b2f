// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* malloc() and its like. Each records after the real function, free() before it. */
#include <errno.h>
#include <string.h>

#include "allocator/heap.h"

/* These are defined here, so the headers' attributes need not hold. */
EXPORT void *malloc(size_t size);
EXPORT void *calloc(size_t n, size_t size);
EXPORT void *realloc(void *p, size_t size);
EXPORT void *reallocarray(void *p, size_t n, size_t size);
EXPORT void free(void *p);
EXPORT void *memalign(size_t alignment, size_t size);
EXPORT void *aligned_alloc(size_t alignment, size_t size);
EXPORT int posix_memalign(void **p, size_t alignment, size_t size);
EXPORT void *valloc(size_t size);
EXPORT void *pvalloc(size_t size);

/* Return: true: the real function can be called. Else dlsym() is looking for it just now. */
#define IS_FOUND(name)	(__builtin_expect(!!ft_heap_real.name, 1))

/* --- plain ---------------------------------------------------------------- */

void *malloc(size_t size)
{
	bool traced = ft_heap_tracing();
	void *p;

	if (!IS_FOUND(malloc))
		return ft_heap_early(size);
	p = ft_heap_real.malloc(size);
	if (traced && p)
		heap_allocated_by(FT_HEAP_MALLOC, p, size, CALLER, FRAME);
	return p;
}

static COLD void *calloc_early(size_t n, size_t size)
{
	size_t bytes;

	/* that memory is zero, and never used twice */
	return __builtin_mul_overflow(n, size, &bytes) ? NULL : ft_heap_early(bytes);
}

void *calloc(size_t n, size_t size)
{
	bool traced = ft_heap_tracing();
	void *p;

	if (!IS_FOUND(calloc))
		return calloc_early(n, size);
	p = ft_heap_real.calloc(n, size);
	if (traced && p)
		heap_allocated(FT_HEAP_CALLOC, p, n * size, CALLER);
	return p;
}

void free(void *p)
{
	bool traced = ft_heap_tracing();

	if (ft_heap_is_early(p) || !IS_FOUND(free))
		return;
	if (traced && p)
		heap_released(FT_HEAP_FREE, p, CALLER);
	ft_heap_real.free(p);
}

/* --- another size --------------------------------------------------------- */

static COLD void *realloc_early(void *p, size_t size)
{
	size_t old = p ? ft_heap_early_size(p) : 0;
	void *new = IS_FOUND(malloc) ? ft_heap_real.malloc(size) : ft_heap_early(size);

	if (new && p)
		memcpy(new, p, old < size ? old : size);
	return new;
}

static inline void *resize(void *p, size_t size, const void *site)
{
	bool traced = ft_heap_tracing();
	void *new;

	if (!IS_FOUND(realloc) || ft_heap_is_early(p))
		return realloc_early(p, size);
	if (!traced)
		return ft_heap_real.realloc(p, size);
	if (p)
		heap_released(FT_HEAP_REALLOC_FREE, p, site);
	new = ft_heap_real.realloc(p, size);
	if (new)
		heap_allocated(FT_HEAP_REALLOC, new, size, site);
	else if (p && size)
		heap_released(FT_HEAP_REALLOC_UNDO, p, site);
	return new;
}

void *realloc(void *p, size_t size)
{
	return resize(p, size, CALLER);
}

/*
 * The C library's calls realloc(), which would be recorded as a call of the C library. A
 * program with a realloc() of its own in front of this one may have no reallocarray(), and
 * gets here.
 */
void *reallocarray(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	ft_heap_tracing();	/* finds what is first, if nothing has been called yet */
	if (ft_heap_real.first_realloc)
		return ft_heap_real.first_realloc(p, bytes);
	return resize(p, bytes, CALLER);
}

/* --- aligned -------------------------------------------------------------- */

/* None of these is called by dlsym(). A function that is missing has no memory. */
#define ALIGNED(name, size, ...)					\
({									\
	bool traced_ = ft_heap_tracing();				\
	void *p_ = IS_FOUND(name) ? ft_heap_real.name(__VA_ARGS__) : NULL; \
									\
	if (traced_ && p_)						\
		heap_allocated_by(FT_HEAP_ALIGNED, p_, size, CALLER, FRAME); \
	p_;								\
})

void *memalign(size_t alignment, size_t size)
{
	return ALIGNED(memalign, size, alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return ALIGNED(aligned_alloc, size, alignment, size);
}

void *valloc(size_t size)
{
	return ALIGNED(valloc, size, size);
}

void *pvalloc(size_t size)
{
	return ALIGNED(pvalloc, size, size);
}

int posix_memalign(void **p, size_t alignment, size_t size)
{
	bool traced = ft_heap_tracing();
	int error;

	if (!IS_FOUND(posix_memalign))
		return ENOMEM;
	error = ft_heap_real.posix_memalign(p, alignment, size);
	if (traced && !error && *p)
		heap_allocated_by(FT_HEAP_ALIGNED, *p, size, CALLER, FRAME);
	return error;
}
