// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Records, as ft dump prints them. */
#include "base/array.h"
#include "sql/relation.h"

static void find(struct row *row)
{
	const struct ft_reader_record *record = &row->item->record;
	unsigned int kind = row->source->kinds[record->stream_class][record->id];

	row->kind = kind;
	if (kind < LOCKS_KIND_OTHER)
		row->has = ROW_OF_LOCK | ROW_HAS_LOCK;
	else if (kind == LOCKS_KIND_WAIT_BEGIN || kind == LOCKS_KIND_WAIT_END)
		row->has = ROW_HAS_LOCK;
}

static struct value event(const struct row *row)
{
	const struct ft_reader_event *of = row->item->record.event;

	return of ? value_text(of->name) : value_none();
}

static struct value family(const struct row *row)
{
	return value_text(row->has & ROW_OF_LOCK ? locks_name(row->kind / 2) : NULL);
}

static bool selects(const struct row *row)
{
	const struct ft_reader_item *item = row->item;
	const struct filter *f = &row->source->filter;
	struct ft_record rec = source_record(item);
	uint32_t stream = item->ring >= 0 ? TRACE_THREADS + (uint32_t)item->ring :
					    (uint32_t)item->cpu;

	return !f->active || filter_record(f, item->time, stream, &rec, row->kind);
}

static const struct column columns[] = {
	COLUMN_TRACE,
	COLUMN_FROM("time_ns", TYPE_NS, FROM_TICKS, item.time),
	COLUMN_MAYBE("time", TYPE_TIME, FROM_CLOCK, item.time),
	COLUMN_CPU,
	COLUMN_MAYBE("ring", TYPE_NUMBER, FROM_INDEX, item.ring),
	COLUMNS_TASK,
	COLUMN_GET("event", TYPE_NAME, event),
	COLUMN_GET("family", TYPE_NAME, family),
	COLUMNS_LOCK(item.record.a, ROW_HAS_LOCK),
	COLUMNS_SITE("site", item.record.b, ROW_OF_LOCK),
	COLUMN_FROM("a", TYPE_WORD, FROM_WORD, item.record.a),
	COLUMN_FROM("b", TYPE_WORD, FROM_WORD, item.record.b),
	COLUMN_MAYBE("fields", TYPE_TEXT, FROM_JSON, item.record),
};

const struct relation sql_records = {
	"records", FT_READER_RECORDS, columns, ARRAY_SIZE(columns), selects, find,
	"event, host, trace, time_ns",
};
