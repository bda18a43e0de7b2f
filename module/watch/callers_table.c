// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A bounded table of different call stacks.
 *
 * An entry is claimed by a compare-and-exchange of its hash, which never changes again, then
 * filled, and published by its depth. Entries are never removed, so a stack that is there is
 * found before the first free entry of its places. A context that finds its own hash in an entry
 * that is still being filled, by another CPU or by the context it interrupted, cannot wait: with
 * 64 equal bits, the stacks are taken for the same. Once it is filled, the addresses are
 * compared.
 */
#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "watch/callers_table.h"

/* How many places a stack may have. */
#define FT_CALLERS_PLACES	FT_STACKS_ROOM_MIN

/**
 * struct ft_callers_entry - a stack
 * @hash:	of its addresses; 0: free
 * @depth:	how many there are; 0: it is being filled
 * @addr:	innermost first
 */
struct ft_callers_entry {
	u64		hash;
	u32		depth;
	unsigned long	addr[FT_STACKS_DEPTH];
};

struct ft_callers_table {
	u32			room;
	struct ft_callers_entry	entry[];
};

struct ft_callers_table *ft_callers_table_new(u32 room)
{
	struct ft_callers_table *table;

	table = kvzalloc(struct_size(table, entry, room), GFP_KERNEL);
	if (table)
		table->room = room;
	return table;
}

void ft_callers_table_free(struct ft_callers_table *table)
{
	kvfree(table);
}

static u64 ft_callers_hash(const unsigned long *addr, u32 depth)
{
	u64 hash = depth;
	u32 i;

	for (i = 0; i < depth; i++)
		hash = rol64((hash ^ addr[i]) * GOLDEN_RATIO_64, 31);
	return hash ?: 1;
}

static bool ft_callers_is(const struct ft_callers_entry *entry, const unsigned long *addr,
			  u32 depth)
{
	/* Pairs with the release in ft_callers_table_id(). */
	u32 has = smp_load_acquire(&entry->depth);

	return !has || (has == depth && !memcmp(entry->addr, addr, depth * sizeof(*addr)));
}

u32 ft_callers_table_id(struct ft_callers_table *table, const unsigned long *addr, u32 depth)
{
	u64 hash = ft_callers_hash(addr, depth), was;
	struct ft_callers_entry *entry;
	u32 i, at;

	for (i = 0; i < FT_CALLERS_PLACES; i++) {
		at = ((hash >> 32) + i) & (table->room - 1);
		entry = &table->entry[at];
		was = READ_ONCE(entry->hash);
		if (!was)
			was = cmpxchg(&entry->hash, 0, hash);
		if (!was) {
			memcpy(entry->addr, addr, depth * sizeof(*addr));
			/* Pairs with the acquires of those who compare or copy it. */
			smp_store_release(&entry->depth, depth);
			return at + 1;
		}
		if (was == hash && ft_callers_is(entry, addr, depth))
			return at + 1;
	}
	return 0;
}

u32 ft_callers_table_get(const struct ft_callers_table *table, u32 *id, u64 *addr)
{
	const struct ft_callers_entry *entry;
	u32 at, depth, i;

	for (at = *id ? *id - 1 : 0; at < table->room; at++) {
		entry = &table->entry[at];
		/* Pairs with the release in ft_callers_table_id(). */
		depth = smp_load_acquire(&entry->depth);
		if (!depth)
			continue;
		for (i = 0; i < depth; i++)
			addr[i] = entry->addr[i];
		*id = at + 1;
		return depth;
	}
	*id = 0;
	return 0;
}
