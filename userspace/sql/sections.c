// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Critical sections: the columns have the names that the CSV of ft export gives them. */
#include "base/array.h"
#include "sql/relation.h"

static struct value kind(const struct row *row)
{
	uint32_t flags = row->item->section.flags;

	return value_text(locks_group_name(flags & FT_READER_PROGRAM ? GROUP_PROGRAM :
					   flags & FT_READER_SPINNING ? GROUP_SPINNING :
									GROUP_SLEEPING));
}

static bool selects(const struct row *row)
{
	const struct filter *f = &row->source->filter;

	return !f->active || filter_section(f, reader_section(row->source->reader));
}

#define DEPTH(of)	COLUMN_FROM("depth_" #of, TYPE_NUMBER, FROM_COUNT, item.section.depth_##of)

static const struct column columns[] = {
	COLUMN_TRACE,
	COLUMNS_WHEN(section, start, end),
	COLUMN_GET("kind", TYPE_NAME, kind),
	COLUMN_FROM("family", TYPE_NAME, FROM_TEXT, item.section.family),
	COLUMNS_LOCK(item.section.lock, 0),
	COLUMNS_SITE("site", item.section.site, 0),
	COLUMN_CPU,
	COLUMNS_TASK,
	DEPTH(spinning),
	DEPTH(sleeping),
	DEPTH(both),
	DEPTH(program),
};

const struct relation sql_sections = {
	"sections", FT_READER_SECTIONS, columns, ARRAY_SIZE(columns), selects, NULL,
	"class, host, trace, start_ns",
};
