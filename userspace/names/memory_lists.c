// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The kernel's lists of slab caches, and of who has which part of vmalloc. See memory.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/visible.h"
#include "names/memory.h"

#define CACHES_MAX	16384u
#define SIZE_MAX_OBJECT	(1u << 22)
#define AREAS_MAX	(1u << 20)

/* --- caches ---------------------------------------------------------------------- */

/* A name may end just before memory that cannot be read. */
static void read_text(const struct kcore *k, uint64_t addr, char *buf, size_t len)
{
	size_t n = 0;

	while (n < len - 1 && kcore_read(k, addr + n, buf + n, 1) && buf[n])
		n++;
	buf[n] = '\0';
}

static bool read_u32(const struct kcore *k, uint64_t addr, uint32_t *value)
{
	return kcore_read(k, addr, value, sizeof(*value));
}

/*
 * Caches for any memory. Some kernels have several of each size, and choose one at boot or
 * for each caller: "kmalloc-rnd-05-192" is "kmalloc-192", so that classes compare.
 */
static bool shorten_kmalloc(char *name)
{
	static const char *const several[] = { "kmalloc-rnd-", "kmalloc-part-" };
	char *end;

	for (unsigned int i = 0; i < 2; i++) {
		size_t len = strlen(several[i]);

		end = strncmp(name, several[i], len) ? NULL : strchr(name + len, '-');
		if (end)
			memmove(name + strlen("kmalloc"), end, strlen(end) + 1);
	}
	return !strncmp(name, "kmalloc-", 8) || !strncmp(name, "dma-kmalloc-", 12);
}

static bool read_cache(const struct memory *m, uint64_t addr, struct memory_cache *c)
{
	const struct kcore *k = m->kcore;
	char name[sizeof(c->name)];
	uint32_t refs;
	uint64_t text;

	*c = (struct memory_cache){ .addr = addr };
	if (!kcore_u64(k, addr + m->cache_name, &text) ||
	    !read_u32(k, addr + m->cache_size, &c->size) ||
	    !read_u32(k, addr + m->cache_object_size, &c->object_size) ||
	    !read_u32(k, addr + m->cache_refs, &refs) ||
	    (m->cache_pad >= 0 && !read_u32(k, addr + (uint64_t)m->cache_pad, &c->pad)))
		return false;
	if (!c->object_size || c->object_size > c->size || c->size > SIZE_MAX_OBJECT ||
	    c->pad > c->size)
		return false;
	read_text(k, text, name, sizeof(name));
	visible_copy(c->name, sizeof(c->name), name);
	c->kmalloc = shorten_kmalloc(c->name);
	c->merged = refs > 1 && !c->kmalloc;
	return *c->name;
}

/* A cache that is known keeps its number: places refer to it. */
static void add_cache(struct memory *m, const struct memory_cache *c)
{
	uintptr_t known = (uintptr_t)map_get(&m->by_address, c->addr);

	if (known && !strcmp(m->cache[known - 1].name, c->name) &&
	    m->cache[known - 1].object_size == c->object_size)
		return;
	m->cache = mem_resize(m->cache, m->n_caches + 1, sizeof(*m->cache));
	m->cache[m->n_caches++] = *c;
	map_put(&m->by_address, c->addr, (void *)(uintptr_t)m->n_caches);
}

void memory_scan_caches(struct memory *m)
{
	uint64_t link = m->list;
	struct memory_cache c;

	for (unsigned int i = 0; i < CACHES_MAX; i++) {
		if (!kcore_u64(m->kcore, link, &link) || link == m->list)
			return;
		if (read_cache(m, link - m->cache_list, &c))
			add_cache(m, &c);
	}
}

/* --- vmalloc ----------------------------------------------------------------------- */

static const char *keep(struct memory *m, const char *name)
{
	uint64_t key = map_text_key(name, strlen(name));
	char *kept = map_get(&m->names, key);

	if (!kept) {
		kept = visible_new(name);
		map_put(&m->names, key, kept);
	}
	return kept;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* "0xffffc90000000000-0xffffc90000005000   20480 dup_task_struct+0x5a/0x1b0 pages=4 ..." */
static void add_area(struct memory *m, const char *line)
{
	struct memory_area a = { .by = NULL };
	char by[128];

	if (m->n_areas == AREAS_MAX ||
	    sscanf(line, "0x%" SCNx64 "-0x%" SCNx64 " %*u %127[^+ \n]", &a.start, &a.end, by) != 3)
		return;
	by[strcspn(by, ".")] = '\0';
	a.stack = begins(by, "dup_task_struct") || begins(by, "alloc_thread_stack") ||
		  begins(by, "copy_process");
	a.percpu = begins(by, "pcpu_");
	a.by = keep(m, by);
	m->area = mem_resize(m->area, m->n_areas + 1, sizeof(*m->area));
	m->area[m->n_areas++] = a;
}

void memory_scan_areas(struct memory *m)
{
	char *text, *line, *rest;

	if (read_path("/proc/vmallocinfo", &text) < 0)
		return;
	m->n_areas = 0;
	for (rest = text; (line = strsep(&rest, "\n"));)
		add_area(m, line);
	mem_free(text);
}
