// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Lock order: counted as locks are acquired, inversions found at the end. The
 * maps are large, so what was seen passes through a queue, as in
 * counting/counting.c: places of maps, then entries, are fetched ahead.
 */
#include "analysis/order.h"
#include "analysis/order_return.h"
#include "base/mem.h"

#define QUEUE		32	/* a power of two */
#define STEP		(QUEUE / 4)

struct seen {
	struct order_edge	edge;
	bool			tried;
	uint64_t		hash_sites, hash_locks;
	void			*entry_sites, *entry_locks;	/* since the second step() */
};

struct order {
	struct pairs		sites, locks;
	uint64_t		skipped, tried;
	uint64_t		n;
	struct seen		queue[QUEUE];

	/* The result. */
	struct order_pair	**pairs;
	struct order_inversion	*inversions;
	size_t			n_inversions;
	bool			returns;	/* an edge may lead back to its lock */
};

struct order *order_new(void)
{
	struct order *o = mem_zalloc(1, sizeof(*o));

	o->sites.size = sizeof(struct order_pair);
	o->sites.max = ORDER_PAIRS;
	o->locks.size = sizeof(struct order_edge);
	o->locks.max = ORDER_LOCKS;
	return o;
}

void order_free(struct order *o)
{
	if (!o)
		return;
	pairs_free(&o->sites);
	pairs_free(&o->locks);
	free(o->pairs);
	free(o->inversions);
	free(o);
}

static void count(struct order *o, const struct seen *s)
{
	const struct order_edge *e = &s->edge;
	struct order_pair *pair;
	struct order_edge *edge;

	pair = pairs_get_near(&o->sites, s->entry_sites, s->hash_sites,
			      e->outer_site, e->inner_site,
			      order_tag(e->outer_family, e->inner_family));
	if (pair)
		pair->count++;
	if (s->tried) {
		o->tried++;
		return;
	}
	/* A reader came twice: no order. */
	if (e->key.a == e->key.b && !locks_are_apart(e->outer_family, e->inner_family))
		return;
	edge = pairs_get_near(&o->locks, s->entry_locks, s->hash_locks,
			      e->key.a, e->key.b, e->key.tag);
	if (!edge)
		return;
	if (!edge->count)
		*edge = *e;
	edge->modes |= e->modes;
	edge->several |= !order_same_doer(edge, e);
	edge->count++;
}

/* NULL: behind the last, or in front of the first. */
static struct seen *seen_at(struct order *o, uint64_t n)
{
	return n < o->n ? &o->queue[n % QUEUE] : NULL;
}

/*
 * The STEP from @first on have come. Each fetch is made for all of them, one beside the other,
 * so that the processor makes them side by side.
 */
static void step(struct order *o, uint64_t first)
{
	struct seen *s;
	uint64_t n;

	for (n = first; n < first + STEP && (s = seen_at(o, n)); n++) {
		mem_prefetch(pairs_place(&o->sites, s->hash_sites));
		mem_prefetch(pairs_place(&o->locks, s->hash_locks));
	}
	for (n = first - STEP; n != first && (s = seen_at(o, n)); n++) {
		s->entry_sites = pairs_entry(&o->sites, s->hash_sites);
		s->entry_locks = pairs_entry(&o->locks, s->hash_locks);
		mem_prefetch(s->entry_sites);
		mem_prefetch(s->entry_locks);
	}
	for (n = first - 2 * STEP; n != first - STEP && (s = seen_at(o, n)); n++)
		count(o, s);
}

/* A rwlock of the kernel lets readers of interrupts in, even if a writer waits. */
static enum order_mode wanted(const struct section *s)
{
	const struct locks_family *family = &locks_families[s->family];

	if (!family->reader)
		return ORDER_EXCLUSIVE;
	return family->again || (family->spinning && s->ctx) ? ORDER_READER_AGAIN :
							       ORDER_READER;
}

void order_begin(struct order *o, const struct section *inner,
		 const struct section *outer, bool tried)
{
	uint32_t tag = order_locks_tag(outer->family, inner->family);
	struct seen *s = &o->queue[o->n % QUEUE];

	s->edge = (struct order_edge){
		.key = { outer->lock, inner->lock, tag, inner->cpu },
		.tid = inner->tid,
		.ctx = inner->ctx,
		.outer_family = outer->family,
		.inner_family = inner->family,
		.modes = order_modes(locks_families[outer->family].reader ? ORDER_READER :
				     ORDER_EXCLUSIVE, wanted(inner)),
		.when = inner->start,
		.outer_site = outer->site,
		.inner_site = inner->site,
	};
	s->tried = tried;
	s->hash_sites = pairs_hash(outer->site, inner->site,
				   order_tag(outer->family, inner->family));
	s->hash_locks = pairs_hash(outer->lock, inner->lock, tag);
	if (++o->n % STEP == 0)
		step(o, o->n - STEP);
}

void order_skip(struct order *o, uint64_t n)
{
	o->skipped += n;
}

/* The result. */

static int compare_pairs(const void *a, const void *b)
{
	const struct order_pair *x = *(struct order_pair *const *)a;
	const struct order_pair *y = *(struct order_pair *const *)b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	if (x->key.a != y->key.a)
		return x->key.a < y->key.a ? -1 : 1;
	if (x->key.b != y->key.b)
		return x->key.b < y->key.b ? -1 : 1;
	return (x->key.tag > y->key.tag) - (x->key.tag < y->key.tag);
}

/* By the four places. */
static int compare_places(const void *a, const void *b)
{
	const struct order_inversion *x = a, *y = b;
	const uint64_t left[] = {
		x->there->outer_site, x->there->inner_site,
		x->back->outer_site, x->back->inner_site,
	};
	const uint64_t right[] = {
		y->there->outer_site, y->there->inner_site,
		y->back->outer_site, y->back->inner_site,
	};
	unsigned int i;

	for (i = 0; i < 4; i++) {
		if (left[i] != right[i])
			return left[i] < right[i] ? -1 : 1;
	}
	return 0;
}

static int compare_places_and_locks(const void *a, const void *b)
{
	const struct pair *x = &((const struct order_inversion *)a)->there->key;
	const struct pair *y = &((const struct order_inversion *)b)->there->key;
	int order = compare_places(a, b);

	if (order)
		return order;
	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	if (x->b != y->b)
		return x->b < y->b ? -1 : 1;
	return (x->tag > y->tag) - (x->tag < y->tag);
}

static int compare_inversions(const void *a, const void *b)
{
	const struct order_inversion *x = a, *y = b;
	uint64_t left = x->there_count + x->back_count;
	uint64_t right = y->there_count + y->back_count;

	if (left != right)
		return left > right ? -1 : 1;
	return compare_places_and_locks(a, b);
}

/* The way round with the lower place comes first, so that equal ones are alike. */
static struct order_inversion inversion(const struct order_edge *x,
					const struct order_edge *y)
{
	struct order_inversion straight = { x, y, x->count, y->count, 1 };
	struct order_inversion turned = { y, x, y->count, x->count, 1 };

	return compare_places(&straight, &turned) <= 0 ? straight : turned;
}

/* Of two opposite edges, the one to skip. */
static bool is_turned(const struct pair *key)
{
	/* A raw spinlock around the lock that it is part of has the greater tag. */
	if (key->a == key->b)
		return key->tag > 1;
	return key->a > key->b;
}

static void find_inversions(struct order *o)
{
	const struct order_edge **edges = (const struct order_edge **)pairs_list(&o->locks);
	size_t n_edges = order_return(edges, o->locks.used, NULL);
	struct order_inversion *all = NULL;
	size_t n = 0, room = 0, i;

	o->returns = n_edges;
	for (i = 0; i < n_edges; i++) {
		const struct order_edge *e = edges[i], *back;

		if (is_turned(&e->key))
			continue;	/* it is found from the other side */
		back = pairs_find(&o->locks, e->key.b, e->key.a,
				  order_locks_tag(e->inner_family, e->outer_family));
		if (!back)
			continue;
		if (n == room) {
			room = room ? 2 * room : 64;
			all = mem_resize(all, room, sizeof(*all));
		}
		all[n++] = inversion(e, back);
	}
	mem_free(edges);
	if (n)
		qsort(all, n, sizeof(*all), compare_places_and_locks);
	for (i = 0; i < n; i++) {
		struct order_inversion *last = &all[o->n_inversions];

		if (o->n_inversions && !compare_places(&last[-1], &all[i])) {
			last[-1].there_count += all[i].there_count;
			last[-1].back_count += all[i].back_count;
			last[-1].locks++;
		} else {
			*last = all[i];
			o->n_inversions++;
		}
	}
	if (n)
		qsort(all, o->n_inversions, sizeof(*all), compare_inversions);
	o->inversions = all;
}

static void add_pair(void *to, const void *from)
{
	((struct order_pair *)to)->count += ((const struct order_pair *)from)->count;
}

/* Places that processes have in common, as places.h has them. */
static void merge_places(struct order *o, struct places *places)
{
	struct order_edge **edges = (struct order_edge **)pairs_list(&o->locks);
	size_t i;

	for (i = 0; i < o->locks.used; i++) {
		edges[i]->outer_site = places_of(places, edges[i]->outer_site);
		edges[i]->inner_site = places_of(places, edges[i]->inner_site);
	}
	free(edges);
	places_merge_pairs(places, &o->sites, add_pair);
}

void order_finish(struct order *o, struct places *places)
{
	uint64_t first = o->n / STEP * STEP;

	/* the rest of the last STEP, if any, and those in front of it */
	step(o, first);
	step(o, first + STEP);
	step(o, first + 2 * STEP);
	if (places)
		merge_places(o, places);
	o->pairs = (struct order_pair **)pairs_list(&o->sites);
	if (o->sites.used)
		qsort(o->pairs, o->sites.used, sizeof(*o->pairs), compare_pairs);
	find_inversions(o);
}

const struct order_pair *const *order_pairs(const struct order *o, size_t *n)
{
	*n = o->sites.used;
	return (const struct order_pair *const *)o->pairs;
}

const struct order_inversion *order_inversions(const struct order *o, size_t *n)
{
	*n = o->n_inversions;
	return o->inversions;
}

static int compare_edges(const void *a, const void *b)
{
	const struct pair *x = &(*(struct order_edge *const *)a)->key;
	const struct pair *y = &(*(struct order_edge *const *)b)->key;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	if (x->b != y->b)
		return x->b < y->b ? -1 : 1;
	return (x->tag > y->tag) - (x->tag < y->tag);
}

/* Locks that are never both outer and inner are the rule: they need no graph. */
static bool may_return(const struct order *o, const struct lock_classes *classes)
{
	const struct order_edge **edges;
	bool returns;

	if (!classes || o->returns)
		return o->returns;
	edges = (const struct order_edge **)pairs_list(&o->locks);
	returns = order_return(edges, o->locks.used, classes);
	mem_free(edges);
	return returns;
}

const struct order_edge **order_edges(const struct order *o, const struct lock_classes *classes,
				      size_t *n)
{
	const struct order_edge **edges;

	*n = may_return(o, classes) ? o->locks.used : 0;
	if (!*n)
		return NULL;
	edges = (const struct order_edge **)pairs_list(&o->locks);
	qsort(edges, *n, sizeof(*edges), compare_edges);
	return edges;
}

uint64_t order_tried(const struct order *o)
{
	return o->tried;
}

uint64_t order_refused(const struct order *o)
{
	return o->sites.refused;
}

uint64_t order_refused_locks(const struct order *o)
{
	return o->locks.refused;
}

uint64_t order_skipped(const struct order *o)
{
	return o->skipped;
}
