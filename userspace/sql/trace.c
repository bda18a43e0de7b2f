// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What a trace is: where, when and of what it was recorded, and what it lost. */
#include "base/array.h"
#include "base/uuid.h"
#include "sql/relation.h"
#include "trace/fact.h"

static struct value uuid(const struct row *row)
{
	const struct metadata *m = &row->source->trace->meta;

	if (!m->has_uuid)
		return value_none();
	uuid_format(row->text, m->uuid);
	return value_text(row->text);
}

static struct value path(const struct row *row)
{
	return value_text(row->source->path);
}

static struct value fact(const struct row *row, const char *key)
{
	char *text = trace_fact_whole(row->source->trace, key);

	return text ? value_text(source_keep(row->source, text)) : value_none();
}

static struct value host(const struct row *row)
{
	return fact(row, "host");
}

static struct value kernel_release(const struct row *row)
{
	return fact(row, "kernel_release");
}

static struct value kernel_version(const struct row *row)
{
	return fact(row, "kernel_version");
}

static struct value machine(const struct row *row)
{
	return fact(row, "machine");
}

static struct value command(const struct row *row)
{
	return fact(row, "command");
}

static struct value began(const struct row *row)
{
	return value_date(row, row->source->trace->start);
}

static struct value duration_ns(const struct row *row)
{
	const struct reading *r = &row->source->reader->reading;

	return r->records ? value_ns(row, r->last) : value_none();
}

static struct value clock_hz(const struct row *row)
{
	return value_integer((int64_t)row->source->trace->meta.freq);
}

static struct value cpus(const struct row *row)
{
	return value_integer(trace_cpu_streams(row->source->trace));
}

static struct value records(const struct row *row)
{
	return value_integer((int64_t)row->source->reader->reading.records);
}

static struct value lost(const struct row *row)
{
	return value_integer((int64_t)trace_lost(row->source->trace));
}

static const struct column columns[] = {
	{ "trace", TYPE_NUMBER, column_trace },
	{ "uuid", TYPE_TEXT, uuid },
	{ "path", TYPE_TEXT, path },
	{ "host", TYPE_NAME, host },
	{ "kernel_release", TYPE_NAME, kernel_release },
	{ "kernel_version", TYPE_NAME, kernel_version },
	{ "machine", TYPE_NAME, machine },
	{ "command", TYPE_TEXT, command },
	{ "began", TYPE_TEXT, began },
	{ "duration_ns", TYPE_NS, duration_ns },
	{ "clock_hz", TYPE_COUNT, clock_hz },
	{ "cpus", TYPE_NUMBER, cpus },
	{ "records", TYPE_COUNT, records },
	{ "lost", TYPE_COUNT, lost },
};

const struct relation sql_trace = {
	"trace", 0, columns, ARRAY_SIZE(columns), NULL,
};
