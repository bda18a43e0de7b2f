// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Mappings by address. See mappings.h. */
#include <string.h>

#include "base/array.h"
#include "base/mem.h"
#include "heap/mappings.h"

static uint64_t end_of(const struct heap_block *block)
{
	return block->address + block->size;
}

/* The first one that ends behind @address. */
static size_t first_behind(const struct heap_mappings *m, uint64_t address)
{
	return array_first(m->n, i, end_of(&m->at[i]) <= address);
}

struct heap_block *heap_mappings_find(const struct heap_mappings *m, uint64_t address)
{
	size_t i = first_behind(m, address);

	return i < m->n && m->at[i].address == address ? &m->at[i] : NULL;
}

void heap_mappings_put(struct heap_mappings *m, const struct heap_block *block)
{
	size_t i = first_behind(m, block->address);

	if (!block->size)
		return;
	if (m->n == m->room) {
		m->room = 2 * m->room + 16;
		m->at = mem_resize(m->at, m->room, sizeof(*m->at));
	}
	memmove(&m->at[i + 1], &m->at[i], (m->n - i) * sizeof(*m->at));
	m->at[i] = *block;
	m->n++;
}

static void remove_at(struct heap_mappings *m, size_t i)
{
	m->n--;
	memmove(&m->at[i], &m->at[i + 1], (m->n - i) * sizeof(*m->at));
}

void heap_mappings_cut(struct heap_mappings *m, uint64_t from, uint64_t end,
		       void (*gone)(void *arg, const struct heap_block *part),
		       void (*stays)(void *arg, const struct heap_block *part), void *arg)
{
	size_t i = first_behind(m, from);

	while (i < m->n && m->at[i].address < end) {
		struct heap_block whole = m->at[i], part = whole, before = whole, behind = whole;

		part.address = whole.address > from ? whole.address : from;
		part.size = (end_of(&whole) < end ? end_of(&whole) : end) - part.address;
		before.size = part.address - whole.address;
		behind.address = end_of(&part);
		behind.size = end_of(&whole) - behind.address;
		remove_at(m, i);
		if (before.size)
			stays(arg, &before);
		if (behind.size)
			stays(arg, &behind);
		gone(arg, &part);
		heap_mappings_put(m, &before);
		heap_mappings_put(m, &behind);
		i = first_behind(m, end_of(&part));
	}
}

void heap_mappings_free(struct heap_mappings *m)
{
	mem_free(m->at);
	*m = (struct heap_mappings){ 0 };
}
