// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A comparison from the question to the answer. See compare.h. */
#include <stdlib.h>

#include "analysis/compare/compare_steps.h"
#include "base/mem.h"

const struct compare *compare_read(const struct compare_question *q, char *const *dirs,
				   unsigned int n)
{
	struct compare *c = mem_zalloc(1, sizeof(*c));

	c->limit = q->limit;
	for (c->n = 0; c->n < n; c->n++) {
		struct digest *d = &c->trace[c->n];

		if (digest_read(d, dirs[c->n], &q->filter)) {
			digest_free(d);
			compare_free(c);
			return NULL;
		}
	}
	compare_match_sites(c);
	c->n_shown = c->n_sites < q->top ? c->n_sites : q->top;
	compare_find_changes(c);
	return c;
}

void compare_free(const struct compare *answer)
{
	struct compare *c = (struct compare *)answer;

	if (!c)
		return;
	compare_free_sites(c);
	while (c->n)
		digest_free(&c->trace[--c->n]);
	free(c);
}
