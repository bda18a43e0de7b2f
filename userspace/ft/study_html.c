// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft study: the page. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "ft/study_page.h"
#include "ft/study_paper.h"
#include "view/page/html.h"
#include "view/page/overlay.h"
#include "view/page/page.h"
#include "view/text/text.h"

#define TEXT_OF(number)	#number
#define TEXT(number)	TEXT_OF(number)
#define PAPER_MACHINE	TEXT(PAPER_SECONDS) " s, " TEXT(PAPER_CPUS) " CPUs"

static void show_fact(FILE *f, const struct study_results *s, const char *name,
		      const char *key)
{
	char value[4096];

	if (study_fact(s, key, value, sizeof(value)))
		html_fact(f, name, "%s", value);
}

static void show_workload(FILE *f, const struct study_results *s, unsigned int w)
{
	const struct report *r = &s->report[w];
	char what[1024] = "", lost[64] = "none lost", verdict[STUDY_CELL];

	if (!s->have[w] && w >= STUDY_PAPER)
		return;
	if (!s->have[w]) {
		html_fact(f, study_names[w], "not recorded");
		return;
	}
	if (trace_lost(&r->trace))
		snprintf(lost, sizeof(lost), "%" PRIu64 " LOST",
			 trace_lost(&r->trace));
	/* of the study, not of a trace */
	study_fact(s, study_names[w], what, sizeof(what));
	html_fact(f, study_names[w], "%.3f s, %" PRIu64 " records on %u CPUs, %s%s%s; %s of "
		  "the paper's claims hold",
		  report_seconds(r, (double)(r->last - r->first)), r->records,
		  r->trace.n_streams, lost, *what ? "; " : "", what,
		  study_verdict(s, w, verdict, sizeof(verdict)));
}

static void show_head(FILE *f, const struct study_results *s)
{
	unsigned int w;

	if (s->lost)
		html_note(f, HTML_WARNING, "Records were lost. What they took part in "
			  "is left out or missing; parts that may not be complete "
			  "are marked.");
	if (*s->emulator)
		html_note(f, HTML_CAUTION, "Recorded in an emulator (%s): numbers of "
			  "sections and their nesting are real, times mean nothing. "
			  "They are marked \"emulated\".", s->emulator);
	html_facts_begin(f);
	show_fact(f, s, "Host", "host");
	show_fact(f, s, "Kernel", "kernel_release");
	show_fact(f, s, "Virtual", "virtual");
	show_fact(f, s, "Locks seen by", "lock_source");
	for (w = 0; w < STUDY_WORKLOADS; w++)
		show_workload(f, s, w);
	html_facts_end(f);
}

static const char *mark(const struct study_results *s)
{
	return s->lost ? "not complete: records were lost" : NULL;
}

/* The "1916139" and the "1.24 us" of the text, as a page has them. */
static const char *shown(char buf[HTML_COUNT], const char *text)
{
	const char *us = strstr(text, " us");

	if (!*text)
		return "\u2013";
	if (!text[strspn(text, "0123456789")])
		return html_grouped(buf, strtoull(text, NULL, 10));
	if (us)
		snprintf(buf, HTML_COUNT, "%.*s\u00a0\u00b5s", (int)(us - text), text);
	return us ? buf : text;
}

/* The paper's cells of these workloads, then ours. */
static void show_row(FILE *f, const struct study_results *s,
		     const struct study_row *row, unsigned int from,
		     unsigned int end_paper, unsigned int end)
{
	bool emulated = row->time && *s->emulator;
	char text[HTML_COUNT];
	unsigned int w;

	html_row_begin(f);
	html_cell(f, "%s%s", shown(text, row->name), emulated ? " (emulated)" : "");
	for (w = from; w < end_paper; w++)
		html_number(f, 0, "%s", shown(text, row->paper[w]));
	for (w = from; w < end; w++)
		html_number(f, 0, "%s%s", shown(text, row->here[w]),
			    row->holds[w] == 1 ? " \u2713" :
			    row->holds[w] ? "" : " \u2717");
	html_row_end(f);
}

/* Do the paper's claims hold for these? */
static void show_programs(FILE *f, const struct study_results *s)
{
	static const struct html_column columns[] = {
		{ "", NULL, HTML_TEXT },
		{ "paper", PAPER_MACHINE, HTML_NUMBER },
		{ "here: ffplay", NULL, HTML_NUMBER },
		{ "mplayer", NULL, HTML_NUMBER },
		{ "doom", NULL, HTML_NUMBER },
	};
	unsigned int i;

	html_table_begin(f, columns, ARRAY_SIZE(columns));
	for (i = 0; i < s->n_rows; i++)
		show_row(f, s, &s->row[i], STUDY_PAPER, STUDY_PAPER + 1,
			 STUDY_WORKLOADS);
	html_table_end(f);
}

static void show_table(FILE *f, const struct study_results *s)
{
	static const struct html_column columns[] = {
		{ "", NULL, HTML_TEXT },
		{ "paper: idle", PAPER_MACHINE, HTML_NUMBER },
		{ "compile", PAPER_MACHINE, HTML_NUMBER },
		{ "stress", PAPER_MACHINE, HTML_NUMBER },
		{ "here: idle", NULL, HTML_NUMBER },
		{ "compile", NULL, HTML_NUMBER },
		{ "stress", NULL, HTML_NUMBER },
	};
	unsigned int i;

	html_section_begin(f, "numbers", "The paper's numbers, and these", mark(s));
	html_table_begin(f, columns, ARRAY_SIZE(columns));
	for (i = 0; i < s->n_rows; i++)
		show_row(f, s, &s->row[i], 0, STUDY_PAPER, STUDY_PAPER);
	html_table_end(f);
	if (study_has_programs(s))
		show_programs(f, s);
	html_note(f, HTML_NOTE, "Paper: Brandenburg and Anderson, Feather-Trace: A "
		  "Light-Weight Event Tracing Toolkit, OSPERT 2007. Its semaphores "
		  "were the kernel's sleeping locks; here they stand beside mutexes, "
		  "semaphores and rwsems together. Nesting counts the locks of the same "
		  "kind that were held already, spinning ones on the CPU, sleeping ones "
		  "by the task. The recorder's own locks are left out. \u2713: as the paper "
		  "found, \u2717: otherwise%s.", *s->emulator ?
		  "; times of an emulator are not judged" : "");
	html_section_end(f);
}

/* The families of one kind in one distribution for each workload. */
static void show_overlays(FILE *f, const struct study_results *s)
{
	struct overlay o[STUDY_WORKLOADS];
	const struct report *of[STUDY_WORKLOADS];
	size_t n = 0, i;

	for (unsigned int w = 0; w < STUDY_WORKLOADS; w++) {
		if (!s->have[w])
			continue;
		of[n] = &s->report[w];
		o[n++] = (struct overlay){
			.name = study_names[w],
			.freq = (double)s->report[w].trace.meta.freq,
			.n_depths = LOCKS_DEPTHS,
		};
	}
	html_section_begin(f, "workloads", "The workloads, one over the other", mark(s));
	html_figures_begin(f, 2);
	for (i = 0; i < n; i++)
		o[i].lengths = &of[i]->family[FT_LOCK_SPIN].lengths;
	overlay_cumulative(f, "Spinlocks: length", o, n);
	for (i = 0; i < n; i++)
		o[i].lengths = &of[i]->group[GROUP_SLEEPING].lengths;
	overlay_cumulative(f, "Sleeping locks: length", o, n);
	for (i = 0; i < n; i++)
		o[i].depth = of[i]->depth[LOCKS_SPINNING];
	overlay_depth(f, "Spinning locks: nesting, per CPU", o, n);
	for (i = 0; i < n; i++)
		o[i].depth = of[i]->depth[LOCKS_SLEEPING];
	overlay_depth(f, "Sleeping locks: nesting, per task", o, n);
	html_figures_end(f);
	html_section_end(f);
}

/* The paper's figures 4 to 9. */
static void show_each(FILE *f, const struct study_results *s)
{
	char id[32], title[64];
	unsigned int w;

	for (w = 0; w < STUDY_WORKLOADS; w++) {
		const struct report *r = &s->report[w];

		if (!s->have[w] || !r->records)
			continue;
		snprintf(id, sizeof(id), "figures-%s", study_names[w]);
		snprintf(title, sizeof(title), "Workload: %s%s", study_names[w],
			 *s->emulator ? " (times emulated)" : "");
		html_section_begin(f, id, title, report_html_mark(r));
		report_charts_lengths(f, r);
		if (r->last > r->first)
			report_charts_rate(f, r);
		html_section_end(f);
	}
}

void study_html(FILE *f, const struct study_results *s)
{
	html_begin(f, "Critical sections in the Linux kernel");
	show_head(f, s);
	show_table(f, s);
	show_overlays(f, s);
	show_each(f, s);
	html_note(f, HTML_NOTE, "All of a workload: ft report %s/%s; two of them: ft compare.",
		  s->dir, study_first(s));
	html_end(f);
}
