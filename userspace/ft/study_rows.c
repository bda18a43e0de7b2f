// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ft study: the paper's numbers beside ours.
 *
 * The paper's spinlocks are the family spin. Its semaphores were what slept while
 * waiting, also where a mutex or rwsem would be taken today: so they stand beside
 * all sleeping locks. Nesting is told of each kind by itself: spinning locks held on
 * the CPU, sleeping ones by the task.
 */
#include <inttypes.h>
#include <stdio.h>

#include "ft/study_page.h"
#include "ft/study_paper.h"
#include "view/page/page.h"
#include "view/text/text.h"

static struct study_row *new_row(struct study_results *s)
{
	struct study_row *row = &s->row[s->n_rows++];
	unsigned int w;

	*row = (struct study_row){ 0 };
	for (w = 0; w < STUDY_WORKLOADS; w++)
		row->holds[w] = -1;
	return row;
}

static const struct report_class *class_of(const struct report *r,
					   enum paper_kind kind)
{
	return kind == PAPER_SPIN ? &r->family[FT_LOCK_SPIN] :
				    &r->group[GROUP_SLEEPING];
}

/* Also of sections that the ends of the trace cut. */
static uint64_t acquisitions(const struct report *r, enum paper_kind kind)
{
	unsigned int family;
	uint64_t sum = 0;

	if (r->filter.active)	/* whose they are is known of whole sections alone */
		return class_of(r, kind)->lengths.count;
	if (kind == PAPER_SPIN)
		return report_balance(r, FT_LOCK_SPIN).acquires;
	for (family = 0; family < LOCKS_FAMILIES; family++) {
		if (!locks_is_spinning(family))
			sum += report_balance(r, family).acquires;
	}
	return sum;
}

static double per_second(const struct report *r, uint64_t n)
{
	double seconds = report_seconds(r, (double)(r->last - r->first));

	return seconds > 0 ? (double)n / seconds : 0;
}

static void rows_number(struct study_results *s, enum paper_kind kind)
{
	struct study_row *number = new_row(s), *rate = new_row(s);
	unsigned int w;

	snprintf(number->name, sizeof(number->name), "%s: acquisitions",
		 paper[kind].name);
	snprintf(rate->name, sizeof(rate->name), "%s: a second and CPU",
		 paper[kind].name);
	for (w = 0; w < STUDY_WORKLOADS; w++) {
		const struct report *r = &s->report[w];
		unsigned int cpus;
		uint64_t n;

		if (w < STUDY_PAPER) {
			n = paper[kind].acquisitions[w];
			snprintf(number->paper[w], STUDY_CELL, "%" PRIu64, n);
			text_rate(rate->paper[w],
				  (double)n / PAPER_SECONDS / PAPER_CPUS);
		}
		if (!s->have[w])
			continue;
		cpus = trace_cpu_streams(&r->trace);
		n = acquisitions(r, kind);
		snprintf(number->here[w], STUDY_CELL, "%" PRIu64, n);
		text_rate(rate->here[w], per_second(r, n) / (cpus ? cpus : 1));
	}
}

static void row_mean(struct study_results *s, enum paper_kind kind)
{
	struct study_row *row = new_row(s);
	unsigned int w;

	snprintf(row->name, sizeof(row->name), "%s: mean length",
		 paper[kind].name);
	row->time = true;
	for (w = 0; w < STUDY_WORKLOADS; w++) {
		const struct report *r = &s->report[w];

		if (w < STUDY_PAPER)
			text_ps(row->paper[w],
				(report_ps)(paper[kind].mean_us[w] * 1e6 + 0.5));
		if (s->have[w] && class_of(r, kind)->lengths.count)
			text_ps(row->here[w],
				  report_mean(r, &class_of(r, kind)->lengths));
	}
}

static uint64_t count_below(const struct report *r, const struct report_class *c,
			    unsigned int us)
{
	unsigned int i;

	for (i = 0; i < r->n_limits; i++) {
		if (r->limit[i].ns == us * 1000u)
			return c->below[i];
	}
	return 0;
}

static void row_below(struct study_results *s, enum paper_kind kind)
{
	const struct paper_group *p = &paper[kind];
	struct study_row *row = new_row(s);
	unsigned int w;

	snprintf(row->name, sizeof(row->name), "%s: shorter than %u us", p->name,
		 p->limit_us);
	row->time = row->claim = true;
	for (w = 0; w < STUDY_WORKLOADS; w++) {
		const struct report *r = &s->report[w];
		const struct report_class *c;
		uint64_t n;

		if (w != STUDY_IDLE || !p->under_load)
			snprintf(row->paper[w], STUDY_CELL, "> %g %%", p->share);
		if (!s->have[w] || !(c = class_of(r, kind))->lengths.count)
			continue;
		n = count_below(r, c, p->limit_us);
		text_share(row->here[w], n, c->lengths.count);
		if (*row->paper[w] && !*s->emulator)
			row->holds[w] = report_percent(n, c->lengths.count) > p->share;
	}
}

/* Sections of this kind that began with more than @depth locks held; *@all: of any. */
static uint64_t count_deeper(const struct report *r, enum locks_scope scope,
			     unsigned int depth, uint64_t *all)
{
	unsigned int i, depths = report_depths(r, scope);
	uint64_t deeper = 0;

	*all = 0;
	for (i = 0; i < depths; i++) {
		*all += r->depth[scope][i];
		if (i > depth)
			deeper += r->depth[scope][i];
	}
	return deeper;
}

static void row_non_nested(struct study_results *s, enum paper_kind kind)
{
	const struct paper_group *p = &paper[kind];
	struct study_row *row = new_row(s);
	unsigned int w;

	snprintf(row->name, sizeof(row->name), "%s: not nested", p->name);
	row->claim = true;
	for (w = 0; w < STUDY_WORKLOADS; w++) {
		uint64_t all = 0, n = 0;

		if (w != STUDY_IDLE)
			snprintf(row->paper[w], STUDY_CELL, "> %u %%", p->non_nested);
		if (s->have[w])
			n = count_deeper(&s->report[w], p->scope, 0, &all);
		if (!all)
			continue;
		n = all - n;
		text_share(row->here[w], n, all);
		if (w != STUDY_IDLE)
			row->holds[w] = report_percent(n, all) > p->non_nested;
	}
}

static void row_deepest(struct study_results *s, enum paper_kind kind)
{
	const struct paper_group *p = &paper[kind];
	struct study_row *row = new_row(s);
	unsigned int w, depths;

	snprintf(row->name, sizeof(row->name), "%s: deepest nesting", p->name);
	row->claim = true;
	for (w = 0; w < STUDY_WORKLOADS; w++) {
		unsigned int told = w < STUDY_PAPER ? p->deepest[w] : p->deepest_ever;

		snprintf(row->paper[w], STUDY_CELL, "%u", told);
		depths = s->have[w] ? report_depths(&s->report[w], p->scope) : 0;
		if (!depths)
			continue;
		snprintf(row->here[w], STUDY_CELL, "%u", depths - 1);
		row->holds[w] = depths - 1 <= told;
	}
}

static void row_deeper(struct study_results *s, enum paper_kind kind)
{
	const struct paper_group *p = &paper[kind];
	struct study_row *row = new_row(s);
	uint64_t deeper, all;
	unsigned int w;

	snprintf(row->name, sizeof(row->name), "%s: deeper than %u", p->name,
		 p->deepest_ever);
	row->claim = true;
	for (w = 0; w < STUDY_WORKLOADS; w++) {
		snprintf(row->paper[w], STUDY_CELL, "0 %%");
		if (!s->have[w])
			continue;
		deeper = count_deeper(&s->report[w], p->scope, p->deepest_ever, &all);
		if (!all)
			continue;
		snprintf(row->here[w], STUDY_CELL, "%.2g %%", report_percent(deeper, all));
		row->holds[w] = !deeper;
	}
}

void study_rows(struct study_results *s)
{
	unsigned int kind;

	for (kind = 0; kind < PAPER_KINDS; kind++) {
		rows_number(s, kind);
		row_mean(s, kind);
		row_below(s, kind);
		if (paper[kind].non_nested)
			row_non_nested(s, kind);
		row_deepest(s, kind);
		row_deeper(s, kind);
	}
}

const char *study_verdict(const struct study_results *s, unsigned int workload,
			  char *buf, size_t len)
{
	unsigned int i, hold = 0, judged = 0;

	for (i = 0; i < s->n_rows; i++) {
		hold += s->row[i].holds[workload] == 1;
		judged += s->row[i].holds[workload] >= 0;
	}
	snprintf(buf, len, "%u of %u", hold, judged);
	return buf;
}
