// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The overheads of an experiment, shown: see experiment_show.h. */
#include <inttypes.h>
#include <stdio.h>

#include "base/array.h"
#include "base/json.h"
#include "base/mem.h"
#include "overheads/experiment_show.h"
#include "overheads/summary_show.h"

#define REASON_LEN	128

const char *experiment_reason(const struct experiment *r, enum overhead kind, char *buf,
			      size_t size)
{
	const char *missing = r->pairing.missing[kind];

	if (kind == OVERHEAD_SYSCALL && r->pairing.no_calls)
		snprintf(buf, size, "the trace has another clock than programs");
	else if (missing)
		snprintf(buf, size, "the trace has no event '%s'", missing);
	else if (r->pairing.kind[kind].disturbed || r->pairing.kind[kind].cut)
		snprintf(buf, size, "all were disturbed or cut");
	else
		snprintf(buf, size, "it did not happen");
	return buf;
}

static void scale(struct samples_summary *s, double by)
{
	double *const values[] = {
		&s->min, &s->mean, &s->deviation, &s->p50, &s->p95, &s->p99, &s->p999, &s->max,
	};

	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		*values[i] *= by;
}

struct samples_summary experiment_ns(const struct experiment *r, enum overhead kind)
{
	struct samples_summary s = samples_summarize(&r->pairing.kind[kind]);

	scale(&s, 1e9 / (double)r->pairing.hz);
	return s;
}

/* --- for people ----------------------------------------------------------- */

static void print_kind(const struct experiment *r, enum overhead k)
{
	const struct samples *s = &r->pairing.kind[k];
	struct samples_summary sum = experiment_ns(r, k);
	char reason[REASON_LEN];

	printf("%s%-*s %9zu %9" PRIu64 " %7" PRIu64, overhead_kinds[k].part ? "  " : "",
	       overhead_kinds[k].part ? 18 : 20, overhead_kinds[k].title, s->n, s->disturbed,
	       s->cut);
	if (!s->n) {
		printf("  %s\n", experiment_reason(r, k, reason, sizeof(reason)));
		return;
	}
	summary_text(&sum);
	printf("\n");
}

void experiment_text(const struct experiment *r)
{
	printf("%s, Linux %s, %s CPUs, for %s s; load: %s\n\n", r->host, r->kernel, r->cpus,
	       r->seconds, r->load);
	printf("%-20s %9s %9s %7s", "", "samples", "disturbed", "cut");
	summary_text_head();
	printf("\n");
	for (unsigned int k = 0; k < OVERHEADS; k++)
		print_kind(r, k);
	if (r->pairing.lost)
		printf("\n%" PRIu64 " records were lost: samples are missing.\n", r->pairing.lost);
	else if (r->is_incomplete)
		printf("\nThe kernel left out a kprobe: samples are missing.\n");
}

/* --- for programs --------------------------------------------------------- */

void experiment_tsv(const struct experiment *r)
{
	printf("overhead\tsamples\tdisturbed\tcut");
	summary_tsv_head();
	printf("\n");
	for (unsigned int k = 0; k < OVERHEADS; k++) {
		const struct samples *s = &r->pairing.kind[k];
		struct samples_summary sum = experiment_ns(r, k);

		printf("%s\t%zu\t%" PRIu64 "\t%" PRIu64, overhead_kinds[k].name, s->n, s->disturbed,
		       s->cut);
		summary_tsv(&sum);
		printf("\n");
	}
}

static void put_kind(struct json *j, const struct experiment *r, enum overhead k)
{
	const struct samples *s = &r->pairing.kind[k];
	struct samples_summary sum = experiment_ns(r, k);
	char reason[REASON_LEN];

	json_object(j, overhead_kinds[k].name);
	json_u64(j, "samples", s->n);
	json_u64(j, "disturbed", s->disturbed);
	json_u64(j, "cut", s->cut);
	if (s->n)
		summary_json(j, &sum);
	else
		json_text(j, "reason", experiment_reason(r, k, reason, sizeof(reason)));
	json_end(j);
}

void experiment_json(const struct experiment *r)
{
	struct json j = { .f = stdout, .flat = 2 };

	json_object(&j, NULL);
	json_text(&j, "host", r->host);
	json_text(&j, "kernel", r->kernel);
	json_text(&j, "cpus", r->cpus);
	json_text(&j, "duration_s", r->seconds);
	json_text(&j, "load", r->load);
	json_u64(&j, "lost", r->pairing.lost);
	json_bool(&j, "complete", !experiment_lacks(r));
	json_object(&j, "overheads");
	for (unsigned int k = 0; k < OVERHEADS; k++)
		put_kind(&j, r, k);
	json_end(&j);
	json_end(&j);
}

static void put_csv(const struct experiment *r, enum overhead k,
		    const struct samples_summary *sum, const char *file)
{
	double n = (double)r->pairing.kind[k].n;
	char *cpus = experiment_name_part(r->cpus);
	/* that of all, where the deviation is that of a sample */
	double variance = sum->deviation * sum->deviation * (n - 1) / n;

	printf("Linux, %s, %s, microseconds, *, %.0f, ", cpus, overhead_kinds[k].field, n);
	printf("%.5f, %.5f, %.5f, %.5f, ", sum->max, sum->p999, sum->p99, sum->p95);
	printf("%.5f, %.5f, %.5f, %.5f, %.5f, %s\n", sum->mean, sum->p50, sum->min,
	       sum->deviation, variance, file);
	mem_free(cpus);
}

void experiment_csv(const struct experiment *r)
{
	printf("#Plugin, #cores, Overhead, Unit, #tasks, #samples, max, 99.9th perc., 99th perc., "
	       "95th perc., avg, med, min, std, var, file\n");
	for (unsigned int k = 0; k < OVERHEADS; k++) {
		const struct samples *s = &r->pairing.kind[k];
		struct samples_summary sum = experiment_ns(r, k);
		char *file = experiment_samples_name(r, k);

		scale(&sum, 1e-3);
		if (s->n)
			put_csv(r, k, &sum, file);
		mem_free(file);
	}
}
