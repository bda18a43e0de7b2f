// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Values of columns, for databases that take any. See relation.h. */
#include <stdio.h>

#include "analysis/report.h"
#include "sql/event_json.h"
#include "sql/relation.h"
#include "view/data/export.h"

_Static_assert(offsetof(struct found, item) == 0, "a row's item is its struct found");

const struct relation *const relations[RELATIONS] = {
	&sql_sections, &sql_waits, &sql_records, &sql_trace,
};

unsigned int relation_find(const char *name)
{
	unsigned int i = 0;

	while (i < RELATIONS && strcasecmp(name, relations[i]->name))
		i++;
	return i;
}

unsigned int relation_column(const struct relation *r, const char *name)
{
	unsigned int i = 0;

	while (i < r->n && strcasecmp(name, r->columns[i].name))
		i++;
	return i;
}

const char *context_text(uint32_t context)
{
	return report_context_name(report_context((uint8_t)context));
}

struct value value_ns(const struct row *row, uint64_t ticks)
{
	return value_integer((int64_t)source_ns(row->source, ticks));
}

struct value value_date(const struct row *row, uint64_t ticks)
{
	const struct trace *t = row->source->trace;

	return trace_has_wall(t) ? value_text(export_time(t, ticks, row->text)) : value_none();
}

struct value column_value(const struct column *c, const struct row *row)
{
	if (column_missing(c, row))
		return value_none();
	switch (c->from) {
	case FROM_GET:
		return c->get(row);
	case FROM_TRACE:
		return value_integer(row->source->number);
	case FROM_TICKS:
		return value_ns(row, column_u64(c, row));
	case FROM_CLOCK:
		return value_date(row, column_u64(c, row));
	case FROM_LENGTH:
		return value_real(source_length(row->source, column_u64(c, row)));
	case FROM_TEXT:
		return value_text(column_string(c, row));
	case FROM_COUNT:
		return value_integer((uint32_t)column_i32(c, row));
	case FROM_INDEX:
		return column_i32(c, row) < 0 ? value_none() : value_integer(column_i32(c, row));
	case FROM_TID:
		return value_integer(column_i32(c, row));
	case FROM_TASK:
		return value_text(source_task(row->source, column_i32(c, row)));
	case FROM_CONTEXT:
		return value_text(context_text((uint32_t)column_i32(c, row)));
	case FROM_WORD:
		return value_integer((int64_t)column_u64(c, row));
	case FROM_ADDRESS:
		return value_text(source_address(row->text, column_u64(c, row)));
	case FROM_DATA:
		return value_text(source_name(row->source, column_u64(c, row), false).at);
	case FROM_CODE:
		return value_text(source_name(row->source, column_u64(c, row), true).at);
	case FROM_CLASS:
		return value_text(source_class(row->source, column_u64(c, row)).at);
	case FROM_JSON:
		return value_text(event_json(row->source, &row->item->record).at);
	}
	return value_none();
}
