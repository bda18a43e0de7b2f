// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The longest sections: candidates; the shortest leaves when a longer one comes. */
#include "analysis/longest.h"
#include "base/mem.h"

struct longest *longest_new(size_t n)
{
	struct longest *l = mem_zalloc(1, sizeof(*l));

	l->max = n;
	return l;
}

static uint64_t length(const struct long_section *s)
{
	return s->section.end - s->section.start;
}

static int compare_start(const void *a, const void *b)
{
	const struct section *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	/* of the same tick: that which is inside the other comes later */
	return (int)section_level(x) - (int)section_level(y);
}

static void fill(struct long_section *to, const struct locks *locks,
		 const struct section *s)
{
	struct section inside[LOCKS_INSIDE + LOCKS_MAX_HELD];
	unsigned int n = locks_inside(locks, s, inside, &to->ended);

	free(to->inside);
	to->stack = 0;
	to->section = *s;
	to->n_inside = n;
	to->inside = mem_resize(NULL, n, sizeof(*inside));
	memcpy(to->inside, inside, n * sizeof(*inside));
	if (n)
		qsort(to->inside, n, sizeof(*inside), compare_start);
}

static void find_shortest(struct longest_group *g)
{
	size_t i;

	g->shortest = 0;
	for (i = 1; i < g->n; i++) {
		if (length(&g->at[i]) <= length(&g->at[g->shortest]))
			g->shortest = i;
	}
	g->limit = length(&g->at[g->shortest]);
}

void longest_add(struct longest *l, const struct locks *locks,
		 const struct section *s)
{
	struct longest_group *g = &l->group[locks_group(s->family)];

	if (!l->max)
		return;
	if (g->n == l->max) {
		fill(&g->at[g->shortest], locks, s);
	} else {
		g->at = mem_resize(g->at, g->n + 1, sizeof(*g->at));
		g->at[g->n] = (struct long_section){ 0 };
		fill(&g->at[g->n++], locks, s);
	}
	if (g->n == l->max)
		find_shortest(g);
}

void longest_stack(struct longest *l, const struct section *s, uint32_t number)
{
	struct longest_group *g = &l->group[locks_group(s->family)];

	for (size_t i = 0; i < g->n; i++) {
		const struct section *of = &g->at[i].section;

		if (of->start == s->start && of->lock == s->lock && of->tid == s->tid &&
		    of->cpu == s->cpu)
			g->at[i].stack = number;
	}
}

static int compare_length(const void *a, const void *b)
{
	const struct long_section *x = a, *y = b;

	if (length(x) != length(y))
		return length(x) > length(y) ? -1 : 1;
	if (x->section.start != y->section.start)
		return x->section.start < y->section.start ? -1 : 1;
	if (x->section.cpu != y->section.cpu)
		return x->section.cpu < y->section.cpu ? -1 : 1;
	return (x->section.lock > y->section.lock) -
	       (x->section.lock < y->section.lock);
}

void longest_finish(struct longest *l)
{
	unsigned int i;

	for (i = 0; i < LOCKS_GROUPS; i++) {
		if (l->group[i].n)
			qsort(l->group[i].at, l->group[i].n,
			      sizeof(*l->group[i].at), compare_length);
	}
}

const struct long_section *longest_list(const struct longest *l,
					enum locks_group group, size_t *n)
{
	*n = l->group[group].n;
	return l->group[group].at;
}

void longest_free(struct longest *l)
{
	unsigned int i;
	size_t n;

	if (!l)
		return;
	for (i = 0; i < LOCKS_GROUPS; i++) {
		for (n = 0; n < l->group[i].n; n++)
			free(l->group[i].at[n].inside);
		free(l->group[i].at);
	}
	free(l);
}
