// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What is different between experiments: see versus.h. */
#include <math.h>

#include "analysis/compare/compare.h"
#include "analysis/compare/statistics.h"
#include "base/mem.h"
#include "overheads/versus.h"

#define BLOCKS	64

/* Sums of samples, and their numbers, in blocks of samples that follow each other. */
struct blocks {
	double	sum[BLOCKS], n[BLOCKS];
};

static struct stat_ratio mean_of(const struct experiment *e, enum overhead kind)
{
	const struct samples *s = &e->pairing.kind[kind];
	struct blocks blocks = { 0 };

	for (size_t i = 0; i < s->n; i++) {
		size_t block = i * BLOCKS / s->n;

		blocks.sum[block] += (double)s->at[i] * 1e9 / (double)e->pairing.hz;
		blocks.n[block]++;
	}
	return stat_ratio(blocks.sum, blocks.n, BLOCKS);
}

static double relative(double from, double to)
{
	return from > 0 ? to / from - 1 : NAN;
}

static struct versus_change change_of(const struct versus *v, enum overhead kind, unsigned int i)
{
	const struct samples_summary *a = &v->sum[kind][0], *b = &v->sum[kind][i];
	struct versus_change change = { NAN, NAN, NAN, NAN, false };
	struct stat_ratio x, y;

	if (!v->samples[kind])
		return change;
	change.mean = relative(a->mean, b->mean);
	change.p99 = relative(a->p99, b->p99);
	change.max = relative(a->max, b->max);
	if (v->samples[kind] < VERSUS_LEAST)
		return change;
	x = mean_of(&v->experiment[0], kind);
	y = mean_of(&v->experiment[i], kind);
	change.p = stat_differ(&x, &y, stat_flat(&x, &y, STAT_CHANCE)).p;
	return change;
}

/* All tests together are wrong as seldom as one would be. */
static void call_changes(struct versus *v, double limit)
{
	double *p[OVERHEADS * VERSUS_MOST];
	size_t n = 0;

	for (unsigned int k = 0; k < OVERHEADS; k++) {
		for (unsigned int i = 1; i < v->n; i++)
			p[n++] = &v->change[k][i].p;
	}
	stat_holm(p, n);
	for (unsigned int k = 0; k < OVERHEADS; k++) {
		for (unsigned int i = 1; i < v->n; i++) {
			struct versus_change *change = &v->change[k][i];

			change->is_change = change->p <= COMPARE_ALPHA &&
					    fabs(change->mean) >= limit;
		}
	}
}

static void compare(struct versus *v, double limit)
{
	for (unsigned int k = 0; k < OVERHEADS; k++) {
		v->samples[k] = SIZE_MAX;
		for (unsigned int i = 0; i < v->n; i++) {
			size_t n = v->experiment[i].pairing.kind[k].n;

			v->samples[k] = n < v->samples[k] ? n : v->samples[k];
		}
		for (unsigned int i = 0; i < v->n; i++) {
			samples_choose(&v->experiment[i].pairing.kind[k], v->samples[k]);
			v->sum[k][i] = experiment_ns(&v->experiment[i], k);
		}
		for (unsigned int i = 1; i < v->n; i++)
			v->change[k][i] = change_of(v, k, i);
	}
	call_changes(v, limit);
}

struct versus *versus_read(char *const *dirs, unsigned int n, double limit)
{
	struct versus *v = mem_zalloc(1, sizeof(*v));

	for (v->n = 0; v->n < n; v->n++) {
		if (!experiment_read(&v->experiment[v->n], dirs[v->n])) {
			v->n++;
			versus_free(v);
			return NULL;
		}
	}
	compare(v, limit);
	return v;
}

void versus_free(struct versus *v)
{
	for (unsigned int i = 0; v && i < v->n; i++)
		experiment_free(&v->experiment[i]);
	mem_free(v);
}

bool versus_lost(const struct versus *v)
{
	for (unsigned int i = 0; i < v->n; i++) {
		if (experiment_lacks(&v->experiment[i]))
			return true;
	}
	return false;
}
