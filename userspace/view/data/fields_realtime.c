// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The report for programs: what real-time tasks did. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/realtime/realtime.h"
#include "symbols/tasks.h"
#include "view/data/fields_put.h"

static void put_task_name(const struct report *r, struct fields *f, const char *column, int32_t tid)
{
	const char *name = names_find(r->names, tid);

	if (name)
		put_text(f, column, name);
}

static void put_states(const struct report *r, struct fields *f, const struct realtime_task *t)
{
	char column[32];

	for (unsigned int i = 0; i < REALTIME_STATES; i++) {
		snprintf(column, sizeof(column), "%s_ns", realtime_state_name(i));
		put_ns(f, column, report_span(r, t->ticks[i]));
	}
	put_ns(f, "unknown_ns", report_span(r, t->unknown));
	put_u64(f, "wakeups", t->wakeups);
	put_ns(f, "latency_max_ns", report_span(r, t->latency_max));
}

static void put_realtime_tasks(const struct report *r, struct fields *f)
{
	char row[16];

	f->table(f, "rt_task");
	for (size_t i = 0; i < r->realtime->tasks && i < r->top; i++) {
		const struct realtime_task *t = r->realtime->task[i];

		snprintf(row, sizeof(row), "%" PRId32, t->tid);
		f->row(f, row);
		put_task_name(r, f, "name", t->tid);
		put_text(f, "policy", realtime_policy(t->policy));
		put_number(f, "prio", "%d", t->prio);
		put_states(r, f, t);
	}
}

/* "4711:mutex:0xffff...<0xffff...": the task, the lock, the call site */
static void put_wait_row(struct fields *f, const struct realtime_wait *w)
{
	char row[FIELDS_ROW];

	snprintf(row, sizeof(row), "%" PRId32 ":%s:0x%" PRIx64 "<0x%" PRIx64, realtime_wait_task(w),
		 locks_name(w->family), w->key.a, w->key.b);
	f->row(f, row);
}

static void put_wait_of(const struct report *r, struct fields *f, const struct realtime_wait *w)
{
	put_task_name(r, f, "name", realtime_wait_task(w));
	put_symbol(r, f, "lock", w->key.a, false);
	if (w->key.b)
		put_symbol(r, f, "site", w->key.b, true);
}

static void put_holder(const struct report *r, struct fields *f, int32_t holder, uint64_t site)
{
	if (holder) {
		put_number(f, "holder", "%" PRId32, holder);
		put_task_name(r, f, "holder_name", holder);
	}
	if (site)
		put_symbol(r, f, "holder_site", site, true);
}

static void put_lengths(const struct report *r, struct fields *f, const char *prefix,
			const struct realtime_lengths *l)
{
	char column[32];

	snprintf(column, sizeof(column), "%scount", prefix);
	put_u64(f, column, l->count);
	put_total(f, prefix, report_span(r, l->sum), l->sum == UINT64_MAX);
	snprintf(column, sizeof(column), "%smax_ns", prefix);
	put_ns(f, column, report_span(r, l->max));
}

static void put_blocking(const struct report *r, struct fields *f)
{
	f->table(f, "rt_blocking");
	for (size_t i = 0; i < r->realtime->waits && i < r->top; i++) {
		const struct realtime_wait *w = r->realtime->wait[i];

		put_wait_row(f, w);
		put_wait_of(r, f, w);
		put_lengths(r, f, "", &w->blocked);
		put_u64(f, "holder_unknown", w->unheld);
		put_time(r, f, "max_at_ns", w->when);
		put_holder(r, f, w->holder, w->holder_site);
	}
}

static void put_inversions(const struct report *r, struct fields *f)
{
	f->table(f, "rt_inversion");
	for (size_t i = 0; i < r->realtime->inversions && i < r->top; i++) {
		const struct realtime_wait *w = r->realtime->inversion[i];
		const struct realtime_inversion *in = &w->longest;

		put_wait_row(f, w);
		put_wait_of(r, f, w);
		put_lengths(r, f, "", &w->inverted);
		put_lengths(r, f, "inherited_", &w->inherited);
		put_time(r, f, "max_at_ns", in->when);
		put_number(f, "prio", "%d", in->prio);
		put_holder(r, f, in->holder, in->holder_site);
		put_symbol(r, f, "holder_lock", in->holder_lock, false);
		put_number(f, "holder_prio", "%d", in->holder_prio);
		put_number(f, "runner", "%" PRId32, in->runner);
		put_task_name(r, f, "runner_name", in->runner);
		put_number(f, "runner_prio", "%d", in->runner_prio);
	}
}

static void put_kept(const struct report *r, struct fields *f)
{
	f->table(f, "rt_nonpreemptible");
	for (unsigned int i = 0; i < REALTIME_KEPT; i++) {
		const struct realtime_span *span = &r->realtime->kept[i];

		if (!realtime_kept_name(i) || !span->seen)
			continue;
		f->row(f, realtime_kept_name(i));
		put_lengths(r, f, "", &span->lengths);
		if (!span->lengths.count)
			continue;
		put_time(r, f, "max_at_ns", span->when);
		put_u64(f, "cpu", span->cpu);
		put_symbol(r, f, "site", span->site, true);
	}
}

void put_realtime(const struct report *r, struct fields *f)
{
	const struct realtime *rt = r->realtime;

	if (!rt)
		return;
	f->table(f, "rt");
	f->row(f, "-");
	put_u64(f, "wakings_known", rt->seen.wakings);
	put_u64(f, "interrupts_known", rt->seen.interrupts);
	put_u64(f, "waits_known", rt->seen.waits);
	put_u64(f, "holders_known", rt->seen.locks);
	put_u64(f, "inheritance_known", rt->seen.inheritance);
	put_u64(f, "preempt_off_known", rt->kept[REALTIME_PREEMPT_OFF].seen);
	put_u64(f, "irq_off_known", rt->kept[REALTIME_IRQ_OFF].seen);
	put_u64(f, "cut_waits", rt->cut_waits);
	put_u64(f, "cut_inversions", rt->cut_inversions);
	put_u64(f, "refused", rt->refused);
	put_lengths(r, f, "inversion_", &rt->inverted);
	put_lengths(r, f, "inherited_", &rt->inherited);
	put_realtime_tasks(r, f);
	put_blocking(r, f);
	put_inversions(r, f);
	put_kept(r, f);
}
