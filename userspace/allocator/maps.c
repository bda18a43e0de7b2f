// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Mappings that a program asks for. Those that the allocator and the loader make for
 * themselves do not come here.
 */
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "allocator/heap.h"

#define PAGE	4096u

/* Declared as the machine sees them: the headers rename some of them. */
EXPORT void *ft_mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset)
	__asm__("mmap");
EXPORT void *ft_mmap64(void *at, size_t len, int prot, int flags, int fd, off_t offset)
	__asm__("mmap64");

static inline bool wants_maps(void)
{
	return ft_heap_tracing() && ft_heap_maps;
}

static inline void *map(void *at, size_t len, int prot, int flags, int fd, off_t offset,
			const void *site)
{
	bool traced = wants_maps();
	void *p = ft_heap_real.mmap ? ft_heap_real.mmap(at, len, prot, flags, fd, offset) :
		  (void *)syscall(SYS_mmap, at, len, prot, flags, fd, offset);

	if (traced && p != MAP_FAILED)
		heap_allocated(FT_HEAP_MAP, p, len, site);
	return p;
}

void *ft_mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset)
{
	return map(at, len, prot, flags, fd, offset, CALLER);
}

void *ft_mmap64(void *at, size_t len, int prot, int flags, int fd, off_t offset)
{
	return map(at, len, prot, flags, fd, offset, CALLER);
}

/* Recorded first, as free() is: the addresses may be another thread's at once. */
static inline void unmapped(const void *at, size_t len, const void *site)
{
	heap_record(FT_HEAP_SIZE, at, len, FT_MARK_A);
	heap_record(FT_HEAP_UNMAP, at, (uintptr_t)site, FT_MARK_A | FT_MARK_B);
}

EXPORT int munmap(void *at, size_t len)
{
	/* else it fails */
	if (len && !((uintptr_t)at & (PAGE - 1)) && wants_maps())
		unmapped(at, len, CALLER);
	return ft_heap_real.munmap ? ft_heap_real.munmap(at, len) :
	       (int)syscall(SYS_munmap, at, len);
}

EXPORT void *mremap(void *old, size_t old_len, size_t len, int flags, ...)
{
	bool traced = wants_maps();
	void *p, *at;
	va_list ap;

	va_start(ap, flags);
	at = flags & MREMAP_FIXED ? va_arg(ap, void *) : NULL;
	va_end(ap);
	p = ft_heap_real.mremap ? ft_heap_real.mremap(old, old_len, len, flags, at) :
	    (void *)syscall(SYS_mremap, old, old_len, len, flags, at);
	if (!traced || p == MAP_FAILED)
		return p;
	unmapped(old, old_len, CALLER);
	heap_allocated(FT_HEAP_MAP, p, len, CALLER);
	return p;
}
