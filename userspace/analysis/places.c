// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* One row for a call site, whatever process it is in. See places.h. */
#include <stdlib.h>

#include "analysis/places.h"
#include "base/mem.h"
#include "symbols/programs.h"
#include "symbols/table.h"

/* A place: its symbol in the text of the symbols, or its file; what is added to it. */
struct place {
	struct pair	key;
	uint64_t	site;		/* that stands for it */
};

struct places {
	const struct symbols	*symbols;
	struct pairs		place;
};

static struct place *find(struct places *p, uint64_t site)
{
	struct symbols_place at;

	if (!programs_is_address(site) || !symbols_place(p->symbols, site, true, &at))
		return NULL;
	return pairs_get(&p->place, (uintptr_t)(at.name ? at.name : at.module),
			 at.offset, !!at.name);
}

struct places *places_new(const struct symbols *symbols, const struct table *sites)
{
	struct map_slot *slot;
	unsigned int family;
	struct places *p;

	if (!symbols || !symbols->programs)
		return NULL;
	p = mem_zalloc(1, sizeof(*p));
	p->symbols = symbols;
	p->place.size = sizeof(struct place);
	p->place.max = SIZE_MAX;
	for (family = 0; family < LOCKS_FAMILIES; family++) {
		map_for_each(&sites->map[family], slot) {
			struct place *place = find(p, slot->key);

			if (place && (!place->site || slot->key < place->site))
				place->site = slot->key;
		}
	}
	return p;
}

void places_free(struct places *p)
{
	if (p)
		pairs_free(&p->place);
	free(p);
}

uint64_t places_of(struct places *p, uint64_t site)
{
	struct place *place = p ? find(p, site) : NULL;

	if (!place)
		return site;
	if (!place->site)
		place->site = site;
	return place->site;
}

static void merge_family(struct places *p, struct table *t, struct map *map)
{
	struct table_row **moved = mem_zalloc(map->used, sizeof(struct table_row *));
	struct map_slot *slot;
	size_t n = 0, i;

	map_for_each(map, slot) {
		if (places_of(p, slot->key) != slot->key)
			moved[n++] = slot->value;
	}
	for (i = 0; i < n; i++) {
		struct table_row *row = moved[i], *to;

		map_del(map, row->key);
		row->key = places_of(p, row->key);
		to = map_get(map, row->key);
		if (to) {
			table_merge(t, to, row);
			t->n_rows--;
		} else {
			map_put(map, row->key, row);
		}
	}
	free(moved);
}

void places_merge_table(struct places *p, struct table *t)
{
	unsigned int family;

	for (family = 0; p && family < LOCKS_FAMILIES; family++)
		merge_family(p, t, &t->map[family]);
}

void places_merge_pairs(struct places *p, struct pairs *pairs,
			void (*add)(void *to, const void *from))
{
	struct pairs merged = {
		.size = pairs->size, .max = pairs->max, .refused = pairs->refused,
	};
	struct pair **all;
	size_t i;

	if (!p)
		return;
	all = (struct pair **)pairs_list(pairs);
	for (i = 0; i < pairs->used; i++)
		add(pairs_get(&merged, places_of(p, all[i]->a),
			      places_of(p, all[i]->b), all[i]->tag), all[i]);
	free(all);
	pairs_free(pairs);
	*pairs = merged;
}
