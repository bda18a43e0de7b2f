// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Records, as ft dump prints them. */
#include <inttypes.h>
#include <stdio.h>

#include "base/array.h"
#include "base/json.h"
#include "base/mem.h"
#include "sql/relation.h"

static unsigned int kind_of(const struct row *row)
{
	const struct ft_reader_record *record = &row->item->record;

	return row->source->kinds[record->stream_class][record->id];
}

static bool is_of_lock(unsigned int kind)
{
	return kind < LOCKS_KIND_OTHER;
}

static bool has_lock(unsigned int kind)
{
	return is_of_lock(kind) || kind == LOCKS_KIND_WAIT_BEGIN || kind == LOCKS_KIND_WAIT_END;
}

static struct value time_ns(const struct row *row)
{
	return value_ns(row, row->item->time);
}

static struct value time(const struct row *row)
{
	return value_date(row, row->item->time);
}

static struct value ring(const struct row *row)
{
	return row->item->ring < 0 ? value_none() : value_integer(row->item->ring);
}

static struct value event(const struct row *row)
{
	const struct ft_reader_event *of = row->item->record.event;

	return of ? value_text(of->name) : value_none();
}

static struct value family(const struct row *row)
{
	unsigned int kind = kind_of(row);

	return is_of_lock(kind) ? value_text(locks_name(kind / 2)) : value_none();
}

static struct value class(const struct row *row)
{
	return has_lock(kind_of(row)) ? value_class(row, row->item->record.a) : value_none();
}

static struct value lock(const struct row *row)
{
	return has_lock(kind_of(row)) ? value_address(row, row->item->record.a) : value_none();
}

static struct value lock_symbol(const struct row *row)
{
	return has_lock(kind_of(row)) ? value_name(row, row->item->record.a, false) :
					value_none();
}

static struct value site(const struct row *row)
{
	return is_of_lock(kind_of(row)) ? value_address(row, row->item->record.b) : value_none();
}

static struct value site_symbol(const struct row *row)
{
	return is_of_lock(kind_of(row)) ? value_name(row, row->item->record.b, true) :
					  value_none();
}

static struct value word_a(const struct row *row)
{
	return value_integer((int64_t)row->item->record.a);
}

static struct value word_b(const struct row *row)
{
	return value_integer((int64_t)row->item->record.b);
}

/* As JSON, which SQLite takes apart: json_extract(fields, '$.next_prio'). */

static void put_address(FILE *f, struct source *s, uint64_t address, bool call)
{
	const char *name = call ? source_name(s, address, true) : NULL;

	if (name)
		json_string(f, name);
	else
		fprintf(f, "\"0x%" PRIx64 "\"", address);
}

static void put_field(FILE *f, struct source *s, const struct ft_reader_field *field,
		      uint64_t value)
{
	const char *label;

	switch (field->style) {
	case FT_READER_FIELD_SIGNED:
	case FT_READER_FIELD_PRIO:
		fprintf(f, "%" PRId64, (int64_t)value);
		break;
	case FT_READER_FIELD_UNSIGNED:
		fprintf(f, "%" PRIu64, value);
		break;
	case FT_READER_FIELD_LABEL:
		label = ft_reader_label(field, value);
		if (label)
			json_string(f, label);
		else
			fprintf(f, "%" PRIu64, value);
		break;
	default:
		put_address(f, s, value, field->style == FT_READER_FIELD_CODE);
	}
}

static struct value fields(const struct row *row)
{
	const struct ft_reader_record *record = &row->item->record;
	struct source *s = row->source;
	const struct ft_reader_field *field;
	char *text = NULL;
	size_t len;
	FILE *f;

	if (!record->event)
		return value_none();
	f = mem_check(open_memstream(&text, &len));
	fputc('{', f);
	for (unsigned int i = 0; (field = ft_reader_field(s->reader, record->event, i)); i++) {
		if (i)
			fputc(',', f);
		json_string(f, field->name);
		fputc(':', f);
		put_field(f, s, field, ft_reader_value(field, record->a, record->b));
	}
	fputc('}', f);
	if (fclose(f))
		mem_none();
	return value_text(source_keep(s, text));
}

static bool selects(const struct row *row)
{
	const struct ft_reader_item *item = row->item;
	const struct filter *f = &row->source->filter;
	struct ft_record rec = source_record(item);
	uint32_t stream = item->ring >= 0 ? TRACE_THREADS + (uint32_t)item->ring :
					    (uint32_t)item->cpu;

	return !f->active || filter_record(f, item->time, stream, &rec, kind_of(row));
}

static const struct column columns[] = {
	{ "trace", TYPE_NUMBER, column_trace },
	{ "time_ns", TYPE_NS, time_ns },
	{ "time", TYPE_TEXT, time },
	{ "cpu", TYPE_NUMBER, column_cpu },
	{ "ring", TYPE_NUMBER, ring },
	{ "tid", TYPE_NUMBER, column_tid },
	{ "task", TYPE_NAME, column_task },
	{ "context", TYPE_NAME, column_context },
	{ "event", TYPE_NAME, event },
	{ "family", TYPE_NAME, family },
	{ "class", TYPE_NAME, class },
	{ "lock", TYPE_ADDRESS, lock },
	{ "lock_symbol", TYPE_NAME, lock_symbol },
	{ "site", TYPE_ADDRESS, site },
	{ "site_symbol", TYPE_NAME, site_symbol },
	{ "a", TYPE_WORD, word_a },
	{ "b", TYPE_WORD, word_b },
	{ "fields", TYPE_TEXT, fields },
};

const struct relation sql_records = {
	"records", FT_READER_RECORDS, columns, ARRAY_SIZE(columns), selects,
};
