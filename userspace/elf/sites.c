// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The triggers of a file: a list of them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "elf/sites.h"

void sites_add(struct sites *s, struct place at, const char *event, size_t len,
	       unsigned int id)
{
	if (!(s->n & (s->n - 1)))		/* 0, 1, 2, 4, ... */
		s->site = mem_resize(s->site, 2 * s->n + 1, sizeof(*s->site));
	s->site[s->n] = (struct site){
		.at = at,
		.event = event ? mem_check(strndup(event, len)) : NULL,
		.id = id,
		.order = s->n,
	};
	s->n++;
}

bool sites_is_name(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (!isalnum((unsigned char)name[i]) && name[i] != '_')
			return false;
	}
	return len;
}

void sites_free(struct sites *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct site *site = &s->site[i];

		for (size_t k = 0; k < site->n_inlined; k++)
			free(site->inlined[k]);
		free(site->inlined);
		free(site->function);
		free(site->source);
		free(site->section);
		free(site->event);
	}
	free(s->site);
}

static int compare_order(const struct site *a, const struct site *b)
{
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Numbers come before names. */
static int compare_events(const void *a, const void *b)
{
	const struct site *x = a, *y = b;
	int ret;

	if (!x->event != !y->event)
		return x->event ? 1 : -1;
	ret = x->event ? strcmp(x->event, y->event) :
	      x->id < y->id ? -1 : x->id > y->id;
	return ret ? ret : compare_order(x, y);
}

static int compare_addresses(const void *a, const void *b)
{
	const struct site *x = a, *y = b;

	if (x->at.section != y->at.section)
		return x->at.section < y->at.section ? -1 : 1;
	if (x->at.addr != y->at.addr)
		return x->at.addr < y->at.addr ? -1 : 1;
	return compare_order(x, y);
}

void sites_sort(struct sites *s, enum sites_order order)
{
	if (s->n && order != SITES_BY_FILE)
		qsort(s->site, s->n, sizeof(*s->site), order == SITES_BY_EVENT ?
		      compare_events : compare_addresses);
}
