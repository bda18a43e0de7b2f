// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Large pieces of memory, aligned to huge pages: by mmap(), not a byte more. */
#include <stdint.h>
#include <sys/mman.h>

#include "base/mem.h"

#define HUGE	(2u << 20)	/* size of a huge page */
#define LINE	64

static size_t round_up(size_t bytes, size_t to)
{
	return (bytes + to - 1) / to * to;
}

/* Maps a huge page more than is needed, and gives back both ends. */
static void *map_aligned(size_t bytes)
{
	size_t before;
	char *p;

	p = mmap(NULL, bytes + HUGE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	before = -(uintptr_t)p % HUGE;
	if (before)
		munmap(p, before);
	munmap(p + before + bytes, HUGE - before);
	p += before;
	madvise(p, bytes, MADV_HUGEPAGE);	/* may be refused */
	return p;
}

void *mem_zalloc_lines(size_t n, size_t size)
{
	size_t bytes = round_up(n && size ? n * size : LINE, LINE);

	return memset(mem_check(aligned_alloc(LINE, bytes)), 0, bytes);
}

void *mem_zalloc_huge(size_t n, size_t size)
{
	if (n * size >= HUGE)
		return mem_check(map_aligned(round_up(n * size, HUGE)));
	return mem_zalloc_lines(n, size);
}

void mem_free_huge(void *p, size_t n, size_t size)
{
	if (n * size < HUGE)
		free(p);
	else if (p)
		munmap(p, round_up(n * size, HUGE));
}
