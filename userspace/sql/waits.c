// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Waits for locks, with who held them when they began. */
#include "base/array.h"
#include "sql/relation.h"

static bool selects(const struct row *row)
{
	return filter_wait(&row->source->filter, reader_wait(row->source->reader));
}

/* A place of 0 is not known. */
static void find(struct row *row)
{
	const struct ft_reader_wait *w = &row->item->wait;

	row->has = (w->site ? ROW_HAS_SITE : 0) | (w->holder ? ROW_HAS_HOLDER : 0);
}

static const struct column columns[] = {
	COLUMN_TRACE,
	COLUMNS_WHEN(wait, begin, end),
	COLUMN_FROM("family", TYPE_NAME, FROM_TEXT, item.wait.family),
	COLUMNS_LOCK(item.wait.lock, 0),
	COLUMNS_SITE("site", item.wait.site, ROW_HAS_SITE),
	COLUMN_CPU,
	COLUMNS_TASK,
	COLUMN_IF("holder_family", TYPE_NAME, FROM_TEXT, item.wait.holder_family, ROW_HAS_HOLDER),
	COLUMNS_SITE("holder_site", item.wait.holder, ROW_HAS_HOLDER),
	COLUMN_IF("holder_tid", TYPE_NUMBER, FROM_TID, wait.holder_tid, ROW_HAS_HOLDER),
	COLUMN_IF("holder_task", TYPE_NAME, FROM_TASK, wait.holder_tid, ROW_HAS_HOLDER),
};

const struct relation sql_waits = {
	"waits", FT_READER_WAITS, columns, ARRAY_SIZE(columns), selects, find,
	"class, host, trace, start_ns",
};
