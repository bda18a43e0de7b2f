// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Experiments against each other, shown: see versus.h. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "analysis/compare/compare.h"
#include "base/json.h"
#include "overheads/summary_show.h"
#include "overheads/versus.h"

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

/* "wake-up latency of real-time tasks" */
static void put_title(enum overhead kind)
{
	if (overhead_kinds[kind].part)
		printf("\n%s %s", overhead_kinds[kind - 1].title, overhead_kinds[kind].title);
	else
		printf("\n%s", overhead_kinds[kind].title);
}

static void print_kind(const struct versus *v, enum overhead kind)
{
	char words[WORDS];

	put_title(kind);
	if (!v->samples[kind]) {
		printf(": not in all of them\n");
		return;
	}
	printf(", %zu samples each\n", v->samples[kind]);
	for (unsigned int i = 0; i < v->n; i++) {
		printf("  %c", compare_letter(i));
		summary_text(&v->sum[kind][i]);
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
	printf("\n   ");
	summary_text_head();
	printf("\n");
	for (unsigned int k = 0; k < OVERHEADS; k++)
		print_kind(v, k);
}

void versus_tsv(const struct versus *v)
{
	printf("overhead\texperiment\tsamples");
	summary_tsv_head();
	printf("\tverdict\n");
	for (unsigned int k = 0; k < OVERHEADS; k++) {
		for (unsigned int i = 0; i < v->n; i++) {
			char words[WORDS];

			printf("%s\t%c\t%zu", overhead_kinds[k].name, compare_letter(i),
			       v->samples[k]);
			summary_tsv(&v->sum[k][i]);
			printf("\t%s\n", i ? verdict(v, k, i, words) : "");
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
	const struct versus_change *change = &v->change[kind][i];

	json_object(j, NULL);
	summary_json(j, &v->sum[kind][i]);
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
