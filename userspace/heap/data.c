// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The heap, for programs; ft-report(1) documents the names, which do not change. */
#include <inttypes.h>
#include <stdio.h>

#include "base/json.h"
#include "base/mem.h"
#include "heap/heap.h"
#include "heap/parts.h"
#include "trace/session_file.h"

#define ROW	96
#define NAME	64	/* of a site or a size */

/* Either @json, or lines of table, row, column, value. */
struct out {
	struct json	*json;
	const char	*table;
	char		row[ROW];
};

static void put_u64(struct out *o, const char *column, uint64_t value)
{
	if (o->json)
		json_u64(o->json, column, value);
	else
		printf("%s\t%s\t%s\t%" PRIu64 "\n", o->table, o->row, column, value);
}

static void put_text(struct out *o, const char *column, const char *value)
{
	if (o->json) {
		json_text(o->json, column, value);
		return;
	}
	printf("%s\t%s\t%s\t", o->table, o->row, column);
	session_escape(stdout, value);
	putchar('\n');
}

static void put_rate(struct out *o, const char *column, double value)
{
	if (o->json)
		json_number(o->json, column, "%.3f", value);
	else
		printf("%s\t%s\t%s\t%.3f\n", o->table, o->row, column, value);
}

static void table_begin(struct out *o, const char *table)
{
	o->table = table;
	if (o->json)
		json_array(o->json, table);
}

static void table_end(struct out *o)
{
	if (o->json)
		json_end(o->json);
}

/* @o->row is set. */
static void row_begin(struct out *o)
{
	if (!o->json)
		return;
	json_object(o->json, NULL);
	json_text(o->json, "row", o->row);
}

static void row_end(struct out *o)
{
	if (o->json)
		json_end(o->json);
}

/* "allocated_blocks", "allocated_bytes" */
static void put_count(struct out *o, const char *what, const struct heap_count *count)
{
	char column[ROW];

	snprintf(column, sizeof(column), "%s_blocks", what);
	put_u64(o, column, count->blocks);
	snprintf(column, sizeof(column), "%s_bytes", what);
	put_u64(o, column, count->bytes);
}

static void put_row(struct out *o, const struct heap *h, const struct heap_row *row)
{
	put_count(o, "allocated", &row->allocated);
	put_count(o, "freed", &row->freed);
	put_count(o, "left", &row->left);
	put_count(o, "at_peak", &row->peak);
	put_u64(o, "most_bytes", row->most);
	put_u64(o, "brief_blocks", row->brief);
	if (!row->lifetimes.count)
		return;
	put_u64(o, "lifetime_mean_ns", heap_ns(h, row->lifetimes.sum / row->lifetimes.count));
	put_u64(o, "lifetime_min_ns", heap_ns(h, row->lifetimes.min));
	put_u64(o, "lifetime_p50_ns", heap_ns(h, sketch_quantile(&row->lifetimes, 500)));
	put_u64(o, "lifetime_p99_ns", heap_ns(h, sketch_quantile(&row->lifetimes, 990)));
	put_u64(o, "lifetime_max_ns", heap_ns(h, row->lifetimes.max));
}

/* --- the tables ----------------------------------------------------------- */

static void put_total(struct out *o, const struct heap *h)
{
	const struct heap_row *all = &h->total.row;
	double seconds = heap_seconds(h);

	table_begin(o, "total");
	snprintf(o->row, sizeof(o->row), "all");
	row_begin(o);
	put_count(o, "allocated", &all->allocated);
	put_count(o, "freed", &all->freed);
	put_count(o, "left", &all->left);
	put_u64(o, "most_bytes", all->most);
	put_u64(o, "most_blocks", h->total.most_blocks);
	put_u64(o, "peak_ns", heap_ns(h, h->peak_ts - h->trace.start));
	put_u64(o, "duration_ns", heap_ns(h, h->end_ts - h->trace.start));
	put_rate(o, "blocks_per_s", seconds > 0 ? (double)all->allocated.blocks / seconds : 0);
	put_rate(o, "bytes_per_s", seconds > 0 ? (double)all->allocated.bytes / seconds : 0);
	put_u64(o, "brief_blocks", all->brief);
	if (h->lifetimes.count) {
		static const struct {
			const char	*column;
			unsigned int	permille;
		} of[] = { { "lifetime_p50_ns", 500 }, { "lifetime_p90_ns", 900 },
			   { "lifetime_p99_ns", 990 }, { "lifetime_p999_ns", 999 } };

		put_u64(o, "lifetime_mean_ns",
			heap_ns(h, (uint64_t)(h->lifetimes.sum / h->lifetimes.count)));
		for (unsigned int i = 0; i < 4; i++)
			put_u64(o, of[i].column,
				heap_ns(h, histogram_quantile(&h->lifetimes, of[i].permille)));
		put_u64(o, "lifetime_max_ns", heap_ns(h, h->lifetimes.max));
	}
	put_u64(o, "processes", h->processes);
	put_u64(o, "processes_ended", h->ended);
	put_u64(o, "unknown_releases", h->unknown);
	put_u64(o, "releases_not_recorded", h->replaced);
	put_u64(o, "sizes_not_recorded", h->unsized);
	put_u64(o, "lost_records", trace_lost(&h->trace));
	put_u64(o, "sites_without_timeline", heap_parts_without(h, HEAP_SITES));
	row_end(o);
	table_end(o);
}

/* What identifies a row in its table. */
static void name_row(struct out *o, const struct heap *h, enum heap_table table,
		     const struct heap_row *row)
{
	char name[SYMBOLS_LEN];

	if (table == HEAP_SITES)
		snprintf(o->row, sizeof(o->row), "0x%" PRIx64, row->key);
	else if (table == HEAP_THREADS)
		snprintf(o->row, sizeof(o->row), "%" PRIu64 ":%" PRIu32, row->key >> 32,
			 (uint32_t)row->key);
	else if (table == HEAP_PROCESSES)
		snprintf(o->row, sizeof(o->row), "%" PRIu64, row->key);
	else
		snprintf(o->row, sizeof(o->row), "%.*s", ROW - 1,
			 heap_row_name(h, table, row, name));
}

static void put_key(struct out *o, const struct heap *h, enum heap_table table,
		    const struct heap_row *row)
{
	char name[SYMBOLS_LEN];

	if (table == HEAP_SITES) {
		put_text(o, "symbol", heap_row_name(h, table, row, name));
		put_text(o, "functions", heap_row_functions(row, name, sizeof(name)));
	} else if (table == HEAP_STACKS) {
		char *path = heap_row_path(h, row);

		put_text(o, "path", path ? path : "");
		mem_free(path);
	} else if (table == HEAP_PROCESSES || table == HEAP_THREADS) {
		put_text(o, "name", heap_row_name(h, table, row, name));
	}
}

static void put_table(struct out *o, const struct heap *h, enum heap_table table,
		      const char *title)
{
	const struct heap_rows *rows = &h->rows[table];

	table_begin(o, title);
	for (size_t i = 0; i < rows->n && i < h->top; i++) {
		name_row(o, h, table, rows->row[i]);
		row_begin(o);
		put_key(o, h, table, rows->row[i]);
		put_row(o, h, rows->row[i]);
		row_end(o);
	}
	table_end(o);
}

/* --- over time ------------------------------------------------------------ */

/* Nanoseconds since the start of the trace. */
static uint64_t begin_ns(const struct heap *h, const struct heap_timeline *t, size_t span)
{
	return heap_ns(h, (uint64_t)span << t->shift);
}

static void put_span(struct out *o, const struct heap_span *span)
{
	put_count(o, "end", &span->end);
	put_count(o, "allocated", &span->allocated);
	put_u64(o, "freed_blocks", span->freed);
}

/* Each span by its beginning. */
static void put_timeline(struct out *o, const struct heap *h)
{
	const struct heap_timeline *t = h->timeline;

	table_begin(o, "timeline");
	for (size_t i = 0; i < t->n; i++) {
		snprintf(o->row, sizeof(o->row), "%" PRIu64, begin_ns(h, t, i));
		row_begin(o);
		put_count(o, "most", &t->span[i].most);
		put_span(o, &t->span[i]);
		row_end(o);
	}
	table_end(o);
}

/* Each span by what it is of and its beginning. */
static void put_part(struct out *o, const struct heap *h, const char *of, const char *name,
		     const struct heap_timeline *t, bool is_rest)
{
	for (size_t i = 0; i < t->n; i++) {
		uint64_t begin = begin_ns(h, t, i);

		snprintf(o->row, sizeof(o->row), "%s:%" PRIu64, name, begin);
		row_begin(o);
		put_text(o, of, name);
		put_u64(o, "begin_ns", begin);
		if (!is_rest)
			put_count(o, "most", &t->span[i].most);
		put_span(o, &t->span[i]);
		row_end(o);
	}
}

static void put_parts(struct out *o, const struct heap *h, enum heap_table table,
		      const char *title, const char *of, size_t limit)
{
	struct heap_parts p;
	char name[NAME];

	heap_parts_take(&p, h, table, limit);
	table_begin(o, title);
	for (size_t i = 0; i < p.n; i++) {
		name_row(o, h, table, p.row[i]);
		snprintf(name, sizeof(name), "%.*s", NAME - 1, o->row);
		put_part(o, h, of, name, p.row[i]->over_time, false);
	}
	if (p.rest)
		put_part(o, h, of, "others", p.rest, true);
	table_end(o);
	heap_parts_free(&p);
}

static void put_all(struct out *o, const struct heap *h)
{
	put_total(o, h);
	put_table(o, h, HEAP_SITES, "sites");
	put_table(o, h, HEAP_SIZES, "sizes");
	put_table(o, h, HEAP_FUNCTIONS, "functions");
	put_table(o, h, HEAP_PROCESSES, "processes");
	put_table(o, h, HEAP_THREADS, "threads");
	put_table(o, h, HEAP_STACKS, "stacks");
	put_timeline(o, h);
	put_parts(o, h, HEAP_SITES, "timeline_sites", "site",
		  h->top < HEAP_PARTS ? h->top : HEAP_PARTS);
	put_parts(o, h, HEAP_SIZES, "timeline_sizes", "size", HEAP_TIMELINES);
}

void heap_tsv(const struct heap *h)
{
	struct out o = { 0 };

	put_all(&o, h);
}

void heap_json(const struct heap *h)
{
	struct json j = { .f = stdout, .flat = 2 };
	struct out o = { .json = &j };

	json_object(&j, NULL);
	put_all(&o, h);
	json_end(&j);
}
