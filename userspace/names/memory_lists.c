// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The kernel's lists of slab caches, and of the areas of vmalloc. See memory.h. */
#include <string.h>

#include "base/mem.h"
#include "base/visible.h"
#include "names/memory.h"

#define CACHES_MAX	16384u
#define SIZE_MAX_OBJECT	(1u << 22)
#define AREAS_MAX	(1u << 16)
#define AREA_NODES_MAX	1024u

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

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/*
 * The function that asked for an area: an address in it that the allocation returns to, or,
 * if the kernel names it itself, its own address. The symbol before that is of its padding.
 */
static void find_caller(const struct memory *m, struct memory_area *a, uint64_t vm)
{
	const struct kernel_symbol *s;
	uint64_t caller, len;

	if (!vm || !kcore_u64(m->kcore, vm + m->vm_caller, &caller) || !caller)
		return;
	s = kernel_symbols_find(m->symbols, caller, &len);
	if (!s)
		return;
	a->by = s->name;
	a->stack = begins(s->name, "dup_task_struct") || begins(s->name, "alloc_thread_stack") ||
		   begins(s->name, "copy_process") || begins(s->name, "kernel_clone");
	a->percpu = begins(s->name, "pcpu_");
}

/* The areas of one list; it changes while it is read, so its length has a bound. */
static void scan_list(struct memory *m, uint64_t list)
{
	uint64_t link = list, vm;
	struct memory_area a;

	while (m->n_areas < AREAS_MAX && kcore_u64(m->kcore, link, &link) && link != list) {
		uint64_t area = link - m->area_list;

		a = (struct memory_area){ .by = NULL };
		if (!kcore_u64(m->kcore, area + m->area_start, &a.start) ||
		    !kcore_u64(m->kcore, area + m->area_end, &a.end) ||
		    !kcore_u64(m->kcore, area + m->area_vm, &vm) || a.start >= a.end)
			return;
		find_caller(m, &a, vm);
		m->area = mem_resize(m->area, m->n_areas + 1, sizeof(*m->area));
		m->area[m->n_areas++] = a;
	}
}

void memory_scan_areas(struct memory *m)
{
	uint32_t n;

	m->n_areas = 0;
	if (m->areas) {
		scan_list(m, m->areas);
		return;
	}
	if (!m->area_nodes || !read_u32(m->kcore, m->area_nodes_n, &n))
		return;
	for (uint32_t i = 0; i < n && i < AREA_NODES_MAX; i++)
		scan_list(m, m->area_nodes + (uint64_t)i * m->area_node_size + m->area_node_list);
}
