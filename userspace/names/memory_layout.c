// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* How the running kernel is laid out: bases, offsets in structures, CPUs, nodes. See memory.h. */
#include <unistd.h>

#include "base/mem.h"
#include "names/memory.h"

#define CPUS_MAX	8192u
#define NODES_MAX	1024u
#define ZONES_MAX	16u
#define UNIT_MAX	(1u << 24)

/* Where they are on kernels that have no variables for them. */
#define DIRECT_FIXED	0xffff888000000000ull
#define VMALLOC_FIXED	0xffffc90000000000ull
#define PAGES_FIXED	0xffffea0000000000ull

static uint64_t variable(const struct memory *m, const char *name, uint64_t fixed)
{
	uint64_t addr, value;

	if (!kernel_symbols_value(m->symbols, name, &addr) ||
	    !kcore_u64(m->kcore, addr, &value))
		return fixed;
	return value;
}

/* In order, and with memory that can be read. */
static bool find_bases(struct memory *m)
{
	m->direct = variable(m, "page_offset_base", DIRECT_FIXED);
	m->vmalloc = variable(m, "vmalloc_base", VMALLOC_FIXED);
	m->pages = variable(m, "vmemmap_base", PAGES_FIXED);
	return m->direct < m->vmalloc && m->vmalloc < m->pages && m->pages < 0xffffffff80000000ull;
}

/* The offset of a member of which @len bytes are read; false: it is not where it can be. */
static bool member(const struct lock_type *type, const char *name, uint32_t len, uint32_t *at)
{
	uint32_t bits;

	if (!lock_types_member(type, name, &bits) || bits % 8 || type->size < len ||
	    bits / 8 > type->size - len)
		return false;
	*at = bits / 8;
	return true;
}

static bool find_page(struct memory *m, const struct btf *btf)
{
	struct lock_type slab;

	if (!lock_types_named(btf, "page", &m->page) || m->page.size < 32 ||
	    m->page.size > 256 || !lock_types_named(btf, "slab", &slab) ||
	    slab.size > m->page.size)
		return false;
	m->page_size = m->page.size;
	/* since Linux 6.5 a page of a table has a description of its own */
	if (!lock_types_named(btf, "ptdesc", &m->table))
		m->table = m->page;
	m->slab_flag = m->slab_type = m->reserved_flag = -1;
	lock_types_enum(btf, "pageflags", "PG_reserved", &m->reserved_flag);
	if (!lock_types_enum(btf, "pageflags", "PG_slab", &m->slab_flag))
		lock_types_enum(btf, "pagetype", "PGTY_slab", &m->slab_type);
	if (m->slab_flag > 63 || m->reserved_flag > 63)
		return false;
	return (member(&m->page, "compound_head", 8, &m->page_head) ||
		member(&m->page, "compound_info", 8, &m->page_head)) &&
	       member(&m->page, "flags", 8, &m->page_flags) &&
	       member(&m->page, "page_type", 4, &m->page_type) &&
	       member(&slab, "slab_cache", 8, &m->slab_cache);
}

static bool find_cache(struct memory *m, const struct btf *btf)
{
	struct lock_type cache;
	uint32_t pad;

	if (!lock_types_named(btf, "kmem_cache", &cache))
		return false;
	m->cache_pad = member(&cache, "red_left_pad", 4, &pad) ? (int64_t)pad : -1;
	return member(&cache, "name", 8, &m->cache_name) &&
	       member(&cache, "size", 4, &m->cache_size) &&
	       member(&cache, "object_size", 4, &m->cache_object_size) &&
	       member(&cache, "refcount", 4, &m->cache_refs) &&
	       member(&cache, "list", 16, &m->cache_list) &&
	       kernel_symbols_value(m->symbols, "slab_caches", &m->list);
}

/* --- CPUs, nodes: where they are missing, what they have stays without a name ----- */

static void find_cpus(struct memory *m)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);
	uint64_t offsets, unit;

	if (n < 1 || n > CPUS_MAX ||
	    !kernel_symbols_value(m->symbols, "__per_cpu_offset", &offsets) ||
	    !kernel_symbols_value(m->symbols, "__per_cpu_start", &m->percpu_start) ||
	    !kernel_symbols_value(m->symbols, "__per_cpu_end", &m->percpu_end) ||
	    m->percpu_end <= m->percpu_start)
		return;
	m->percpu_offset = mem_zalloc((size_t)n, sizeof(*m->percpu_offset));
	if (!kcore_read(m->kcore, offsets, m->percpu_offset, (size_t)n * 8))
		return;
	m->cpus = (unsigned int)n;
	m->percpu_unit = m->percpu_end - m->percpu_start;
	if (kernel_symbols_value(m->symbols, "pcpu_unit_size", &offsets) &&
	    kcore_u64(m->kcore, offsets, &unit) && (unit & UINT32_MAX) <= UNIT_MAX &&
	    (unit & UINT32_MAX) > m->percpu_unit)
		m->percpu_unit = unit & UINT32_MAX;
}

static void add_node(struct memory *m, uint64_t addr)
{
	uint32_t zones, end, pagesets;
	struct lock_type zone;

	m->nodes = mem_resize(m->nodes, m->n_nodes + 1, sizeof(*m->nodes));
	m->nodes[m->n_nodes++] = addr;
	if (!lock_types_named(m->types->kernel, "zone", &zone) ||
	    !lock_types_named(m->types->kernel, "per_cpu_pages", &m->pageset) ||
	    !member(&zone, "per_cpu_pageset", 8, &pagesets) ||
	    !member(&m->node, "node_zones", zone.size, &zones) ||
	    !member(&m->node, "node_zonelists", 8, &end))
		return;
	for (unsigned int i = 0; i < ZONES_MAX && zones + (i + 1) * zone.size <= end; i++) {
		uint64_t set;

		if (!kcore_u64(m->kcore, addr + zones + i * zone.size + pagesets, &set) || !set)
			continue;
		m->pagesets = mem_resize(m->pagesets, m->n_pagesets + 1, sizeof(set));
		m->pagesets[m->n_pagesets++] = set;
	}
}

static void find_nodes(struct memory *m)
{
	uint64_t list, node, len;

	if (!lock_types_named(m->types->kernel, "pglist_data", &m->node))
		return;
	if (kernel_symbols_value(m->symbols, "contig_page_data", &node)) {
		add_node(m, node);
		return;
	}
	if (!kernel_symbols_value(m->symbols, "node_data", &list) ||
	    !kernel_symbols_find(m->symbols, list, &len))
		return;
	for (unsigned int i = 0; i < NODES_MAX && i < len / 8; i++) {
		if (kcore_u64(m->kcore, list + i * 8, &node) && node >= m->direct &&
		    node < m->vmalloc)
			add_node(m, node);
	}
}

/* The list in a node's tree of areas that are in use. */
static bool find_head(const struct btf *btf, uint32_t *at)
{
	struct lock_type tree;
	uint32_t head;

	if (!lock_types_named(btf, "rb_list", &tree) || !member(&tree, "head", 16, &head))
		return false;
	*at += head;
	return true;
}

static void find_areas(struct memory *m)
{
	const struct btf *btf = m->types->kernel;
	struct lock_type area, vm, node;
	uint64_t nodes;

	if (!lock_types_named(btf, "vmap_area", &area) ||
	    !lock_types_named(btf, "vm_struct", &vm) ||
	    !member(&area, "list", 16, &m->area_list) ||
	    !member(&area, "va_start", 8, &m->area_start) ||
	    !member(&area, "va_end", 8, &m->area_end) || !member(&area, "vm", 8, &m->area_vm) ||
	    !member(&vm, "caller", 8, &m->vm_caller))
		return;
	if (kernel_symbols_value(m->symbols, "vmap_area_list", &m->areas) ||
	    !kernel_symbols_value(m->symbols, "vmap_nodes", &nodes) ||
	    !kernel_symbols_value(m->symbols, "nr_vmap_nodes", &m->area_nodes_n) ||
	    !lock_types_named(btf, "vmap_node", &node) ||
	    !member(&node, "busy", 32, &m->area_node_list) ||
	    !find_head(btf, &m->area_node_list))
		return;
	m->area_node_size = node.size;
	if (!kcore_u64(m->kcore, nodes, &m->area_nodes))
		m->area_nodes = 0;
}

static void find_owners(struct memory *m, const struct btf *btf)
{
	struct lock_type mm, task;

	m->owners = lock_types_named(btf, "mm_struct", &mm) &&
		    lock_types_named(btf, "task_struct", &task) &&
		    member(&mm, "owner", 8, &m->mm_owner) &&
		    member(&task, "mm", 8, &m->task_mm) &&
		    member(&task, "pid", 4, &m->task_pid) &&
		    member(&task, "comm", 16, &m->task_comm);
}

bool memory_open(struct memory *m, const struct kcore *kcore,
		 const struct kernel_symbols *symbols, const struct lock_types *types,
		 const char **why)
{
	*m = (struct memory){ .kcore = kcore, .symbols = symbols, .types = types };
	*why = NULL;
	if (!find_bases(m))
		*why = "the kernel's memory is laid out in an unknown way";
	else if (!find_page(m, types->kernel))
		*why = "the kernel describes its pages in an unknown way";
	else if (!find_cache(m, types->kernel))
		*why = "the kernel describes its slab caches in an unknown way";
	if (*why)
		return false;
	find_cpus(m);
	find_nodes(m);
	find_areas(m);
	find_owners(m, types->kernel);
	memory_scan_caches(m);
	return true;
}
