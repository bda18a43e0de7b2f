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
