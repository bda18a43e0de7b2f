// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The map from 64-bit keys to pointers: what changes it. See map.h. */
#include "base/map.h"
#include "base/mem.h"

#define MAP_MIN		16

static struct map_slot *map_place(const struct map *m, uint64_t key)
{
	size_t i = map_hash(key) & m->mask;

	while (m->slots[i].value && m->slots[i].key != key)
		i = (i + 1) & m->mask;
	return &m->slots[i];
}

static void slots_free(struct map *m)
{
	mem_free_huge(m->slots, m->mask + 1, sizeof(*m->slots));
}

/* @n: slots, a power of two */
static void map_grow(struct map *m, size_t n)
{
	struct map bigger = {
		.slots = mem_zalloc_huge(n, sizeof(*m->slots)),
		.mask = n - 1,
		.used = m->used,
	};
	struct map_slot *slot;

	map_for_each(m, slot)
		*map_place(&bigger, slot->key) = *slot;
	slots_free(m);
	*m = bigger;
}

void map_put(struct map *m, uint64_t key, void *value)
{
	struct map_slot *slot;

	if (2 * (m->used + 1) > m->mask + 1 || !m->mask)
		map_grow(m, m->mask ? (m->mask + 1) * 2 : MAP_MIN);
	slot = map_place(m, key);
	if (!slot->value)
		m->used++;
	slot->key = key;
	slot->value = value;
}

void map_reserve(struct map *m, size_t n)
{
	size_t slots = MAP_MIN;

	while (slots < 2 * n)
		slots *= 2;
	if (slots > m->mask + 1)
		map_grow(m, slots);
}

/*
 * No tombstones: later entries of the same run move up, unless that would put one in
 * front of the slot of its hash. So a map with frequent insertions and removals (held
 * locks) does not fill up.
 */
void map_del(struct map *m, uint64_t key)
{
	size_t hole, i;

	if (!m->mask)
		return;
	hole = map_place(m, key) - m->slots;
	if (!m->slots[hole].value)
		return;
	m->used--;
	for (i = (hole + 1) & m->mask; m->slots[i].value;
	     i = (i + 1) & m->mask) {
		size_t home = map_hash(m->slots[i].key) & m->mask;

		if (((i - home) & m->mask) < ((i - hole) & m->mask))
			continue;
		m->slots[hole] = m->slots[i];
		hole = i;
	}
	m->slots[hole].value = NULL;
}

void map_clear(struct map *m)
{
	if (m->mask && m->used)
		memset(m->slots, 0, (m->mask + 1) * sizeof(*m->slots));
	m->used = 0;
}

void map_free(struct map *m)
{
	slots_free(m);
	*m = (struct map){ 0 };
}
