/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What lies at an address of the running kernel. The kernel's bases move with each boot
 * and its structures change with each version: bases come from its own variables and
 * must fit the segments of /proc/kcore, offsets come from BTF.
 *
 *	address -> struct page -> slab -> cache, and the offset in the object
 */
#ifndef FT_NAMES_MEMORY_H
#define FT_NAMES_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "names/kcore.h"
#include "names/kernel_symbols.h"
#include "names/lock_types.h"

/* enum memory_kind - their words are LOCK_FILE_KERNEL_KINDS, in this order */
enum memory_kind {
	MEMORY_STATIC,		/* a variable of the kernel */
	MEMORY_MODULE,		/* a variable of a module */
	MEMORY_PERCPU,		/* a variable of a CPU */
	MEMORY_PERCPU_ALLOC,	/* allocated for each CPU */
	MEMORY_SLAB,		/* an object of a cache of its own */
	MEMORY_KMALLOC,		/* of a cache for any memory of a size */
	MEMORY_PAGE,		/* in the kernel's description of a page */
	MEMORY_NODE,		/* in that of a node of memory */
	MEMORY_PAGES,		/* pages without a cache: allocated as such, or freed meanwhile */
	MEMORY_STACK,		/* a task's */
	MEMORY_VMALLOC,
	MEMORY_UNKNOWN,
	MEMORY_KINDS
};

/** struct memory_cache - a slab cache */
struct memory_cache {
	uint64_t	addr;
	char		name[64];
	uint32_t	size, object_size, pad;
	bool		kmalloc;
	bool		merged;		/* several caches share it */
};

/**
 * struct memory_place - what lies at an address
 * @cache:	which, of SLAB and KMALLOC
 * @name:	the variable of STATIC, MODULE, PERCPU; the function that allocated, of VMALLOC
 * @module:	that has it; or NULL
 * @len:	of the variable, as far as is known
 * @offset:	of the address in it, or in the object
 * @cpu:	of PERCPU and PERCPU_ALLOC
 * @type:	what there is, where that is certain; or NULL
 */
struct memory_place {
	enum memory_kind	kind;
	unsigned int		cache;
	uint32_t		cpu;
	uint64_t		offset, len;
	const char		*name, *module;
	const struct lock_type	*type;
};

/* A part of vmalloc, and the function that asked for it, or NULL. */
struct memory_area {
	uint64_t	start, end;
	const char	*by;
	bool		stack, percpu;
};

struct memory {
	const struct kcore		*kcore;
	const struct kernel_symbols	*symbols;
	const struct lock_types		*types;

	/* where the kernel's areas begin */
	uint64_t	direct, vmalloc, pages;
	/* of structures */
	uint32_t	page_size;
	uint32_t	page_head, page_type, page_flags;
	int64_t		reserved_flag;		/* of pages from before the allocator; -1 */
	int64_t		slab_flag, slab_type;	/* how a slab's page is marked; -1: not so */
	uint32_t	slab_cache;
	uint32_t	cache_name, cache_size, cache_object_size, cache_list, cache_refs;
	int64_t		cache_pad;
	struct lock_type page, table, node, pageset;
	uint64_t	list;			/* of caches */

	struct memory_cache	*cache;
	size_t			n_caches;
	struct map		by_address;	/* of a cache: its number + 1 */
	unsigned int		scans;		/* of the list, since it was known first */

	uint64_t	percpu_start, percpu_end, percpu_unit;
	uint64_t	*percpu_offset;
	unsigned int	cpus;
	uint64_t	*nodes;			/* addresses */
	unsigned int	n_nodes;
	uint64_t	*pagesets;		/* of CPUs: without their offset */
	unsigned int	n_pagesets;

	struct memory_area	*area;		/* of vmalloc, as last read */
	size_t			n_areas;

	/* how the list of areas is found: one list, or one of each node since Linux 6.9 */
	uint64_t	areas, area_nodes, area_nodes_n;
	uint32_t	area_node_size, area_node_list;
	uint32_t	area_list, area_start, area_end, area_vm, vm_caller;

	/* of a mm_struct and a task_struct; false: not all are known */
	bool		owners;
	uint32_t	mm_owner, task_mm, task_pid, task_comm;
};

/**
 * memory_open - find out how the running kernel is laid out
 *
 * What it allocates belongs to the scope of the call (base/scope.h), as of all that follows.
 *
 * Return: false, and @why says what is missing.
 */
bool memory_open(struct memory *m, const struct kcore *kcore,
		 const struct kernel_symbols *symbols, const struct lock_types *types,
		 const char **why);

/** memory_find - what lies at @addr now */
struct memory_place memory_find(struct memory *m, uint64_t addr);

/** struct memory_owner - a task; pid 0: none is known */
struct memory_owner {
	uint32_t	pid;
	char		comm[16];	/* with a 0 at its end */
};

/**
 * memory_owner - whose memory the mm_struct at @addr describes, now
 * @place: what memory_find() has just said of @addr
 *
 * Return: a task whose memory this is; none where the kernel does not say so, or not twice.
 */
struct memory_owner memory_owner(const struct memory *m, uint64_t addr,
				 const struct memory_place *place);

/** memory_scan_areas - read the areas of vmalloc again; a few milliseconds */
void memory_scan_areas(struct memory *m);

/** memory_scan_caches - read the list of caches anew */
void memory_scan_caches(struct memory *m);

const char *memory_kind_name(enum memory_kind kind);

#endif /* FT_NAMES_MEMORY_H */
