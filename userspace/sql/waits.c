// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Waits for locks, with who held them when they began. */
#include "base/array.h"
#include "sql/relation.h"

static struct value start_ns(const struct row *row)
{
	return value_ns(row, row->item->wait.begin);
}

static struct value end_ns(const struct row *row)
{
	return value_ns(row, row->item->wait.end);
}

static struct value length_ns(const struct row *row)
{
	return value_length(row, row->item->wait.length);
}

static struct value start_time(const struct row *row)
{
	return value_date(row, row->item->wait.begin);
}

static struct value family(const struct row *row)
{
	return value_text(row->item->wait.family);
}

static struct value class(const struct row *row)
{
	return value_class(row, row->item->wait.lock);
}

static struct value lock(const struct row *row)
{
	return value_address(row, row->item->wait.lock);
}

static struct value lock_symbol(const struct row *row)
{
	return value_name(row, row->item->wait.lock, false);
}

/* A place of 0 is not known. */

static struct value place(const struct row *row, uint64_t site)
{
	return site ? value_address(row, site) : value_none();
}

static struct value place_symbol(const struct row *row, uint64_t site)
{
	return site ? value_name(row, site, true) : value_none();
}

static struct value site(const struct row *row)
{
	return place(row, row->item->wait.site);
}

static struct value site_symbol(const struct row *row)
{
	return place_symbol(row, row->item->wait.site);
}

static struct value holder_site(const struct row *row)
{
	return place(row, row->item->wait.holder);
}

static struct value holder_site_symbol(const struct row *row)
{
	return place_symbol(row, row->item->wait.holder);
}

static struct value holder_family(const struct row *row)
{
	return value_text(row->item->wait.holder_family);
}

static struct value holder_tid(const struct row *row)
{
	const struct wait *w = reader_wait(row->source->reader);

	return w->holder ? value_integer(w->holder_tid) : value_none();
}

static struct value holder_task(const struct row *row)
{
	const struct wait *w = reader_wait(row->source->reader);

	return w->holder ? value_text(source_task(row->source, w->holder_tid)) : value_none();
}

static bool selects(const struct row *row)
{
	return filter_wait(&row->source->filter, reader_wait(row->source->reader));
}

static const struct column columns[] = {
	{ "trace", TYPE_NUMBER, column_trace },
	{ "start_ns", TYPE_NS, start_ns },
	{ "end_ns", TYPE_NS, end_ns },
	{ "length_ns", TYPE_LENGTH, length_ns },
	{ "start_time", TYPE_TEXT, start_time },
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
	{ "holder_family", TYPE_NAME, holder_family },
	{ "holder_site", TYPE_ADDRESS, holder_site },
	{ "holder_site_symbol", TYPE_NAME, holder_site_symbol },
	{ "holder_tid", TYPE_NUMBER, holder_tid },
	{ "holder_task", TYPE_NAME, holder_task },
};

const struct relation sql_waits = {
	"waits", FT_READER_WAITS, columns, ARRAY_SIZE(columns), selects,
};
