/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What stands in front of the allocator's functions: each calls the function that the
 * program would have called, and records what it did.
 *
 *	begin.c		finds these functions; memory for the loader meanwhile
 *	blocks.c	malloc() and the rest of the C library's heap
 *	operators.c	who called malloc() through C++'s operator new
 *	maps.c		mmap() and munmap(), if they are wanted
 */
#ifndef FT_ALLOCATOR_HEAP_H
#define FT_ALLOCATOR_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libfeathertrace/heap_events.h"
#include "libfeathertrace/thread.h"

#define EXPORT		__attribute__((visibility("default")))
#define HIDDEN		__attribute__((visibility("hidden")))
#define COLD		__attribute__((noinline, cold))
#define CALLER		__builtin_return_address(0)
#define FRAME		((const void *const *)__builtin_dwarf_cfa())	/* the caller's */

/** struct heap_real - the functions that the program would call */
struct heap_real {
	void	*(*malloc)(size_t size);
	void	*(*calloc)(size_t n, size_t size);
	void	*(*realloc)(void *p, size_t size);
	void	(*free)(void *p);
	void	*(*memalign)(size_t alignment, size_t size);
	void	*(*aligned_alloc)(size_t alignment, size_t size);
	int	(*posix_memalign)(void **p, size_t alignment, size_t size);
	void	*(*valloc)(size_t size);
	void	*(*pvalloc)(size_t size);
	void	*(*first_realloc)(void *p, size_t size);	/* NULL: it is this library's */
	void	*(*mmap)(void *at, size_t len, int prot, int flags, int fd, off_t offset);
	void	*(*mremap)(void *old, size_t old_len, size_t len, int flags, void *at);
	int	(*munmap)(void *at, size_t len);
};

enum heap_mode {
	HEAP_UNREADY,		/* before the C library was initialised */
	HEAP_PASS,		/* nothing of this process is recorded */
	HEAP_TRACE,
};

extern HIDDEN struct heap_real ft_heap_real;
extern HIDDEN enum heap_mode ft_heap_mode;
extern HIDDEN bool ft_heap_maps;	/* mappings are recorded, too */

/** ft_heap_begin - find the functions; begin to record, if that is wanted, and possible yet */
HIDDEN void ft_heap_begin(void);

/** ft_heap_early - memory while dlsym() looks for the allocator; NULL: no more */
HIDDEN void *ft_heap_early(size_t size);

#define HEAP_EARLY	32768u
extern HIDDEN char ft_heap_early_memory[HEAP_EARLY];

/** ft_heap_is_early - is it a piece of that memory? Each free() asks */
static inline bool ft_heap_is_early(const void *p)
{
	return __builtin_expect((uintptr_t)p - (uintptr_t)ft_heap_early_memory < HEAP_EARLY, 0);
}

/** ft_heap_early_size - of such a piece */
HIDDEN size_t ft_heap_early_size(const void *p);

/** ft_heap_slow - a record of a thread without a ring, or whose ring is full */
HIDDEN void ft_heap_slow(enum ft_heap_event event, uint64_t a, uint64_t b, uint32_t marks);

/** ft_heap_tracing - is this process recorded? ft_heap_real may lack functions if not. */
static inline bool ft_heap_tracing(void)
{
	if (__builtin_expect(ft_heap_mode == HEAP_TRACE, 1))
		return true;
	if (ft_heap_mode == HEAP_UNREADY)
		ft_heap_begin();
	return ft_heap_mode == HEAP_TRACE;
}

/** ft_heap_is_first - is what the program calls by this name a function of this library? */
HIDDEN bool ft_heap_is_first(const char *symbol);

/* --- new of C++: operators.c ---------------------------------------------- */

/** ft_heap_try_operators - find out what they call. Context: the constructor. */
HIDDEN void ft_heap_try_operators(void);

extern HIDDEN bool ft_heap_operators;	/* it is known */

/**
 * ft_heap_behind - who called the operator that called an allocator's function
 * @site, @frame: that function's CALLER and FRAME
 * @event: becomes FT_HEAP_NEW if it is an operator
 *
 * Return: @site if it is none; NULL: not to be recorded.
 */
HIDDEN const void *ft_heap_behind(const void *site, const void *const *frame,
				  enum ft_heap_event *event);

/* --- recording ------------------------------------------------------------ */

static __always_inline void
heap_record(enum ft_heap_event event, const void *p, uint64_t b, uint32_t marks)
{
	ft_thread_here *t = ft_thread_find();
	struct ft_ring *ring = t->ring;

	if (__builtin_expect(*t->guard == ring, 1))
		ft_thread_write(t, ring, FT_ID_HEAP(event), (uintptr_t)p, b, marks);
	else
		ft_heap_slow(event, (uintptr_t)p, b, marks);
}

/** heap_allocated - @p, which is not NULL, was allocated by a call at @site */
static __always_inline void
heap_allocated(enum ft_heap_event event, const void *p, size_t size, const void *site)
{
	heap_record(FT_HEAP_SIZE, p, size, FT_MARK_A);
	heap_record(event, p, (uintptr_t)site, FT_MARK_A | FT_MARK_B);
}

/** heap_allocated_by - the same by a function that an operator new may have called */
static __always_inline void
heap_allocated_by(enum ft_heap_event event, const void *p, size_t size, const void *site,
		  const void *const *frame)
{
	if (ft_heap_operators) {
		site = ft_heap_behind(site, frame, &event);
		if (!site)
			return;
	}
	heap_allocated(event, p, size, site);
}

/** heap_released - @p will be given back */
static __always_inline void
heap_released(enum ft_heap_event event, const void *p, const void *site)
{
	heap_record(event, p, (uintptr_t)site, FT_MARK_A | FT_MARK_B);
}

#endif /* FT_ALLOCATOR_HEAP_H */
