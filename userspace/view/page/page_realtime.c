// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The page: what real-time tasks did. */
#include <inttypes.h>

#include "analysis/realtime/realtime.h"
#include "base/array.h"
#include "symbols/symbols.h"
#include "symbols/tasks.h"
#include "view/page/html.h"
#include "view/page/page.h"

static void cell_task(FILE *f, const struct report *r, int32_t tid)
{
	const char *name = names_find(r->names, tid);

	if (tid)
		html_cell(f, "%s %" PRId32, name ? name : "task", tid);
	else
		html_cell(f, "(not known)");
}

static void cell_lock(FILE *f, const struct report *r, const struct realtime_wait *w)
{
	char symbol[SYMBOLS_LEN];

	page_cell_family(f, r, w->family);
	html_code(f, "%s", symbols_format(r->symbols, w->key.a, false, symbol, sizeof(symbol)));
	page_cell_site(f, r, w->key.b);
}

static void cells_lengths(FILE *f, const struct report *r, const struct realtime_lengths *l)
{
	page_cell_ps(f, report_span(r, l->max));
	page_cell_total(f, r, l->sum);
	html_count(f, l->count);
}

static void tasks(FILE *f, const struct report *r)
{
	static const struct html_column columns[] = {
		{ "task", NULL, HTML_TEXT },
		{ "policy", NULL, HTML_TEXT },
		{ "priority", "as the kernel counts: 99 minus that of chrt", HTML_NUMBER },
		{ "running", NULL, HTML_NUMBER },
		{ "preempted", "could run, but another task did", HTML_NUMBER },
		{ "latency", "was woken, and waited for a CPU", HTML_NUMBER },
		{ "longest latency", NULL, HTML_NUMBER },
		{ "blocked", "waited for a lock", HTML_NUMBER },
		{ "asleep", "for anything else", HTML_NUMBER },
		{ "interrupted", "had a CPU, on which an interrupt ran", HTML_NUMBER },
		{ "not known", NULL, HTML_NUMBER },
	};
	const struct realtime *rt = r->realtime;

	html_table_begin(f, columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < rt->tasks && i < r->top; i++) {
		const struct realtime_task *t = rt->task[i];

		html_row_begin(f);
		cell_task(f, r, t->tid);
		html_cell(f, "%s", realtime_policy(t->policy));
		html_cell(f, "%d", t->prio);
		page_cell_ps(f, report_span(r, t->ticks[REALTIME_RUNNING]));
		page_cell_ps(f, report_span(r, t->ticks[REALTIME_PREEMPTED]));
		page_cell_ps(f, report_span(r, t->ticks[REALTIME_LATENCY]));
		page_cell_ps(f, report_span(r, t->latency_max));
		page_cell_ps(f, report_span(r, t->ticks[REALTIME_BLOCKED]));
		page_cell_ps(f, report_span(r, t->ticks[REALTIME_ASLEEP]));
		page_cell_ps(f, report_span(r, t->ticks[REALTIME_INTERRUPTED]));
		page_cell_ps(f, report_span(r, t->unknown));
		html_row_end(f);
	}
	html_table_end(f);
}

static void blocking(FILE *f, const struct report *r)
{
	static const struct html_column columns[] = {
		{ "longest", "observed", HTML_NUMBER },
		{ "total", NULL, HTML_NUMBER },
		{ "number", NULL, HTML_NUMBER },
		{ "task", NULL, HTML_TEXT },
		{ "for", "the lock's family", HTML_TEXT },
		{ "lock", NULL, HTML_CODE },
		{ "at", "where the task then acquired it", HTML_CODE },
		{ "held by", "when the longest wait began", HTML_TEXT },
		{ "from", "where the holder had acquired it", HTML_CODE },
	};
	const struct realtime *rt = r->realtime;

	html_table_begin(f, columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < rt->waits && i < r->top; i++) {
		const struct realtime_wait *w = rt->wait[i];

		html_row_begin(f);
		cells_lengths(f, r, &w->blocked);
		cell_task(f, r, realtime_wait_task(w));
		cell_lock(f, r, w);
		cell_task(f, r, w->holder);
		page_cell_site(f, r, w->holder_site);
		html_row_end(f);
	}
	html_table_end(f);
}

static void inversions(FILE *f, const struct report *r)
{
	static const struct html_column columns[] = {
		{ "longest", "observed", HTML_NUMBER },
		{ "total", NULL, HTML_NUMBER },
		{ "number", "of these: without inheritance, if there are any", HTML_NUMBER },
		{ "without inheritance", NULL, HTML_NUMBER },
		{ "with inheritance", "which has shortened so many", HTML_NUMBER },
		{ "task", NULL, HTML_TEXT },
		{ "for", "the lock's family", HTML_TEXT },
		{ "lock", NULL, HTML_CODE },
		{ "at", "where the task then acquired it", HTML_CODE },
		{ "held by", "who could run, but did not", HTML_TEXT },
		{ "which holds", "of a chain, the last one's lock", HTML_CODE },
		{ "while this ran", "a task of lower priority than the waiter", HTML_TEXT },
	};
	const struct realtime *rt = r->realtime;
	char symbol[SYMBOLS_LEN];

	html_table_begin(f, columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < rt->inversions && i < r->top; i++) {
		const struct realtime_wait *w = rt->inversion[i];

		html_row_begin(f);
		cells_lengths(f, r, w->inverted.count ? &w->inverted : &w->inherited);
		html_count(f, w->inverted.count);
		html_count(f, w->inherited.count);
		cell_task(f, r, realtime_wait_task(w));
		cell_lock(f, r, w);
		cell_task(f, r, w->longest.holder);
		html_code(f, "%s", symbols_format(r->symbols, w->longest.holder_lock, false,
						  symbol, sizeof(symbol)));
		cell_task(f, r, w->longest.runner);
		html_row_end(f);
	}
	html_table_end(f);
}

static void kept(FILE *f, const struct report *r)
{
	static const struct html_column columns[] = {
		{ "longest", "observed", HTML_NUMBER },
		{ "total", NULL, HTML_NUMBER },
		{ "number", NULL, HTML_NUMBER },
		{ "nobody is preempted", "while such a lock is held, or this is off", HTML_TEXT },
		{ "CPU", "of the longest", HTML_NUMBER },
		{ "from", "where the longest began", HTML_CODE },
	};
	const struct realtime *rt = r->realtime;
	bool any = false;

	for (unsigned int i = 0; i < REALTIME_KEPT; i++) {
		const struct realtime_span *span = &rt->kept[i];

		if (!realtime_kept_name(i) || !span->lengths.count)
			continue;
		if (!any)
			html_table_begin(f, columns, ARRAY_SIZE(columns));
		any = true;
		html_row_begin(f);
		cells_lengths(f, r, &span->lengths);
		html_cell(f, "%s", realtime_kept_name(i));
		html_cell(f, "%" PRIu32, span->cpu);
		page_cell_site(f, r, span->site);
		html_row_end(f);
	}
	if (any)
		html_table_end(f);
	else
		html_note(f, HTML_NOTE, "No CPU was seen with preemption or interrupts off.");
}

static void missing(FILE *f, const struct report *r)
{
	const struct realtime *rt = r->realtime;
	const char *line;

	for (unsigned int i = 0; (line = realtime_missing(rt, i)); i++) {
		if (*line)
			html_note(f, HTML_NOTE, "This trace does not show %s.", line);
	}
	html_note(f, HTML_NOTE, "Of %" PRIu64 " waits of any task, and of %" PRIu64 " inversions, "
		  "only one end is in the trace.", rt->cut_waits, rt->cut_inversions);
	if (rt->refused)
		html_note(f, HTML_NOTE, "%" PRIu64 " times a task, a wait or an inversion was left "
			  "out: there were too many.", rt->refused);
}

void page_realtime(FILE *f, const struct report *r)
{
	const struct realtime *rt = r->realtime;

	if (!rt)
		return;
	html_section_begin(f, "real-time", "Real-time tasks", page_mark(r));
	html_note(f, HTML_NOTE, "What was observed in this trace. The longest time seen is no "
				"bound on what may happen.");
	tasks(f, r);
	if (rt->waits)
		blocking(f, r);
	else
		html_note(f, HTML_NOTE, "None of them was seen to wait for a lock.");
	if (rt->inversions)
		inversions(f, r);
	else
		html_note(f, HTML_NOTE, "No priority inversion was observed.");
	kept(f, r);
	missing(f, r);
	html_section_end(f);
}
