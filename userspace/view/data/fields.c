// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The report for programs: the trace, families, depths, tables, books. */
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/classes.h"
#include "base/array.h"
#include "base/mem.h"
#include "base/uuid.h"
#include "base/virtual.h"
#include "symbols/frames.h"
#include "symbols/lines.h"
#include "symbols/lock_classes.h"
#include "symbols/tasks.h"
#include "trace/fact.h"
#include "view/data/fields.h"
#include "view/data/fields_put.h"

/* Values. */

void put_text(struct fields *f, const char *column, const char *value)
{
	f->value(f, column, value, true);
}

void put_number(struct fields *f, const char *column, const char *fmt, ...)
{
	char value[64];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(value, sizeof(value), fmt, ap);
	va_end(ap);
	f->value(f, column, value, false);
}

void put_u64(struct fields *f, const char *column, uint64_t value)
{
	put_number(f, column, "%" PRIu64, value);
}

void put_ns(struct fields *f, const char *column, report_ps ps)
{
	if (ps / 1000 > UINT64_MAX)
		ps = REPORT_MAX_TOTAL;
	put_number(f, column, "%" PRIu64 ".%03u", (uint64_t)(ps / 1000),
		   (unsigned int)(ps % 1000));
}

void put_time(const struct report *r, struct fields *f, const char *column,
	      uint64_t ticks)
{
	put_ns(f, column, report_span(r, ticks - r->trace.start));
}

void put_symbol(const struct report *r, struct fields *f, const char *column,
		uint64_t addr, bool call)
{
	char symbol[SYMBOLS_LEN];

	put_text(f, column, symbols_format(r->symbols, addr, call, symbol,
					   sizeof(symbol)));
}

void put_stream(struct fields *f, const char *column, unsigned int number)
{
	char label[TRACE_NAME_LEN];

	trace_stream_label(label, number);
	f->value(f, column, label, number >= TRACE_THREADS);
}

void put_line(const struct report *r, struct fields *f, const char *column,
	      uint64_t site)
{
	const char *line = lines_find(r->lines, site);

	if (line)
		put_text(f, column, line);
}

/* Tables. */

static void put_trace(const struct report *r, struct fields *f)
{
	static const char *const keys[] = {
		"host", "kernel_release", "command", "lock_source",
		"virtual",
	};
	char uuid[UUID_LEN], *value;
	uint64_t early;
	unsigned int i;

	f->table(f, "trace");
	f->row(f, "-");
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		value = trace_fact_whole(&r->trace, keys[i]);
		if (value)
			put_text(f, keys[i], value);
		free(value);
	}
	value = trace_fact_whole(&r->trace, "virtual");
	put_u64(f, "emulated", value && virtual_is_emulator(value));
	free(value);
	uuid_format(uuid, r->trace.meta.uuid);
	put_text(f, "uuid", uuid);
	put_u64(f, "clock_hz", r->trace.meta.freq);
	if (report_early(r, &early))
		put_u64(f, "acquire_early_ns", early);
	put_u64(f, "cpus", trace_cpu_streams(&r->trace));
	put_u64(f, "streams", r->trace.n_streams - trace_cpu_streams(&r->trace));
	put_u64(f, "records", r->records);
	put_u64(f, "unknown", r->unknown);
	put_u64(f, "early_acquisitions", r->early);
	put_ns(f, "early_max_ns", report_span(r, r->early_most));
	put_u64(f, "lost", trace_lost(&r->trace));
	put_u64(f, "complete", !trace_lost(&r->trace));
	put_ns(f, "duration_ns", report_span(r, r->last - r->first));
	put_u64(f, "filtered", r->filtered);
	put_u64(f, "internal_known", r->internal_known);
	put_u64(f, "waits_known", !!r->waits);
}

static void put_cpus(const struct report *r, struct fields *f)
{
	char row[TRACE_NAME_LEN];
	unsigned int i;

	f->table(f, "cpu");
	for (i = 0; i < r->trace.n_streams; i++) {
		const struct stream *s = &r->trace.streams[i];

		f->row(f, trace_stream_label(row, s->cpu));
		put_u64(f, "records", s->records);
		put_u64(f, "packets", s->packets);
		put_u64(f, "lost", stream_lost(s));
		put_u64(f, "gaps", s->gaps);
		put_u64(f, "torn_bytes", s->torn);
	}
}

static void put_gaps(const struct report *r, struct fields *f)
{
	char row[24];
	size_t i;

	f->table(f, "gap");
	for (i = 0; i < r->n_gaps; i++) {
		snprintf(row, sizeof(row), "%zu", i);
		f->row(f, row);
		put_stream(f, "cpu", r->gaps[i].cpu);
		put_time(r, f, "begin_ns", r->gaps[i].from);
		if (!r->gaps[i].open)
			put_time(r, f, "end_ns", r->gaps[i].to);
	}
}

/* Quantiles of each distribution. */
static const struct { const char *name; unsigned int permille; } quantiles[] = {
	{ "p50_ns", 500 }, { "p90_ns", 900 }, { "p99_ns", 990 },
	{ "p999_ns", 999 },
};

static void put_prefixed(struct fields *f, const char *prefix,
			 const char *column, report_ps ps)
{
	char name[32];

	snprintf(name, sizeof(name), "%s%s", prefix, column);
	put_ns(f, name, ps);
}

void put_total(struct fields *f, const char *prefix, report_ps ps, bool least)
{
	char name[32];

	put_prefixed(f, prefix, "total_ns", ps);
	if (!least && ps <= REPORT_MAX_TOTAL)
		return;
	snprintf(name, sizeof(name), "%stotal_saturated", prefix);
	put_u64(f, name, 1);
}

static void put_histogram(const struct report *r, struct fields *f,
			  const char *prefix, const struct histogram *h)
{
	unsigned int i;

	put_total(f, prefix, report_span(r, h->sum), false);
	if (!h->count)
		return;
	put_prefixed(f, prefix, "min_ns", report_span(r, h->min));
	put_prefixed(f, prefix, "mean_ns", report_mean(r, h));
	for (i = 0; i < ARRAY_SIZE(quantiles); i++)
		put_prefixed(f, prefix, quantiles[i].name,
			     report_span(r, histogram_quantile(h, quantiles[i].permille)));
	put_prefixed(f, prefix, "max_ns", report_span(r, h->max));
}

static void put_sketch(const struct report *r, struct fields *f,
		       const char *prefix, const struct sketch *s)
{
	unsigned int i;

	put_total(f, prefix, report_span(r, s->sum), s->sum == UINT64_MAX);
	if (!s->count)
		return;
	put_prefixed(f, prefix, "min_ns", report_span(r, s->min));
	put_prefixed(f, prefix, "mean_ns", report_mean_of(r, s->sum, s->count));
	for (i = 0; i < ARRAY_SIZE(quantiles); i++)
		put_prefixed(f, prefix, quantiles[i].name,
			     report_span(r, sketch_quantile(s, quantiles[i].permille)));
	put_prefixed(f, prefix, "max_ns", report_span(r, s->max));
}

static void put_class(const struct report *r, struct fields *f,
		      const struct report_class *c)
{
	double seconds = r->duration;
	char column[32];
	unsigned int i;

	f->row(f, c->name);
	put_u64(f, "count", c->lengths.count);
	put_number(f, "per_second", "%.3f",
		   seconds > 0 ? (double)c->lengths.count / seconds : 0.0);
	put_u64(f, "cut_start", c->cut[LOCKS_CUT_START]);
	put_u64(f, "cut_end", c->cut[LOCKS_CUT_END]);
	put_u64(f, "cut_lost", c->cut[LOCKS_CUT_LOST]);
	put_u64(f, "cut_other", c->cut[LOCKS_CUT_OTHER]);
	put_histogram(r, f, "", &c->lengths);
	for (i = 0; i < r->n_limits; i++) {
		snprintf(column, sizeof(column), "below_%sus", r->limit[i].name);
		put_u64(f, column, c->below[i]);
	}
	for (i = 0; i < REPORT_CONTEXTS; i++)
		put_u64(f, report_context_name(i), c->context[i]);
	put_u64(f, "internal", c->internal);
	if (!r->waits)
		return;
	put_u64(f, "wait_count", c->waits.count);
	put_histogram(r, f, "wait_", &c->waits);
}

static void put_classes(const struct report *r, struct fields *f)
{
	unsigned int i;

	f->table(f, "family");
	for (i = 0; i < LOCKS_FAMILIES; i++)
		put_class(r, f, &r->family[i]);
	f->table(f, "group");
	for (i = 0; i < LOCKS_GROUPS; i++)
		put_class(r, f, &r->group[i]);
}

static void put_depth(const struct report *r, struct fields *f)
{
	unsigned int scope, depth;
	char column[16];

	f->table(f, "depth");
	for (scope = 0; scope < LOCKS_SCOPES; scope++) {
		f->row(f, report_scope(scope));
		for (depth = 0; depth < LOCKS_DEPTHS; depth++) {
			if (!r->depth[scope][depth])
				continue;
			snprintf(column, sizeof(column), "%u", depth);
			put_u64(f, column, r->depth[scope][depth]);
		}
	}
}

static void row_name(const struct report *r, char *buf, size_t len,
		     enum report_tables which, const struct table_row *row)
{
	const char *family = locks_name(table_family(row));

	if (which == TABLE_CLASS)
		snprintf(buf, len, "%s:%s", family, classes_row(r->classes, row->key)->name);
	else if (which == TABLE_STACK)
		snprintf(buf, len, "%s:%" PRIu32 ":%" PRIu32, family,
			 stacks_at(r->stacks, (uint32_t)row->key)->pid,
			 stacks_at(r->stacks, (uint32_t)row->key)->id);
	else if (which != TABLE_TASK)
		snprintf(buf, len, "%s:0x%" PRIx64, family, row->key);
	else if (row->key >> 32)
		snprintf(buf, len, "%s:%s", family,
			 report_context_name((unsigned int)row->key));
	else
		snprintf(buf, len, "%s:%" PRId32, family, (int32_t)row->key);
}

static void put_lock_class(const struct report *r, struct fields *f,
			   const struct table_row *row)
{
	const struct class_row *class = classes_row(r->classes, row->key);

	put_text(f, "class", class->name);
	if (class->kind)
		put_text(f, "kind", class->kind);
	put_u64(f, "types", class->types);
	put_u64(f, "locks", class->locks[table_family(row)]);
	put_number(f, "share", "%.6f", classes_share(r->classes, row));
}

static void put_class_of(const struct report *r, struct fields *f, uint64_t lock)
{
	const struct lock_class_known *class = lock_classes_of(symbols_locks(r->symbols), lock);
	char text[LOCK_CLASSES_LEN];

	if (class)
		put_text(f, "class", lock_classes_text(class, text, sizeof(text)));
}

/* The whole of it, from the innermost function on. */
void put_stack(const struct report *r, struct fields *f, const struct stack *stack)
{
	char *path = frames_path(r->symbols, stack, true, UINT_MAX);

	put_u64(f, "stack_pid", stack->pid);
	put_u64(f, "stack_id", stack->id);
	put_text(f, "path", path);
	mem_free(path);
}

static void put_row(const struct report *r, struct fields *f,
		    enum report_tables which, const struct table_row *row)
{
	const char *name;
	char text[LOCK_CLASSES_LEN + 64];

	row_name(r, text, sizeof(text), which, row);
	f->row(f, text);
	if (which == TABLE_TASK) {
		name = row->key >> 32 ? NULL :
		       names_find(r->names, (int32_t)row->key);
		if (name)
			put_text(f, "name", name);
	} else if (which == TABLE_CLASS) {
		put_lock_class(r, f, row);
	} else if (which == TABLE_STACK) {
		put_stack(r, f, stacks_at(r->stacks, (uint32_t)row->key));
	} else {
		put_symbol(r, f, "symbol", row->key, which == TABLE_SITE);
		if (which == TABLE_SITE)
			put_line(r, f, "line", row->key);
		else
			put_class_of(r, f, row->key);
	}
	put_u64(f, "count", row->hold.count);
	put_sketch(r, f, "", &row->hold);
	if (!row->wait)
		return;
	put_u64(f, "wait_count", row->wait->count);
	put_sketch(r, f, "wait_", row->wait);
}

static void put_tables(const struct report *r, struct fields *f)
{
	static const char *const names[REPORT_TABLES] = {
		[TABLE_SITE] = "site", [TABLE_LOCK] = "lock",
		[TABLE_TASK] = "task", [TABLE_CLASS] = "class", [TABLE_STACK] = "stack",
	};
	unsigned int place, t;
	size_t i;

	for (place = 0; (t = report_table(r, place)) < REPORT_TABLES; place++) {
		f->table(f, names[t]);
		for (i = 0; i < r->table[t].n_rows && i < r->top; i++)
			put_row(r, f, t, r->table[t].rows[i]);
	}
}

/* What became of the records of stacks; without any there is no such table. */
static void put_stack_records(const struct report *r, struct fields *f)
{
	const struct stacked_counts *n;

	if (!r->stacks && !r->stackless)
		return;
	f->table(f, "stack_records");
	f->row(f, "all");
	put_u64(f, "without_file", r->stackless);
	if (!r->stacks)
		return;
	n = stacked_counts(r->stacked);
	put_u64(f, "records", n->records);
	put_u64(f, "used", n->used);
	put_u64(f, "none", n->none);
	put_u64(f, "unknown", n->unknown);
	put_u64(f, "stray", n->stray);
	put_u64(f, "full", stacks_full(r->stacks));
	put_u64(f, "failed", stacks_failed(r->stacks));
	put_u64(f, "damaged", stacks_damaged(r->stacks));
}

/* Entries that bounded memory refused. */
static void put_bounds(const struct report *r, struct fields *f)
{
	const struct { const char *name; uint64_t refused; } bounds[] = {
		{ "site", r->table[TABLE_SITE].refused },
		{ "lock", r->table[TABLE_LOCK].refused },
		{ "task", r->table[TABLE_TASK].refused },
		{ "order", order_refused(r->order) },
		{ "inversion", order_refused_locks(r->order) },
		{ "held", order_skipped(r->order) },
		{ "interrupt", irq_uses_refused(r->irq_uses) },
		{ "waited", r->wait_pairs.refused },
		{ "gap", r->gaps_in_all - r->n_gaps },
	};
	unsigned int i;

	f->table(f, "bound");
	for (i = 0; i < ARRAY_SIZE(bounds); i++) {
		f->row(f, bounds[i].name);
		put_u64(f, "refused", bounds[i].refused);
	}
}

static void put_balance_row(struct fields *f, const char *cpu,
			    unsigned int family, const struct balance *b)
{
	char row[64];

	snprintf(row, sizeof(row), "%s:%s", cpu, locks_name(family));
	f->row(f, row);
	put_u64(f, "acquires", b->acquires);
	put_u64(f, "releases", b->releases);
	put_number(f, "difference", "%" PRId64,
		   (int64_t)(b->acquires - b->releases));
	put_u64(f, "complete", b->complete);
	put_u64(f, "open_at_start", b->no_release[LOCKS_CUT_START]);
	put_u64(f, "open_at_end", b->no_release[LOCKS_CUT_END]);
	put_u64(f, "open_lost", b->no_release[LOCKS_CUT_LOST]);
	put_u64(f, "open_other", b->no_release[LOCKS_CUT_OTHER]);
	put_u64(f, "unmatched_at_start", b->no_acquire[LOCKS_CUT_START]);
	put_u64(f, "unmatched_at_end", b->no_acquire[LOCKS_CUT_END]);
	put_u64(f, "unmatched_lost", b->no_acquire[LOCKS_CUT_LOST]);
	put_u64(f, "unmatched_other", b->no_acquire[LOCKS_CUT_OTHER]);
}

static void put_balance(const struct report *r, struct fields *f)
{
	char cpu[TRACE_NAME_LEN];
	unsigned int i, family;

	f->table(f, "balance");
	for (i = 0; i < r->trace.n_streams; i++) {
		trace_stream_label(cpu, r->trace.streams[i].cpu);
		for (family = 0; family < LOCKS_FAMILIES; family++)
			put_balance_row(f, cpu, family,
					&locks_balance(r->locks, i)[family]);
	}
	for (family = 0; family < LOCKS_FAMILIES; family++) {
		struct balance sum = report_balance(r, family);

		put_balance_row(f, "all", family, &sum);
	}
}

void fields_report(const struct report *r, bool distributions, struct fields *f)
{
	put_trace(r, f);
	put_cpus(r, f);
	put_gaps(r, f);
	put_classes(r, f);
	put_depth(r, f);
	put_tables(r, f);
	put_waits(r, f);
	put_order(r, f);
	put_cycles_of_locks(r, f);
	put_longest(r, f);
	put_realtime(r, f);
	if (distributions)
		put_distributions(r, f);
	put_stack_records(r, f);
	put_bounds(r, f);
	put_balance(r, f);
	f->end(f);
}
