/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A map from 64-bit keys to pointers: open addressing, linear probing, at most
 * half full, so that a hit usually costs one cache line. Lock and call-site
 * addresses share their upper bits and differ little below; the multiplication
 * spreads them.
 *
 * A zeroed struct map is an empty map. Any key is valid, 0 too; a value must not be
 * NULL, which marks a free slot.
 */
#ifndef FT_BASE_MAP_H
#define FT_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct map_slot {
	uint64_t	key;
	void		*value;
};

struct map {
	struct map_slot	*slots;
	size_t		mask;	/* slots - 1; 0 before the first insertion */
	size_t		used;
};

static inline size_t map_hash(uint64_t key)
{
	key *= 0x9e3779b97f4a7c15ull;
	return key ^ (key >> 32);
}

/** map_text_key - a key for a text (FNV-1a) */
static inline uint64_t map_text_key(const char *text, size_t len)
{
	uint64_t key = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < len; i++)
		key = (key ^ (unsigned char)text[i]) * 0x100000001b3ull;
	return key;
}

/** map_slot_of - the first slot to search for @key; the map is not empty */
static inline struct map_slot *map_slot_of(const struct map *m, uint64_t key)
{
	return &m->slots[map_hash(key) & m->mask];
}

/** map_get - the value of @key, or NULL */
static inline void *map_get(const struct map *m, uint64_t key)
{
	size_t i;

	if (!m->mask)
		return NULL;
	for (i = map_hash(key) & m->mask; m->slots[i].key != key;
	     i = (i + 1) & m->mask) {
		if (!m->slots[i].value)
			break;
	}
	return m->slots[i].key == key ? m->slots[i].value : NULL;
}

/** map_put - set @key to @value */
void map_put(struct map *m, uint64_t key, void *value);

/** map_reserve - memory for @n keys, so that map_put() needs none */
void map_reserve(struct map *m, size_t n);

/** map_del - remove @key, if it is there */
void map_del(struct map *m, uint64_t key);

/** map_clear - remove all keys, keep the memory */
void map_clear(struct map *m);

/** map_free - an empty map again; values are the caller's */
void map_free(struct map *m);

/** map_for_each - every used slot, in no order; the map must not change */
#define map_for_each(m, slot) \
	for (slot = (m)->slots; \
	     (m)->mask && slot <= (m)->slots + (m)->mask; slot++) \
		if (!slot->value) \
			continue; \
		else

#endif /* FT_BASE_MAP_H */
