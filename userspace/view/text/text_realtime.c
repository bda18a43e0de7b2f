// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The report for people: what real-time tasks did. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/realtime/realtime.h"
#include "symbols/tasks.h"
#include "view/text/text.h"

#define TASK	32	/* room for the name and number of a task */

static const char *task_text(const struct report *r, int32_t tid, char buf[TASK])
{
	const char *name = names_find(r->names, tid);

	snprintf(buf, TASK, "%.15s %" PRId32, name ? name : "task", tid);
	return buf;
}

/* As chrt(1) and nice(1) count. */
static const char *prio_text(int prio, char buf[CELL])
{
	if (prio < 0)
		snprintf(buf, CELL, "deadline");
	else if (prio < 100)
		snprintf(buf, CELL, "rt %d", 99 - prio);
	else
		snprintf(buf, CELL, "nice %d", prio - 120);
	return buf;
}

static void print_cell(const struct report *r, uint64_t ticks)
{
	char cell[CELL];

	printf(" %8s", ticks ? text_ps(cell, report_span(r, ticks)) : "-");
}

static void text_tasks(const struct report *r)
{
	const struct realtime *rt = r->realtime;
	char name[TASK], policy[CELL];

	text_title(r, "Real-time tasks: what they did, as observed");
	if (!rt->tasks) {
		printf("none is selected, or none was seen\n");
		return;
	}
	printf("%-22s %-11s %7s %8s %8s %8s %8s %8s %8s\n%34s %7s %8s %8s %8s %8s %8s %8s\n",
	       "task", "policy", "running", "pre-", "latency", "longest", "blocked", "asleep",
	       "inter-", "", "", "empted", "", "latency", "", "", "rupted");
	for (size_t i = 0; i < rt->tasks && i < r->top; i++) {
		const struct realtime_task *t = rt->task[i];

		if (t->policy == REALTIME_DEADLINE)
			snprintf(policy, sizeof(policy), "DEADLINE");
		else
			snprintf(policy, sizeof(policy), "%s %d", realtime_policy(t->policy),
				 99 - t->prio);
		printf("%-22s %-10s", task_text(r, t->tid, name), policy);
		print_cell(r, t->ticks[REALTIME_RUNNING]);
		print_cell(r, t->ticks[REALTIME_PREEMPTED]);
		print_cell(r, t->ticks[REALTIME_LATENCY]);
		print_cell(r, t->latency_max);
		print_cell(r, t->ticks[REALTIME_BLOCKED]);
		print_cell(r, t->ticks[REALTIME_ASLEEP]);
		print_cell(r, t->ticks[REALTIME_INTERRUPTED]);
		putchar('\n');
		if (t->unknown)
			printf("%22s what it did for %s is not known\n", "",
			       text_ps(policy, report_span(r, t->unknown)));
	}
	if (rt->tasks > r->top)
		printf("and %zu more (--top 0)\n", rt->tasks - r->top);
}

static void print_lock(const struct report *r, const struct realtime_wait *w)
{
	char name[TASK], symbol[SYMBOLS_LEN];

	printf("  %s waits for the %s %s\n", task_text(r, realtime_wait_task(w), name),
	       r->family[w->family].title,
	       symbols_format(r->symbols, w->key.a, false, symbol, sizeof(symbol)));
	printf("%30s at %s\n", "", w->key.b ? text_site(r, w->key.b, symbol) : "(not known)");
}

static void print_holder(const struct report *r, int32_t holder, uint64_t site)
{
	char name[TASK], symbol[SYMBOLS_LEN];

	if (holder)
		printf("%30s held by %s, which took it at %s\n", "", task_text(r, holder, name),
		       text_site(r, site, symbol));
	else
		printf("%30s held by %s\n", "", site ? "an interrupt" : "(not known)");
}

/* Of a chain. */
static void print_last_holder(const struct report *r, const struct realtime_inversion *in)
{
	char name[TASK], symbol[SYMBOLS_LEN];

	printf("%30s in the end for %s, which holds %s,\n", "", task_text(r, in->holder, name),
	       symbols_format(r->symbols, in->holder_lock, false, symbol, sizeof(symbol)));
	printf("%30s taken at %s\n", "", text_site(r, in->holder_site, symbol));
}

static void print_lengths(const struct report *r, const struct realtime_lengths *l)
{
	print_cell(r, l->max);
	print_cell(r, l->sum);
	printf(" %9" PRIu64, l->count);
}

static void text_blocking(const struct report *r)
{
	const struct realtime *rt = r->realtime;

	text_title(r, "Observed blocking of real-time tasks: by task, lock and call site; the "
		   "holder is the longest's");
	if (!rt->waits) {
		printf("no wait was observed\n");
		return;
	}
	printf("%9s %8s %9s\n", "longest", "total", "number");
	for (size_t i = 0; i < rt->waits && i < r->top; i++) {
		const struct realtime_wait *w = rt->wait[i];

		print_lengths(r, &w->blocked);
		print_lock(r, w);
		print_holder(r, w->holder, w->holder_site);
		if (w->unheld && w->unheld < w->blocked.count)
			printf("%30s the holder of %" PRIu64 " is not known\n", "", w->unheld);
	}
	if (rt->waits > r->top)
		printf("and %zu more (--top 0)\n", rt->waits - r->top);
}

static void print_inversion(const struct report *r, const struct realtime_wait *w)
{
	char name[TASK], prios[3][CELL];
	const struct realtime_inversion *in = &w->longest;

	print_lengths(r, w->inverted.count ? &w->inverted : &w->inherited);
	print_lock(r, w);
	if (in->holder_lock == w->key.a)
		print_holder(r, in->holder, in->holder_site);
	else
		print_last_holder(r, in);
	printf("%30s while %s ran", "", task_text(r, in->runner, name));
	printf(" (waiter %s, holder %s, it %s)\n", prio_text(in->prio, prios[0]),
	       prio_text(in->holder_prio, prios[1]), prio_text(in->runner_prio, prios[2]));
	if (w->inverted.count && w->inherited.count)
		printf("%30s and %" PRIu64 " that inheritance shortened, at most %s\n", "",
		       w->inherited.count, text_ps(prios[0], report_span(r, w->inherited.max)));
}

/* Inversions of one kind: those that inheritance shortened, or the others. */
static void print_inversions(const struct report *r, bool inherited)
{
	const struct realtime *rt = r->realtime;
	size_t shown = 0;

	printf("%9s %8s %9s\n", "longest", "total", "number");
	for (size_t i = 0; i < rt->inversions; i++) {
		const struct realtime_wait *w = rt->inversion[i];

		if (!w->inverted.count == inherited && shown++ < r->top)
			print_inversion(r, w);
	}
	if (shown > r->top)
		printf("and %zu more (--top 0)\n", shown - r->top);
}

static void text_inversions(const struct report *r)
{
	const struct realtime *rt = r->realtime;
	bool only_inherited = false;

	text_title(r, "Observed priority inversions: the holder could run, but one of lower priority "
		   "than the waiter did");
	if (rt->inverted.count)
		print_inversions(r, false);
	else
		printf("none was observed\n");
	for (size_t i = 0; i < rt->inversions; i++)
		only_inherited |= !rt->inversion[i]->inverted.count;
	if (!only_inherited)
		return;
	text_title(r, "The same, shortened by inheritance: the holder got the waiter's priority");
	print_inversions(r, true);
}

static void text_kept(const struct report *r)
{
	const struct realtime *rt = r->realtime;
	char symbol[SYMBOLS_LEN];
	bool any = false;

	text_title(r, "Observed time in which a CPU preempts nobody");
	for (unsigned int i = 0; i < REALTIME_KEPT; i++) {
		const struct realtime_span *span = &rt->kept[i];

		if (!realtime_kept_name(i) || !span->lengths.count)
			continue;
		if (!any)
			printf("%9s %8s %9s\n", "longest", "total", "number");
		any = true;
		print_lengths(r, &span->lengths);
		printf("  %s, on CPU %" PRIu32 " from %s\n", realtime_kept_name(i), span->cpu,
		       text_site(r, span->site, symbol));
	}
	if (!any)
		printf("none was observed\n");
}

/* Names what the trace does not show, which is not the same as none. */
static void text_missing(const struct report *r)
{
	const struct realtime *rt = r->realtime;
	const char *line;

	text_title(r, "What this trace does not show");
	for (unsigned int i = 0; (line = realtime_missing(rt, i)); i++) {
		if (*line)
			printf("%s\n", line);
	}
	printf("%" PRIu64 " waits of any task, and %" PRIu64 " inversions, with only one end in "
	       "the trace\n", rt->cut_waits, rt->cut_inversions);
	if (rt->refused)
		printf("%" PRIu64 " times a task, a wait or an inversion: there were too many\n",
		       rt->refused);
}

void text_realtime(const struct report *r)
{
	text_tasks(r);
	text_blocking(r);
	text_inversions(r);
	text_kept(r);
	text_missing(r);
}
