// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Edges that cannot lead back leave, from both ends: see order_return.h. Locks are told
 * apart by a hash, so some stay at first that should not; fewer edges have fewer hashes,
 * and the next round finds them.
 */
#include "analysis/order_return.h"
#include "base/map.h"
#include "base/mem.h"

#define HASHES	(1u << 20)
/* A chain of locks loses its ends in each: the rest of it stays. */
#define ROUNDS	4
#define AHEAD	16	/* edges: they are anywhere in memory */

enum end { OUTER, INNER };

struct ends {
	const struct lock_classes	*classes;
	uint64_t			seen[HASHES / 64];
};

const struct lock_class_known *order_class_of(const struct lock_classes *c, uint64_t lock)
{
	const struct lock_class_known *class = lock_classes_of(c, lock);

	return class && class->types == 1 ? class : NULL;
}

static size_t hash_of(const struct ends *e, const struct order_edge *edge, enum end end)
{
	uint64_t lock = end == OUTER ? edge->key.a : edge->key.b;
	const struct lock_class_known *class = e->classes ? order_class_of(e->classes, lock) :
							    NULL;

	return map_hash(class ? (uintptr_t)class : lock) % HASHES;
}

/* Keep edges whose end @from is the other end of one. */
static size_t keep(struct ends *e, const struct order_edge **edges, size_t n, enum end from)
{
	size_t kept = 0, hash, i;

	memset(e->seen, 0, sizeof(e->seen));
	for (i = 0; i < n; i++) {
		if (i + AHEAD < n)
			mem_prefetch(edges[i + AHEAD]);
		hash = hash_of(e, edges[i], !from);
		e->seen[hash / 64] |= 1ull << hash % 64;
	}
	for (i = 0; i < n; i++) {
		if (i + AHEAD < n)
			mem_prefetch(edges[i + AHEAD]);
		hash = hash_of(e, edges[i], from);
		if (e->seen[hash / 64] >> hash % 64 & 1)
			edges[kept++] = edges[i];
	}
	return kept;
}

size_t order_return(const struct order_edge **edges, size_t n, const struct lock_classes *classes)
{
	struct ends *e = mem_zalloc(1, sizeof(*e));
	size_t before = n + 1;

	e->classes = classes;
	for (unsigned int round = 0; n && n < before && round < ROUNDS; round++) {
		before = n;
		n = keep(e, edges, n, INNER);
		n = keep(e, edges, n, OUTER);
	}
	mem_free(e);
	return n;
}
