/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The longest critical sections of each group of locks, each with the sections that began
 * inside it.
 */
#ifndef FT_ANALYSIS_LONGEST_H
#define FT_ANALYSIS_LONGEST_H

#include <stddef.h>
#include <stdint.h>

#include "locks/locks.h"

/**
 * struct long_section - one of the longest
 * @inside:	what began inside it, by time; some may have no end
 * @ended:	how many ended inside it; more than @n_inside has, where not all
 *		are remembered
 * @stack:	its number; 0: not known
 */
struct long_section {
	struct section	section;
	struct section	*inside;
	unsigned int	n_inside;
	uint32_t	ended;
	uint32_t	stack;		/* from longest_stack() */
};

/* The longest of a group: private. */
struct longest_group {
	size_t			n;
	size_t			shortest;	/* when it is full */
	uint64_t		limit;		/* what is not longer stays out */
	struct long_section	*at;
};

struct longest {
	size_t			max;
	struct longest_group	group[LOCKS_GROUPS];
};

/** longest_new - keep @n sections of each group */
struct longest *longest_new(size_t n);
void longest_free(struct longest *l);

/* Private: takes it in. */
void longest_add(struct longest *l, const struct locks *locks,
		 const struct section *s);

/** longest_end - this section is being ended */
static inline void longest_end(struct longest *l, const struct locks *locks,
			       const struct section *s)
{
	struct longest_group *g = &l->group[locks_group(s->family)];

	if (g->n < l->max || s->end - s->start > g->limit)
		longest_add(l, locks, s);
}

/** longest_stack - this section, which has ended, has this stack */
void longest_stack(struct longest *l, const struct section *s, uint32_t number);

/** longest_finish - sort: longest first */
void longest_finish(struct longest *l);

/** longest_list - after that: of a group */
const struct long_section *longest_list(const struct longest *l,
					enum locks_group group, size_t *n);

#endif /* FT_ANALYSIS_LONGEST_H */
