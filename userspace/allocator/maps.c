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

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP	4
#endif

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

/* The time of what will be recorded later; 0: this thread cannot read the clock by itself. */
static inline uint64_t time_before(void)
{
	ft_thread_here *t = ft_thread_find();

	return *t->guard == t->ring ? ft_thread_clock() : 0;
}

static void record_at(uint64_t ticks, enum ft_heap_event event, const void *p, uint64_t b,
		      uint32_t marks)
{
	ft_thread_here *t = ft_thread_find();
	struct ft_ring *ring = t->ring;
	uint32_t word = FT_RING_ID(FT_ID_HEAP(event));
	struct ft_record *slot = NULL;

	if (ticks && *t->guard == ring)
		slot = ft_ring_reserve_or(ring, &word);
	if (!slot) {
		ft_heap_slow(event, (uintptr_t)p, b, marks);
		return;
	}
	slot->ts = ft_ring_is_in_time(ring, slot, ticks) ? ticks : ft_thread_clock();
	ft_thread_fill(slot, t, (uintptr_t)p, b, marks);
	ft_ring_commit(slot, word);
}

/* It may fail, and is recorded when it has not; but the old addresses are free before that. */
EXPORT void *mremap(void *old, size_t old_len, size_t len, int flags, ...)
{
	bool traced = wants_maps();
	uint64_t before = traced ? time_before() : 0;
	void *p, *at;
	va_list ap;

	va_start(ap, flags);
	at = flags & (MREMAP_FIXED | MREMAP_DONTUNMAP) ? va_arg(ap, void *) : NULL;
	va_end(ap);
	p = ft_heap_real.mremap ? ft_heap_real.mremap(old, old_len, len, flags, at) :
	    (void *)syscall(SYS_mremap, old, old_len, len, flags, at);
	if (!traced || p == MAP_FAILED)
		return p;
	if (old_len && !(flags & MREMAP_DONTUNMAP)) {
		record_at(before, FT_HEAP_SIZE, old, old_len, FT_MARK_A);
		record_at(before, FT_HEAP_UNMAP, old, (uintptr_t)CALLER, FT_MARK_A | FT_MARK_B);
	}
	heap_allocated(FT_HEAP_MAP, p, len, CALLER);
	return p;
}
