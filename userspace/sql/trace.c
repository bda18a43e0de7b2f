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

static struct value boot_id(const struct row *row)
{
	return fact(row, "boot_id");
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
	return value_integer((int64_t)trace_books(row->source->trace).records);
}

static struct value lost(const struct row *row)
{
	return value_integer((int64_t)trace_lost(row->source->trace));
}

static const struct column columns[] = {
	COLUMN_TRACE,
	COLUMN_GET("uuid", TYPE_UUID, uuid),
	COLUMN_GET("path", TYPE_TEXT, path),
	COLUMN_GET("host", TYPE_NAME, host),
	COLUMN_GET("boot_id", TYPE_UUID, boot_id),
	COLUMN_GET("kernel_release", TYPE_NAME, kernel_release),
	COLUMN_GET("kernel_version", TYPE_NAME, kernel_version),
	COLUMN_GET("machine", TYPE_NAME, machine),
	COLUMN_GET("command", TYPE_TEXT, command),
	COLUMN_GET("began", TYPE_TIME, began),
	COLUMN_GET("duration_ns", TYPE_NS, duration_ns),
	COLUMN_GET("clock_hz", TYPE_COUNT, clock_hz),
	COLUMN_GET("cpus", TYPE_NUMBER, cpus),
	COLUMN_GET("records", TYPE_COUNT, records),
	COLUMN_GET("lost", TYPE_COUNT, lost),
};

const struct relation sql_trace = {
	"trace", 0, columns, ARRAY_SIZE(columns), NULL, NULL,
	"host, trace",
};
