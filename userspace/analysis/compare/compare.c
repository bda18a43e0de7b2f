// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A comparison from the question to the answer. See compare.h. */
#include <err.h>
#include <stdlib.h>

#include "analysis/compare/compare_steps.h"
#include "base/mem.h"

static unsigned int named(const struct compare *c)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < c->n; i++)
		n += !!symbols_locks(c->trace[i].symbols);
	return n;
}

static bool is_wanted(const struct compare *c, const struct compare_question *q,
		      unsigned int table)
{
	if (q->by != DIGEST_TABLES)
		return q->by == table;
	return table == DIGEST_SITES || named(c) == c->n;
}

/* If only one trace names a thing, only that one has it. */
static void warn_unnamed(const struct compare *c, const struct compare_question *q)
{
	if (q->by != DIGEST_LOCK_CLASSES || named(c) == c->n)
		return;
	for (unsigned int i = 0; i < c->n; i++) {
		if (!symbols_locks(c->trace[i].symbols))
			warnx("%s has no names of locks: only the kernel's variables have a "
			      "class there", c->trace[i].trace.title);
	}
}

const struct compare *compare_read(const struct compare_question *q, char *const *dirs,
				   unsigned int n)
{
	struct compare *c = mem_zalloc(1, sizeof(*c));
	const struct digest_asked asked = {
		.filter = &q->filter, .classes = q->by == DIGEST_LOCK_CLASSES,
		.jobs = q->jobs, .crew = &c->crew,
	};

	c->limit = q->limit;
	for (c->n = 0; c->n < n; c->n++) {
		struct digest *d = &c->trace[c->n];

		if (digest_read(d, dirs[c->n], &asked)) {
			digest_free(d);
			compare_free(c);
			return NULL;
		}
	}
	for (unsigned int t = 0; t < DIGEST_TABLES; t++) {
		if (!is_wanted(c, q, t))
			continue;
		compare_match(c, t);
		c->table[t].shown = c->table[t].n < q->top ? c->table[t].n : q->top;
	}
	warn_unnamed(c, q);
	compare_find_changes(c);
	return c;
}

void compare_free(const struct compare *answer)
{
	struct compare *c = (struct compare *)answer;

	if (!c)
		return;
	for (unsigned int t = 0; t < DIGEST_TABLES; t++)
		compare_free_rows(&c->table[t]);
	while (c->n)
		digest_free(&c->trace[--c->n]);
	crew_free(c->crew);
	free(c);
}
