// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The answer as a page. */
#include <inttypes.h>
#include <stdio.h>

#include "base/array.h"
#include "base/file.h"
#include "base/mem.h"
#include "trace/scheduler_events.h"
#include "view/page/html.h"
#include "view/page/page.h"
#include "why/show.h"

static void cell_share(FILE *f, double part, double whole)
{
	double percent = whole > 0 ? 100 * part / whole : 0;

	html_number(f, percent, percent > 0 ? "%.1f %%" : "-", percent);
}

/* To the nanosecond, so that parts add up. */
static void cell_us(FILE *f, uint64_t ns)
{
	html_number(f, (double)ns, "%" PRIu64 ".%03u \u00b5s", ns / 1000,
		    (unsigned int)(ns % 1000));
}

static void begin_row(FILE *f, const struct why *w, uint64_t from, uint64_t ticks, uint64_t length)
{
	html_row_begin(f);
	cell_us(f, why_ns(w, from + ticks) - why_ns(w, from));
	cell_share(f, (double)ticks, (double)length);
}

static void rest(FILE *f, const struct why *w, const struct why_part *part, uint64_t from,
		 uint64_t length, unsigned int depth)
{
	unsigned int n;

	begin_row(f, w, from, why_rest(part, &n), length);
	html_number(f, 0, "-");
	html_number(f, depth, "%u", depth);
	html_cell(f, "%u smaller parts", n);
	html_code(f, "%s", "");
	html_row_end(f);
}

static void parts(FILE *f, const struct why *w, const struct why_part *whole, uint64_t from,
		  uint64_t length, unsigned int depth)
{
	char words[WHY_WORDS], holder[WHY_WORDS];
	unsigned int shown = 0;

	for (const struct why_part *part = whole->part; part; part = part->next) {
		if (shown++ == WHY_SHOWN && part->next) {
			rest(f, w, part, from, length, depth);
			return;
		}
		begin_row(f, w, from, part->ticks, length);
		html_count(f, part->times);
		html_number(f, depth, "%u", depth);
		html_cell(f, "%s", why_part_words(w, part, words));
		html_code(f, "%s", why_holder_words(w, part, holder));
		html_row_end(f);
		parts(f, w, part, from, length, depth + 1);
		from += part->ticks;
	}
}

static void item(FILE *f, const struct why *w, const struct why_item *it)
{
	static const struct html_column columns[] = {
		{ "time", "of a chain, the parts of a line stand behind it", HTML_NUMBER },
		{ "share", "of the whole", HTML_NUMBER },
		{ "times", NULL, HTML_NUMBER },
		{ "in the chain", "0: the task itself; 1: who holds the lock that it waits for; ...",
		  HTML_NUMBER },
		{ "cause", NULL, HTML_TEXT },
		{ "holder", NULL, HTML_CODE },
	};
	uint64_t length = it->end - it->start, ns = why_ns(w, length);
	char what[WHY_WORDS], where[WHY_WORDS], *stack;

	html_disclosure_begin(f, "%" PRIu64 ".%03u \u00b5s %s: %s, %s", ns / 1000,
			      (unsigned int)(ns % 1000), why_kind_name(it->kind),
			      why_item_words(w, it, what), why_item_where(w, it, where));
	stack = why_stack_words(w, it);
	if (stack)
		html_note(f, HTML_NOTE, "in %s", stack);
	mem_free(stack);
	html_table_begin(f, columns, ARRAY_SIZE(columns));
	parts(f, w, &it->whole, 0, length, 0);
	html_table_end(f);
	html_disclosure_end(f);
}

/* What the sleep was for. */
static void cell_details(FILE *f, const struct why *w, const struct why_row *r)
{
	const struct why_detail *detail = r->detail;
	char words[WHY_WORDS], all[WHY_DETAILS_SHOWN * (WHY_WORDS + 16)] = "";
	size_t len = 0;

	for (unsigned int i = 0; detail && i < WHY_DETAILS_SHOWN; i++, detail = detail->next)
		len += (size_t)snprintf(all + len, sizeof(all) - len, "%s%.1f %% %s", i ? "; " : "",
					100 * (double)detail->ticks / (double)r->sum,
					why_detail_words(w, detail, words));
	html_cell(f, "%s", all);
}

static void row(FILE *f, const struct why *w, const struct why_row *r, const char *what)
{
	uint64_t sum = r->sum > UINT64_MAX ? UINT64_MAX : (uint64_t)r->sum;

	html_row_begin(f);
	html_code(f, "%s", what);
	html_count(f, r->count);
	cell_us(f, why_ns(w, sum));
	cell_us(f, why_ns(w, r->max));
	for (unsigned int i = 0; i < WHY_CAUSES; i++)
		cell_share(f, (double)r->ticks[i], (double)r->sum);
	cell_details(f, w, r);
	html_row_end(f);
}

#define FIRST	4	/* columns before those of causes */

static void summary(FILE *f, const struct why *w, enum why_kind kind)
{
	const struct why_table *table = &w->table[kind];
	struct html_column columns[FIRST + WHY_CAUSES + 1] = {
		{ why_by_words(w->by), NULL, HTML_CODE },
		{ "number", NULL, HTML_NUMBER },
		{ "total", NULL, HTML_NUMBER },
		{ "longest", NULL, HTML_NUMBER },
	};
	char words[WHY_WORDS];

	for (unsigned int i = 0; i < WHY_CAUSES; i++)
		columns[FIRST + i] = (struct html_column){ why_cause_words(i), NULL, HTML_NUMBER };
	columns[FIRST + WHY_CAUSES] = (struct html_column){
		"mostly asleep for", "who ended the sleep, or which lock was waited for", HTML_TEXT
	};
	html_table_begin(f, columns, ARRAY_SIZE(columns));
	row(f, w, &table->all, "all");
	for (size_t i = 0; i < table->rows && i < w->top; i++)
		row(f, w, table->row[i], why_row_words(w, table->row[i], words));
	html_table_end(f);
	if (table->rows > w->top)
		html_note(f, HTML_NOTE, "%zu more are not shown (--top 0).",
			  table->rows - w->top);
	if (table->memory.refused)
		html_note(f, HTML_CAUTION, "%" PRIu64 " are in \"all\" alone: there were too many "
			  "rows.", table->memory.refused);
}

static void kind_of(FILE *f, const struct why *w, enum why_kind kind)
{
	bool holds = kind == WHY_HOLD;

	html_section_begin(f, why_kind_name(kind), holds ? "Why locks were held so long" :
			   "Why waits took so long",
			   trace_status(&w->trace) ? "not complete" : NULL);
	if (w->table[kind].all.count) {
		html_note(f, HTML_NOTE, "All %s, by cause; and the longest, each taken apart.",
			  holds ? "sections" : "waits");
		summary(f, w, kind);
		for (size_t i = 0; i < w->items[kind]; i++)
			item(f, w, &w->item[kind][i]);
	} else {
		html_note(f, HTML_NOTE, "None is complete and selected.");
	}
	html_section_end(f);
}

static void missing(FILE *f, const struct why *w)
{
	const char *line;

	html_section_begin(f, "missing", "What this trace does not show", NULL);
	for (unsigned int i = 0; (line = why_missing(w, i)); i++) {
		if (*line)
			html_note(f, HTML_CAUTION, "This trace does not show %s.", line);
	}
	html_note(f, HTML_NOTE, "Of %" PRIu64 " sections and %" PRIu64 " waits only one end is in the "
		  "trace: they are left out.", w->cut_sections, w->cut_waits);
	if (w->refused)
		html_note(f, HTML_CAUTION, "%" PRIu64 " more are left out: there were too many.",
			  w->refused);
	html_section_end(f);
}

void why_page_sections(FILE *f, const struct why *w)
{
	if (w->holds)
		kind_of(f, w, WHY_HOLD);
	if (w->waits)
		kind_of(f, w, WHY_WAIT);
	missing(f, w);
}

void why_page_none(FILE *f, bool failed)
{
	html_section_begin(f, "why", "Why locks were held, and waited for", NULL);
	if (failed)
		html_note(f, HTML_NOTE, "The trace could not be read again for that; 'ft why' says why.");
	else
		html_note(f, HTML_NOTE, "That needs the scheduler's events, which this trace "
					"does not have besides those of locks: " SCHEDULER_RECORD);
	html_section_end(f);
}

int why_page(const struct why *w, const char *path)
{
	FILE *f = html_open(path);

	if (!f)
		return -1;
	html_begin(f, "Why locks were held, and waited for");
	html_facts_begin(f);
	html_fact(f, "Trace", "%s", w->trace.title);
	html_facts_end(f);
	why_page_sections(f, w);
	html_end(f);
	return close_output(f, path);
}
