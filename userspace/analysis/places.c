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
	const struct table_row *row;
	struct places *p;

	if (!symbols || !symbols->programs)
		return NULL;
	p = mem_zalloc(1, sizeof(*p));
	p->symbols = symbols;
	p->place.size = sizeof(struct place);
	p->place.max = SIZE_MAX;
	table_for_each(sites, row) {
		struct place *place = find(p, row->key);

		if (place && (!place->site || row->key < place->site))
			place->site = row->key;
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

void places_merge_table(struct places *p, struct table *t)
{
	struct table merged = { .refused = t->refused };
	const struct table_row *row;

	if (!p)
		return;
	table_for_each(t, row)
		table_merge(&merged, table_row(&merged, table_family(row),
					       places_of(p, row->key)), row);
	table_free(t);
	*t = merged;
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
