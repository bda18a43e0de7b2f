/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The tables of ft sql for a server that has those of many traces: ClickHouse. */
#ifndef FT_SQL_CLICKHOUSE_H
#define FT_SQL_CLICKHOUSE_H

#include <stdio.h>

#include "sql/source.h"

/**
 * enum clickhouse_age - which servers take the tables; the rows are the same for both
 * @CLICKHOUSE_NEW:	have LowCardinality and DateTime64: since 20.1
 * @CLICKHOUSE_18:	lack them, as Debian's 18.16
 */
enum clickhouse_age { CLICKHOUSE_NEW, CLICKHOUSE_18 };

/**
 * struct clickhouse_asked - the request
 * @dirs:	of the trace, or its parts; NULL behind the last
 * @table:	enum of sql/relation.h's relations; RELATIONS: all
 * @output:	of one table, a file; NULL: standard output. Of all, a new directory
 */
struct clickhouse_asked {
	char *const		*dirs;
	unsigned int		table;
	const char		*output;
	struct source_asked	source;
};

/** clickhouse_schema - print the statements that make the tables */
void clickhouse_schema(FILE *f, enum clickhouse_age age);

/** clickhouse_export - write the rows of a trace. Return: the exit status */
int clickhouse_export(const struct clickhouse_asked *asked);

#endif /* FT_SQL_CLICKHOUSE_H */
