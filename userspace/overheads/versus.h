/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Experiments against each other. All have the same number of samples of each overhead,
 * chosen at random: the maximum of more samples tends to be greater.
 */
#ifndef FT_OVERHEADS_VERSUS_H
#define FT_OVERHEADS_VERSUS_H

#include <stdbool.h>

#include "overheads/experiment_show.h"

#define VERSUS_MOST	8
/* With fewer samples nothing is called a change. */
#define VERSUS_LEAST	64

/** struct versus_change - of an overhead, from the first experiment to another one */
struct versus_change {
	double	mean, p99, max;		/* relative: 0.3 is 30 percent more; NAN without samples */
	double	p;			/* of the means: that it is chance; NAN: no test */
	bool	is_change;
};

/**
 * struct versus - the answer
 * @samples:	so many of each
 * @sum:	in nanoseconds
 * @change:	[k][0]: nothing
 */
struct versus {
	struct experiment	experiment[VERSUS_MOST];
	unsigned int		n;
	size_t			samples[OVERHEADS];
	struct samples_summary	sum[OVERHEADS][VERSUS_MOST];
	struct versus_change	change[OVERHEADS][VERSUS_MOST];
};

/**
 * versus_read - read them all, and find what changed
 * @limit:	least relative change of a mean that is called one
 *
 * Is it chance? Samples are cut into blocks that follow each other in time: see
 * analysis/compare/statistics.h. Return: NULL
 * after a message.
 */
struct versus *versus_read(char *const *dirs, unsigned int n, double limit);
void versus_free(struct versus *v);

/** versus_lost - does any of them lack samples? */
bool versus_lost(const struct versus *v);

void versus_text(const struct versus *v);
void versus_tsv(const struct versus *v);
void versus_json(const struct versus *v);

#endif /* FT_OVERHEADS_VERSUS_H */
