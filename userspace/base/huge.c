// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Memory in huge pages: whole ones from the kernel, parts of them from lists. See huge.h. */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "base/huge.h"

#define HUGE		(2u << 20)	/* size of a huge page */
#define SIZES		6		/* of parts: HUGE_LEAST << i */

_Static_assert(HUGE_LEAST << SIZES == HUGE, "the largest part is half a page");

struct part {
	struct part	*next;
};

/* Parts that are not in use, by size; of each thread, so that none has to wait. */
static __thread struct part *huge_unused[SIZES];

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

static void part_give(unsigned int size, void *p)
{
	struct part *part = p;

	part->next = huge_unused[size];
	huge_unused[size] = part;
}

static void *part_take(unsigned int size)
{
	struct part *part;
	char *whole;

	if (size == SIZES)
		return map_aligned(HUGE);
	part = huge_unused[size];
	if (part) {
		huge_unused[size] = part->next;
		return part;
	}
	whole = part_take(size + 1);
	if (whole)
		part_give(size, whole + (HUGE_LEAST << size));
	return whole;
}

/* The least size that is enough; SIZES and more: whole pages. */
static unsigned int size_of(size_t bytes)
{
	unsigned int size = 0;

	while (size < SIZES && bytes > HUGE_LEAST << size)
		size++;
	return size;
}

static size_t whole_pages(size_t bytes)
{
	return (bytes + HUGE - 1) / HUGE * HUGE;
}

void *huge_zalloc(size_t bytes)
{
	unsigned int size = size_of(bytes);
	void *p;

	if (size == SIZES)
		return map_aligned(whole_pages(bytes));
	p = part_take(size);
	return p ? memset(p, 0, bytes) : NULL;
}

void huge_free(void *p, size_t bytes)
{
	unsigned int size = size_of(bytes);

	if (size == SIZES)
		munmap(p, whole_pages(bytes));
	else
		part_give(size, p);
}
