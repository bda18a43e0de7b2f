// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The page of a report: what it says of the trace, and the order of its parts. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/virtual.h"
#include "trace/fact.h"
#include "view/page/html.h"
#include "view/page/page.h"
#include "view/text/text.h"

const char *page_mark(const struct report *r)
{
	return trace_lost(&r->trace) ? "not complete: records were lost" : NULL;
}

const char *page_ps(char *buf, report_ps ps)
{
	char plain[CELL], *unit;

	text_ps(plain, ps);
	unit = strchr(plain, ' ');
	*unit++ = '\0';
	snprintf(buf, CELL, "%.9s\u00a0%.4s", plain,
		 strcmp(unit, "us") ? unit : "\u00b5s");
	return buf;
}

void page_cell_ps(FILE *f, report_ps ps)
{
	char text[CELL];

	html_number(f, (double)ps, "%s", page_ps(text, ps));
}

void page_cells_distribution(FILE *f, const struct report *r, const struct histogram *h)
{
	static const unsigned int permille[PAGE_DISTRIBUTION - 2] = { 500, 900, 990, 999 };

	page_cell_ps(f, report_mean(r, h));
	for (size_t i = 0; i < ARRAY_SIZE(permille); i++)
		page_cell_ps(f, report_span(r, histogram_quantile(h, permille[i])));
	page_cell_ps(f, report_span(r, h->max));
}

void page_cell_total(FILE *f, const struct report *r, uint64_t sum)
{
	report_ps ps = report_span(r, sum);
	char text[CELL];

	html_number(f, (double)ps, "%s%s", sum == UINT64_MAX ? "\u2265\u00a0" : "",
		    page_ps(text, ps));
}

const char *page_share(char *buf, uint64_t part, uint64_t whole)
{
	char plain[CELL], *space;

	if (part && page_percent(part, whole) < 0.05)
		return strcpy(buf, "<0.1\u00a0%");
	text_share(plain, part, whole);
	space = strchr(plain, ' ');
	if (!space)
		return strcpy(buf, plain);
	*space = '\0';
	snprintf(buf, CELL, "%.9s\u00a0%%", plain);
	return buf;
}

/* Longest total first; the rest only so that the order is always the same. */
static bool site_before(const struct table_row *a, const struct table_row *b)
{
	if (a->hold.sum != b->hold.sum)
		return a->hold.sum > b->hold.sum;
	if (a->key != b->key)
		return a->key < b->key;
	return table_family(a) < table_family(b);
}

size_t page_top_sites(const struct report *r, enum locks_group group, size_t most,
		      const struct table_row **rows)
{
	const struct table *t = &r->table[TABLE_SITE];
	size_t n = 0, i, at;

	for (i = 0; i < t->n_rows; i++) {
		const struct table_row *row = t->rows[i];

		if (!row->hold.count ||
		    locks_group(table_family(row)) != group)
			continue;
		for (at = n; at && site_before(row, rows[at - 1]); at--) {
			if (at < most)
				rows[at] = rows[at - 1];
		}
		if (at < most)
			rows[at] = row;
		n += n < most;
	}
	return n;
}

static void warn_lost(FILE *f, const struct report *r)
{
	uint64_t lost = trace_lost(&r->trace);
	char cpus[1024] = "";
	size_t len = 0;

	if (!lost)
		return;
	for (unsigned int i = 0; i < r->trace.n_streams; i++) {
		const struct stream *s = &r->trace.streams[i];
		char title[TRACE_NAME_LEN];

		if (stream_lost(s) && len < sizeof(cpus))
			len += (size_t)snprintf(cpus + len, sizeof(cpus) - len,
						"%s %s: %" PRIu64,
						len ? "," : "",
						trace_stream_title(title, s->cpu),
						stream_lost(s));
	}
	html_note(f, HTML_WARNING, "%" PRIu64 " record%s lost (%.3g %% of all):%s. "
		  "Sections and waits that they belong to are left out or missing; "
		  "parts that may not be complete are marked.", lost,
		  lost == 1 ? " was" : "s were",
		  100.0 * (double)lost / (double)(lost + r->records), cpus);
}

static void warnings(FILE *f, const struct report *r)
{
	char name[128];

	warn_lost(f, r);
	if (trace_fact(&r->trace, "virtual", name, sizeof(name)) &&
	    virtual_is_emulator(name))
		html_note(f, HTML_CAUTION, "Recorded in an emulator (%s): the number of "
			  "sections and their nesting are real, but times mean nothing.",
			  name);
}

static void fact(FILE *f, const struct report *r, const char *name, const char *key)
{
	char *value = trace_fact_whole(&r->trace, key);

	if (value)
		html_fact_folded(f, name, value);
	free(value);
}

static void fact_begin(FILE *f, const struct report *r)
{
	char date[64];

	if (report_begin(r, date, sizeof(date)))
		html_fact(f, "Begin", "%s", date);
}

static void facts(FILE *f, const struct report *r)
{
	char rate[CELL], lost[64] = "none lost", records[HTML_COUNT];
	char streams[TRACE_STREAMS_LEN];
	uint64_t early;

	if (trace_lost(&r->trace))
		snprintf(lost, sizeof(lost), "%" PRIu64 " LOST",
			 trace_lost(&r->trace));
	html_facts_begin(f);
	html_fact(f, "Trace", "%s", r->trace.title);
	fact(f, r, "Host", "host");
	fact(f, r, "Kernel", "kernel_release");
	fact(f, r, "Virtual", "virtual");
	fact(f, r, "Locks seen by", "lock_source");
	fact(f, r, "Command", "command");
	fact_begin(f, r);
	html_fact(f, "Duration", "%.6f s",
		  r->duration);
	html_fact(f, "Records", "%s on %s, %s", html_grouped(records, r->records),
		  trace_streams_text(streams, &r->trace), lost);
	if (r->unknown)
		html_fact(f, "Unknown", "%" PRIu64 " records with an event that the "
			  "metadata does not define", r->unknown);
	html_fact(f, "Clock", "%s, %sHz",
		  r->trace.meta.clock ? r->trace.meta.clock : "?",
		  text_rate(rate, (double)r->trace.meta.freq));
	if (report_early(r, &early) && early)
		html_fact(f, "Acquisitions", "were seen up to %" PRIu64
			  " ns early in a test before the recording", early);
	if (r->early)
		html_fact(f, "Early", "%s acquisitions, stamped at most %s before the "
			  "lock's release: taken to begin at it",
			  html_grouped(records, r->early),
			  page_ps(rate, report_span(r, r->early_most)));
	html_facts_end(f);
}

static void page(FILE *f, const struct report *r, void (*more)(FILE *f, void *arg), void *arg)
{
	char title[512] = "Critical sections";
	char host[256];

	if (trace_fact(&r->trace, "host", host, sizeof(host)))
		snprintf(title, sizeof(title), "Critical sections of %s", host);
	html_begin(f, title);
	warnings(f, r);
	facts(f, r);
	page_tables(f, r);
	if (more)
		more(f, arg);
	html_end(f);
}

int page_report(const struct report *r, const char *path, void (*more)(FILE *f, void *arg),
		void *arg)
{
	FILE *f = html_open(path);

	if (!f)
		return -1;
	page(f, r, more, arg);
	return close_output(f, path);
}

void page_cell_site(FILE *f, const struct report *r, uint64_t site)
{
	char symbol[SYMBOLS_LEN];

	if (site)
		html_code(f, "%s", symbols_format(r->symbols, site, true, symbol,
						  sizeof(symbol)));
	else
		html_code(f, "(not known)");
}

void page_cell_family(FILE *f, const struct report *r, uint32_t family)
{
	html_cell(f, "%s", r->family[family & 0xff].title);
}
