// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The map of pairs: open addressing, entries in an arena. See pairs.h. */
#include "base/mem.h"
#include "base/pairs.h"

#define PAIRS_MIN	256

static struct pairs_slot *place(const struct pairs *p, uint64_t hash,
				uint64_t a, uint64_t b, uint32_t tag)
{
	size_t i;

	for (i = hash & p->mask;; i = (i + 1) & p->mask) {
		struct pairs_slot *slot = &p->slots[i];
		const struct pair *e = slot->entry;

		if (!e || (slot->hash == hash && e->a == a && e->b == b &&
			   e->tag == tag))
			return slot;
	}
}

static void grow(struct pairs *p)
{
	size_t n = p->mask ? 2 * (p->mask + 1) : PAIRS_MIN, i, to;
	struct pairs_slot *slots = mem_zalloc_huge(n, sizeof(*slots));

	for (i = 0; p->mask && i <= p->mask; i++) {
		if (!p->slots[i].entry)
			continue;
		to = p->slots[i].hash & (n - 1);
		while (slots[to].entry)
			to = (to + 1) & (n - 1);
		slots[to] = p->slots[i];
	}
	mem_free_huge(p->slots, p->mask + 1, sizeof(*slots));
	p->slots = slots;
	p->mask = n - 1;
}

void *pairs_get_hashed(struct pairs *p, uint64_t hash, uint64_t a, uint64_t b,
		       uint32_t tag)
{
	struct pairs_slot *slot;

	if (2 * (p->used + 1) > p->mask + 1)
		grow(p);
	slot = place(p, hash, a, b, tag);
	if (slot->entry)
		return slot->entry;
	if (p->used == p->max) {
		p->refused++;
		return NULL;
	}
	p->used++;
	slot->hash = hash;
	slot->entry = arena_zalloc(&p->memory, p->size);
	*slot->entry = (struct pair){ a, b, tag, 0 };
	return slot->entry;
}

void *pairs_find(const struct pairs *p, uint64_t a, uint64_t b, uint32_t tag)
{
	if (!p->mask)
		return NULL;
	return place(p, pairs_hash(a, b, tag), a, b, tag)->entry;
}

const void *pairs_place(const struct pairs *p, uint64_t hash)
{
	return p->mask ? &p->slots[hash & p->mask] : NULL;
}

void *pairs_entry(const struct pairs *p, uint64_t hash)
{
	size_t i = hash & p->mask;

	if (!p->mask)
		return NULL;
	while (p->slots[i].entry && p->slots[i].hash != hash)
		i = (i + 1) & p->mask;
	return p->slots[i].entry;
}

void **pairs_list(const struct pairs *p)
{
	void **list = mem_zalloc(p->used, sizeof(*list));
	size_t n = 0, i;

	for (i = 0; p->mask && i <= p->mask; i++) {
		if (p->slots[i].entry)
			list[n++] = p->slots[i].entry;
	}
	return list;
}

void pairs_free(struct pairs *p)
{
	mem_free_huge(p->slots, p->mask + 1, sizeof(*p->slots));
	arena_free(&p->memory);
	*p = (struct pairs){ 0 };
}
