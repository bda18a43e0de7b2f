// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Experiments against each other, shown: see versus.h. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "analysis/compare.h"
#include "base/json.h"
#include "overheads/versus.h"
#include "view/text/text.h"

#define WORDS	32

/* "no change", "+12.3 %", or why it cannot be said */
static const char *verdict(const struct versus *v, enum overhead kind, unsigned int i,
			   char buf[WORDS])
{
	const struct versus_change *change = &v->change[kind][i];

	if (change->is_change)
		snprintf(buf, WORDS, "%s by %.1f %%", change->mean > 0 ? "longer" : "shorter",
			 100 * fabs(change->mean));
	else
		snprintf(buf, WORDS, "%s", v->samples[kind] < VERSUS_LEAST ? "too few samples" :
			 isnan(change->p) ? "varies too slowly to tell" : "no change");
	return buf;
}

static void put_cell(double ns)
{
	char cell[CELL];

	printf(" %8s", text_ps(cell, (report_ps)(ns * 1000)));
}

static void print_kind(const struct versus *v, enum overhead kind)
{
	char words[WORDS];

	printf("\n%s, %zu samples each\n", overhead_kinds[kind].title +
	       (kind == OVERHEAD_WAKEUP_RT ? 2 : 0), v->samples[kind]);
	for (unsigned int i = 0; i < v->n; i++) {
		const struct samples_summary *sum = &v->sum[kind][i];

		printf("  %c", compare_letter(i));
		put_cell(sum->min);
		put_cell(sum->mean);
		put_cell(sum->deviation);
		put_cell(sum->p50);
		put_cell(sum->p99);
		put_cell(sum->p999);
		put_cell(sum->max);
		printf("  %s\n", i ? verdict(v, kind, i, words) : "");
	}
}

void versus_text(const struct versus *v)
{
	for (unsigned int i = 0; i < v->n; i++) {
		const struct experiment *e = &v->experiment[i];

		printf("%c: %s, Linux %s, %s CPUs, for %s s; load: %s\n", compare_letter(i),
		       e->host, e->kernel, e->cpus, e->seconds, e->load);
		if (e->pairing.lost)
			printf("   %" PRIu64 " records were lost: samples are missing.\n",
			       e->pairing.lost);
	}
	printf("\n   %8s %8s %8s %8s %8s %8s %8s\n", "min", "mean", "std dev", "p50", "p99", "p99.9",
	       "max");
	for (unsigned int k = 0; k < OVERHEADS; k++) {
		if (v->samples[k])
			print_kind(v, k);
		else
			printf("\n%s: not in all of them\n", overhead_kinds[k].title +
			       (k == OVERHEAD_WAKEUP_RT ? 2 : 0));
	}
}

void versus_tsv(const struct versus *v)
{
	printf("overhead\texperiment\tsamples\tmin_ns\tmean_ns\tstddev_ns\tp50_ns\tp99_ns\tp999_ns\t"
	       "max_ns\tverdict\n");
	for (unsigned int k = 0; k < OVERHEADS; k++) {
		for (unsigned int i = 0; i < v->n; i++) {
			const struct samples_summary *sum = &v->sum[k][i];
			char words[WORDS];

			printf("%s\t%c\t%zu\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%s\n",
			       overhead_kinds[k].name, compare_letter(i), v->samples[k], sum->min,
			       sum->mean, sum->deviation, sum->p50, sum->p99, sum->p999, sum->max,
			       i ? verdict(v, k, i, words) : "");
		}
	}
}

static void put_ratio(struct json *j, const char *key, double value)
{
	if (isnan(value))
		json_null(j, key);
	else
		json_number(j, key, "%.6f", value);
}

static void put_one(struct json *j, const struct versus *v, enum overhead kind, unsigned int i)
{
	const struct samples_summary *sum = &v->sum[kind][i];
	const struct versus_change *change = &v->change[kind][i];

	json_object(j, NULL);
	json_number(j, "min_ns", "%.1f", sum->min);
	json_number(j, "mean_ns", "%.1f", sum->mean);
	json_number(j, "stddev_ns", "%.1f", sum->deviation);
	json_number(j, "p50_ns", "%.1f", sum->p50);
	json_number(j, "p99_ns", "%.1f", sum->p99);
	json_number(j, "p999_ns", "%.1f", sum->p999);
	json_number(j, "max_ns", "%.1f", sum->max);
	if (i) {
		put_ratio(j, "mean_change", change->mean);
		put_ratio(j, "p99_change", change->p99);
		put_ratio(j, "max_change", change->max);
		put_ratio(j, "p", change->p);
		json_bool(j, "is_change", change->is_change);
	}
	json_end(j);
}

void versus_json(const struct versus *v)
{
	struct json j = { .f = stdout, .flat = 3 };

	json_object(&j, NULL);
	json_array(&j, "experiments");
	for (unsigned int i = 0; i < v->n; i++) {
		const struct experiment *e = &v->experiment[i];

		json_object(&j, NULL);
		json_text(&j, "host", e->host);
		json_text(&j, "kernel", e->kernel);
		json_text(&j, "load", e->load);
		json_u64(&j, "lost", e->pairing.lost);
		json_end(&j);
	}
	json_end(&j);
	json_object(&j, "overheads");
	for (unsigned int k = 0; k < OVERHEADS; k++) {
		json_object(&j, overhead_kinds[k].name);
		json_u64(&j, "samples", v->samples[k]);
		json_array(&j, "values");
		for (unsigned int i = 0; i < v->n && v->samples[k]; i++)
			put_one(&j, v, k, i);
		json_end(&j);
		json_end(&j);
	}
	json_end(&j);
	json_end(&j);
}
