// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Requests as a section of another page. */
#include <inttypes.h>
#include <stdio.h>

#include "base/array.h"
#include "view/page/html.h"
#include "view/page/page.h"
#include "view/text/text.h"
#include "why/requests.h"
#include "why/show.h"

static void cell_us(FILE *f, double ns, const char *sign)
{
	html_number(f, ns, *sign ? "%+.3f \u00b5s" : "%.3f \u00b5s", ns / 1000);
}

static void row(FILE *f, const struct requests *r, const char *kind, const char *what,
		const unsigned __int128 of[2])
{
	double typical = requests_mean(r, REQUESTS_TYPICAL, of[REQUESTS_TYPICAL]);
	double slow = requests_mean(r, REQUESTS_SLOW, of[REQUESTS_SLOW]);

	html_row_begin(f);
	cell_us(f, typical, "");
	cell_us(f, slow, "");
	cell_us(f, slow - typical, "+");
	html_cell(f, "%s", kind);
	html_code(f, "%s", what);
	html_row_end(f);
}

static void whole(FILE *f, const struct requests *r, const char *what, unsigned __int128 typical,
		  unsigned __int128 slow)
{
	const unsigned __int128 of[] = { typical, slow };

	row(f, r, "all", what, of);
}

static void waits(FILE *f, const struct requests *r, const struct requests_table *table,
		  const char *kind)
{
	char lock[WHY_WORDS], holder[WHY_WORDS], words[2 * WHY_WORDS + 4];

	for (size_t i = 0; i < table->rows && i < r->top; i++) {
		const struct request_wait *wait = &table->row[i]->wait;

		requests_lock_words(r, wait, lock, sizeof(lock));
		requests_holder_words(r, wait, false, holder, sizeof(holder));
		snprintf(words, sizeof(words), "%s%s%s", table == &r->holders ?
			 (*holder ? holder : "nobody that is known") : "",
			 table == &r->holders ? ": " : "", lock);
		row(f, r, kind, words, table->row[i]->of);
	}
}

static void difference(FILE *f, const struct requests *r)
{
	static const struct html_column columns[] = {
		{ "p50", "mean of the requests around it", HTML_NUMBER },
		{ "p99", "mean of the requests from it on", HTML_NUMBER },
		{ "difference", NULL, HTML_NUMBER },
		{ "of", NULL, HTML_TEXT },
		{ "what", NULL, HTML_CODE },
	};
	const struct requests_band *typical = &r->band[REQUESTS_TYPICAL];
	const struct requests_band *slow = &r->band[REQUESTS_SLOW];

	html_table_begin(f, columns, ARRAY_SIZE(columns));
	whole(f, r, "the request, from its beginning to its end", typical->duration,
	      slow->duration);
	if (typical->alone || slow->alone)
		whole(f, r, "of this, no thread worked for it", typical->alone, slow->alone);
	whole(f, r, "its threads together", typical->ticks, slow->ticks);
	for (unsigned int i = 0; r->cause[i]; i++)
		row(f, r, "cause", why_cause_words(r->cause[i]->cause), r->cause[i]->of);
	waits(f, r, &r->locks, "waiting, by lock");
	waits(f, r, &r->holders, "waiting, by holder");
	html_table_end(f);
}

static void slowest(FILE *f, const struct requests *r)
{
	static const struct html_column columns[] = {
		{ "time", NULL, HTML_NUMBER },
		{ "request", NULL, HTML_NUMBER },
		{ "at", NULL, HTML_NUMBER },
		{ "threads", NULL, HTML_NUMBER },
		{ "longest wait", NULL, HTML_NUMBER },
		{ "for", NULL, HTML_CODE },
		{ "held by", NULL, HTML_CODE },
	};
	char lock[WHY_WORDS], holder[WHY_WORDS];

	html_table_begin(f, columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < r->n && i < r->limit; i++) {
		const struct request *one = requests_at(r, r->n - 1 - i);
		double at = why_at(r->why, one->start);

		*lock = '\0';
		*holder = '\0';
		if (one->waits) {
			requests_lock_words(r, one->wait, lock, sizeof(lock));
			requests_holder_words(r, one->wait, true, holder, sizeof(holder));
		}
		html_row_begin(f);
		cell_us(f, (double)why_ns(r->why, request_duration(one)), "");
		html_count(f, one->id);
		html_number(f, at, "%.6f s", at);
		html_count(f, one->threads);
		cell_us(f, one->waits ? (double)why_ns(r->why, one->wait->ticks) : 0, "");
		html_code(f, "%s", lock);
		html_code(f, "%s", holder);
		html_row_end(f);
	}
	html_table_end(f);
}

static void left_out(FILE *f, const struct requests *r)
{
	uint64_t stray = r->misplaced;

	for (unsigned int i = REQUEST_GOOD + 1; i < REQUEST_FAULTS; i++) {
		if (r->left_out[i])
			html_note(f, HTML_CAUTION, "%" PRIu64 " left out: %s.", r->left_out[i],
				  requests_fault_words((enum request_fault)i));
	}
	for (unsigned int i = 0; i < REQUEST_ROLES; i++)
		stray += r->stray[i];
	if (stray)
		html_note(f, HTML_CAUTION, "%" PRIu64 " marks changed nothing: 'ft requests' says "
			  "why.", stray);
	if (r->alone)
		html_note(f, HTML_CAUTION, "This trace has no sched_switch: what threads do is "
					   "known only where they wait for locks.");
}

static const char *time_of(const struct requests *r, size_t rank, char *buf)
{
	return page_ps(buf, (report_ps)request_duration(requests_at(r, rank)) * 1000 *
			    1000000000u / r->why->trace.meta.freq);
}

void requests_page_section(FILE *f, const struct requests *r)
{
	char p50[CELL], p99[CELL], most[CELL];

	html_section_begin(f, "requests", "Requests",
			   trace_status(&r->why->trace) ? "not complete" : NULL);
	if (r->n)
		html_note(f, HTML_NOTE, "%zu requests of the whole trace: p50 %s, p99 %s, longest "
			  "%s. What differs between those around p50 and those from p99 on; and "
			  "the slowest. 'ft requests' takes each apart.", r->n,
			  time_of(r, requests_rank(r->n, 500), p50),
			  time_of(r, requests_rank(r->n, 990), p99), time_of(r, r->n - 1, most));
	else
		html_note(f, HTML_NOTE, "No request is complete.");
	left_out(f, r);
	if (r->n) {
		difference(f, r);
		slowest(f, r);
	}
	html_section_end(f);
}

void requests_page_none(FILE *f)
{
	html_section_begin(f, "requests", "Requests", NULL);
	html_note(f, HTML_CAUTION, "The trace could not be read again for them; 'ft requests' says why.");
	html_section_end(f);
}
