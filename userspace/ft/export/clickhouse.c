// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft export --format clickhouse, --schema: names of tables and of servers. */
#include "base/array.h"
#include "base/file.h"
#include "base/exit_status.h"
#include "ft/export/clickhouse.h"
#include "sql/relation.h"

const char *export_schema_name(unsigned int i)
{
	static const char *const names[] = { "clickhouse", "clickhouse-18" };

	return i < ARRAY_SIZE(names) ? names[i] : NULL;
}

const char *export_table_name(unsigned int i)
{
	return i < RELATIONS ? relations[i]->name : NULL;
}

unsigned int export_table_none(void)
{
	return RELATIONS;
}

int export_schema(unsigned int schema)
{
	clickhouse_schema(stdout, schema == SCHEMA_CLICKHOUSE ? CLICKHOUSE_NEW : CLICKHOUSE_18);
	return flush_output(FT_EXIT_OK);
}
