/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ft export --format clickhouse and --schema: what they are asked for. */
#ifndef FT_FT_EXPORT_CLICKHOUSE_H
#define FT_FT_EXPORT_CLICKHOUSE_H

#include "sql/clickhouse.h"

/* --schema */
enum { SCHEMA_CLICKHOUSE, SCHEMA_CLICKHOUSE_18, SCHEMA_NONE };

/** export_schema_name - a schema's name; NULL behind the last */
const char *export_schema_name(unsigned int i);

/** export_table_name - the same of --table */
const char *export_table_name(unsigned int i);

/** export_table_none - --table was not given */
unsigned int export_table_none(void);

/** export_schema - print the tables. Return: the exit status */
int export_schema(unsigned int schema);

#endif /* FT_FT_EXPORT_CLICKHOUSE_H */
