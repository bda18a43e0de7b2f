// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* From an address to what lies there: see memory.h. */
#include <string.h>

#include "base/array.h"
#include "base/mem.h"
#include "names/memory.h"
#include "trace/lock_file.h"

#define PAGE_SHIFT	12
#define PAGE_MAX	256u	/* bytes of a struct page that are read */
#define IMAGE		0xffffffff80000000ull
#define SCANS_MAX	64u	/* of the list of caches: what a damaged page asks for ends */

const char *memory_kind_name(enum memory_kind kind)
{
	static const char *const names[] = { LOCK_FILE_KERNEL_KINDS };

	_Static_assert(ARRAY_SIZE(names) == MEMORY_KINDS, "a word for each kind");
	return names[kind];
}

/* --- slabs --------------------------------------------------------------------- */

static uint64_t word(const unsigned char *page, uint32_t at)
{
	uint64_t value;

	memcpy(&value, page + at, sizeof(value));
	return value;
}

/*
 * The first page of those that are one. A tail points there, with bit 0 set; since Linux
 * 7.0 it may have a mask that makes the head's address of its own.
 */
static uint64_t head_of(const struct memory *m, uint64_t page, uint64_t info)
{
	uint64_t head = info - 1;

	if (!(info & 1))
		return page;
	if (head < m->pages || head > page)
		head = page & info;
	return head >= m->pages && head <= page && !((head - m->pages) % m->page_size) ? head : 0;
}

static bool is_slab(const struct memory *m, const unsigned char *page)
{
	uint32_t type;

	if (m->slab_flag >= 0)
		return word(page, m->page_flags) >> m->slab_flag & 1;
	memcpy(&type, page + m->page_type, sizeof(type));
	return m->slab_type < 0 || type >> 24 == m->slab_type;
}

/* The description of the slab's first page; 0: this is no slab */
static uint64_t read_head(const struct memory *m, uint64_t addr, unsigned char page[PAGE_MAX])
{
	uint64_t at = m->pages + ((addr - m->direct) >> PAGE_SHIFT) * m->page_size, head;

	if (!kcore_read(m->kcore, at, page, m->page_size))
		return 0;
	head = head_of(m, at, word(page, m->page_head));
	if (head && head != at && !kcore_read(m->kcore, head, page, m->page_size))
		return 0;
	return head;
}

static void find_object(const struct memory *m, uint64_t addr, struct memory_place *place)
{
	const struct memory_cache *c;
	unsigned char page[PAGE_MAX];
	uint64_t head = read_head(m, addr, page), base;
	uintptr_t cache;

	place->kind = MEMORY_PAGES;
	if (!head || !is_slab(m, page))
		return;
	cache = (uintptr_t)map_get(&m->by_address, word(page, m->slab_cache));
	if (!cache)
		return;
	c = &m->cache[cache - 1];
	base = m->direct + ((head - m->pages) / m->page_size << PAGE_SHIFT) + c->pad;
	if (addr < base)
		return;
	place->cache = (unsigned int)cache - 1;
	place->offset = (addr - base) % c->size;
	if (place->offset >= c->object_size)
		return;
	place->kind = c->kmalloc ? MEMORY_KMALLOC : MEMORY_SLAB;
}

/* A slab of a cache that is younger than the list? */
static bool is_of_new_cache(const struct memory *m, uint64_t addr)
{
	unsigned char page[PAGE_MAX];

	return read_head(m, addr, page) && is_slab(m, page) &&
	       !map_get(&m->by_address, word(page, m->slab_cache)) &&
	       kcore_has(m->kcore, word(page, m->slab_cache));
}

/* --- CPUs ----------------------------------------------------------------------- */

static bool find_pageset(const struct memory *m, uint64_t addr, struct memory_place *place)
{
	for (unsigned int cpu = 0; cpu < m->cpus; cpu++) {
		uint64_t variable = addr - m->percpu_offset[cpu];

		for (unsigned int i = 0; i < m->n_pagesets; i++) {
			if (variable - m->pagesets[i] >= m->pageset.size)
				continue;
			*place = (struct memory_place){
				.kind = MEMORY_PERCPU_ALLOC, .cpu = cpu,
				.offset = variable - m->pagesets[i], .type = &m->pageset,
			};
			return true;
		}
	}
	return false;
}

/* The kernel gives back the end of a unit that it has no need for: other things lie there. */
static bool is_percpu_page(const struct memory *m, uint64_t addr)
{
	unsigned char page[PAGE_MAX];

	if (addr < m->direct || addr >= m->vmalloc)
		return true;
	return m->reserved_flag >= 0 && read_head(m, addr, page) &&
	       word(page, m->page_flags) >> m->reserved_flag & 1;
}

/* In the memory that each CPU has had from the beginning? */
static bool find_percpu(const struct memory *m, uint64_t addr, struct memory_place *place)
{
	for (unsigned int cpu = 0; cpu < m->cpus; cpu++) {
		uint64_t variable = addr - m->percpu_offset[cpu];
		const struct kernel_symbol *s;
		uint64_t len;

		if (variable - m->percpu_start >= m->percpu_unit)
			continue;
		if (!is_percpu_page(m, addr))
			return false;
		s = kernel_symbols_find(m->symbols, variable, &len);
		place->cpu = cpu;
		place->kind = MEMORY_PERCPU_ALLOC;
		if (!s || (variable >= m->percpu_end && !s->module))
			return true;
		place->kind = MEMORY_PERCPU;
		place->name = s->name;
		place->module = s->module;
		place->offset = variable - s->addr;
		place->len = len;
		return true;
	}
	return false;
}

/* --- all ------------------------------------------------------------------------- */

static bool find_node(const struct memory *m, uint64_t addr, struct memory_place *place)
{
	for (unsigned int i = 0; i < m->n_nodes; i++) {
		if (addr - m->nodes[i] >= m->node.size)
			continue;
		place->kind = MEMORY_NODE;
		place->offset = addr - m->nodes[i];
		place->type = &m->node;
		return true;
	}
	return false;
}

static void find_variable(const struct memory *m, uint64_t addr, struct memory_place *place)
{
	const struct kernel_symbol *s = kernel_symbols_find(m->symbols, addr, &place->len);

	if (!s)
		return;
	place->kind = s->module ? MEMORY_MODULE : MEMORY_STATIC;
	place->name = s->name;
	place->module = s->module;
	place->offset = addr - s->addr;
}

static void find_area(const struct memory *m, uint64_t addr, struct memory_place *place)
{
	place->kind = MEMORY_UNKNOWN;
	for (size_t i = 0; i < m->n_areas; i++) {
		const struct memory_area *a = &m->area[i];

		if (addr < a->start || addr >= a->end)
			continue;
		place->kind = a->stack ? MEMORY_STACK :
			      a->percpu ? MEMORY_PERCPU_ALLOC : MEMORY_VMALLOC;
		place->name = a->by;
		place->offset = addr - a->start;
		return;
	}
}

struct memory_place memory_find(struct memory *m, uint64_t addr)
{
	struct memory_place place = { .kind = MEMORY_UNKNOWN };

	if (find_node(m, addr, &place) || find_pageset(m, addr, &place) ||
	    find_percpu(m, addr, &place))
		return place;
	if (addr >= IMAGE) {
		find_variable(m, addr, &place);
	} else if (addr >= m->pages) {
		place.kind = MEMORY_PAGE;
		place.offset = (addr - m->pages) % m->page_size;
	} else if (addr >= m->vmalloc) {
		find_area(m, addr, &place);
	} else if (addr >= m->direct) {
		find_object(m, addr, &place);
		if (place.kind == MEMORY_PAGES && m->scans < SCANS_MAX &&
		    is_of_new_cache(m, addr)) {
			m->scans++;
			memory_scan_caches(m);
			find_object(m, addr, &place);
		}
	}
	return place;
}

struct memory_owner memory_owner(const struct memory *m, uint64_t addr,
				 const struct memory_place *place)
{
	const struct memory_owner none = { .pid = 0 };
	uint64_t mm = addr - place->offset, task, back;
	struct memory_owner owner = none;

	if (!m->owners || place->kind != MEMORY_SLAB ||
	    strcmp(m->cache[place->cache].name, "mm_struct"))
		return none;
	/* what was freed may still point to a task, which has another one by now */
	if (!kcore_u64(m->kcore, mm + m->mm_owner, &task) ||
	    !kcore_u64(m->kcore, task + m->task_mm, &back) || back != mm ||
	    !kcore_read(m->kcore, task + m->task_pid, &owner.pid, sizeof(owner.pid)) ||
	    !kcore_read(m->kcore, task + m->task_comm, owner.comm, sizeof(owner.comm)))
		return none;
	owner.comm[sizeof(owner.comm) - 1] = '\0';
	return owner;
}
