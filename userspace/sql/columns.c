// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Columns that several relations have. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/report.h"
#include "sql/relation.h"
#include "view/data/export.h"

#define PS	1000000000000ull

struct value column_trace(const struct row *row)
{
	return value_integer(row->source->number);
}

struct value column_cpu(const struct row *row)
{
	return row->item->cpu < 0 ? value_none() : value_integer(row->item->cpu);
}

struct value column_tid(const struct row *row)
{
	return value_integer(row->item->tid);
}

struct value column_task(const struct row *row)
{
	return value_text(source_task(row->source, row->item->tid));
}

struct value column_context(const struct row *row)
{
	return value_text(report_context_name(report_context((uint8_t)row->item->context)));
}

/* The greatest number that a database has is far beyond any trace: it takes 292 years. */
static int64_t whole(unsigned __int128 value)
{
	return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

struct value value_ns(const struct row *row, uint64_t ticks)
{
	const struct trace *t = row->source->trace;
	unsigned __int128 span = ticks - t->start;

	return value_integer(whole(span * 1000000000u / t->meta.freq));
}

struct value value_date(const struct row *row, uint64_t ticks)
{
	const struct trace *t = row->source->trace;

	return trace_has_wall(t) ? value_text(export_time(t, ticks, row->text)) : value_none();
}

/* As the CSV of ft export has it: rounded down to a picosecond. */
struct value value_length(const struct row *row, uint64_t length)
{
	unsigned __int128 ps = (unsigned __int128)length * PS / row->source->trace->meta.freq;

	return value_real((double)ps / 1000);
}

struct value value_address(const struct row *row, uint64_t address)
{
	snprintf(row->text, ROW_TEXT, "0x%" PRIx64, address);
	return value_text(row->text);
}

struct value value_name(const struct row *row, uint64_t address, bool call)
{
	return value_text(source_name(row->source, address, call));
}

struct value value_class(const struct row *row, uint64_t lock)
{
	return value_text(source_class(row->source, lock));
}

const struct relation *const relations[RELATIONS] = {
	&sql_sections, &sql_waits, &sql_records, &sql_trace,
};
