// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Critical sections: the columns have the names that the CSV of ft export gives them. */
#include "base/array.h"
#include "sql/relation.h"

static struct value start_ns(const struct row *row)
{
	return value_ns(row, row->item->section.start);
}

static struct value end_ns(const struct row *row)
{
	return value_ns(row, row->item->section.end);
}

static struct value length_ns(const struct row *row)
{
	return value_length(row, row->item->section.length);
}

static struct value start_time(const struct row *row)
{
	return value_date(row, row->item->section.start);
}

static struct value family(const struct row *row)
{
	return value_text(row->item->section.family);
}

static struct value kind(const struct row *row)
{
	uint32_t flags = row->item->section.flags;

	return value_text(locks_group_name(flags & FT_READER_PROGRAM ? GROUP_PROGRAM :
					   flags & FT_READER_SPINNING ? GROUP_SPINNING :
									GROUP_SLEEPING));
}

static struct value class(const struct row *row)
{
	return value_class(row, row->item->section.lock);
}

static struct value lock(const struct row *row)
{
	return value_address(row, row->item->section.lock);
}

static struct value lock_symbol(const struct row *row)
{
	return value_name(row, row->item->section.lock, false);
}

static struct value site(const struct row *row)
{
	return value_address(row, row->item->section.site);
}

static struct value site_symbol(const struct row *row)
{
	return value_name(row, row->item->section.site, true);
}

static struct value depth_spinning(const struct row *row)
{
	return value_integer(row->item->section.depth_spinning);
}

static struct value depth_sleeping(const struct row *row)
{
	return value_integer(row->item->section.depth_sleeping);
}

static struct value depth_both(const struct row *row)
{
	return value_integer(row->item->section.depth_both);
}

static struct value depth_program(const struct row *row)
{
	return value_integer(row->item->section.depth_program);
}

static bool selects(const struct row *row)
{
	const struct filter *f = &row->source->filter;

	return !f->active || filter_section(f, reader_section(row->source->reader));
}

static const struct column columns[] = {
	{ "trace", TYPE_NUMBER, column_trace },
	{ "start_ns", TYPE_NS, start_ns },
	{ "end_ns", TYPE_NS, end_ns },
	{ "length_ns", TYPE_LENGTH, length_ns },
	{ "start_time", TYPE_TEXT, start_time },
	{ "kind", TYPE_NAME, kind },
	{ "family", TYPE_NAME, family },
	{ "class", TYPE_NAME, class },
	{ "lock", TYPE_ADDRESS, lock },
	{ "lock_symbol", TYPE_NAME, lock_symbol },
	{ "site", TYPE_ADDRESS, site },
	{ "site_symbol", TYPE_NAME, site_symbol },
	{ "cpu", TYPE_NUMBER, column_cpu },
	{ "tid", TYPE_NUMBER, column_tid },
	{ "task", TYPE_NAME, column_task },
	{ "context", TYPE_NAME, column_context },
	{ "depth_spinning", TYPE_NUMBER, depth_spinning },
	{ "depth_sleeping", TYPE_NUMBER, depth_sleeping },
	{ "depth_both", TYPE_NUMBER, depth_both },
	{ "depth_program", TYPE_NUMBER, depth_program },
};

const struct relation sql_sections = {
	"sections", FT_READER_SECTIONS, columns, ARRAY_SIZE(columns), selects,
};
