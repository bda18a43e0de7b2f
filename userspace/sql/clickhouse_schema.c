// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Tables of ClickHouse. See clickhouse.h. */
#include "sql/clickhouse.h"
#include "sql/rowbinary.h"

static const char *type_name(enum column_type type, enum clickhouse_age age)
{
	bool new = age == CLICKHOUSE_NEW;

	switch (type) {
	case TYPE_TRACE:
	case TYPE_UUID:
		return "UUID";
	case TYPE_NUMBER:
		return "Int32";
	case TYPE_NS:
	case TYPE_COUNT:
	case TYPE_ADDRESS:
		return "UInt64";
	case TYPE_WORD:
		return "Int64";
	case TYPE_LENGTH:
		return "Float64";
	case TYPE_TIME:
		return new ? "DateTime64(9, 'UTC')" : "Int64";
	case TYPE_NAME:
		return new ? "LowCardinality(String)" : "String";
	case TYPE_TEXT:
		break;
	}
	return "String";
}

static void put_column(FILE *f, const struct column *c, enum clickhouse_age age)
{
	bool null = rowbinary_may_be_null(c);

	fprintf(f, "%s\n\t%s %s%s%s", c->from == FROM_TRACE ? "" : ",", c->name,
		null ? "Nullable(" : "", type_name(c->type, age), null ? ")" : "");
}

static void put_table(FILE *f, const struct relation *r, enum clickhouse_age age)
{
	fprintf(f, "CREATE TABLE IF NOT EXISTS %s (", r->name);
	put_column(f, &r->columns[0], age);
	for (unsigned int i = 0; r->kind && i < ROWBINARY_ORIGIN; i++)
		put_column(f, &sql_trace.columns[relation_column(&sql_trace, rowbinary_origin[i])],
			   age);
	for (unsigned int i = 1; i < r->n; i++)
		put_column(f, &r->columns[i], age);
	fprintf(f, "\n) ENGINE = MergeTree ORDER BY (%s);\n"
		"-- ft export -f clickhouse --table %s TRACE |\n"
		"--   clickhouse-client --query 'INSERT INTO %s FORMAT RowBinary'\n\n",
		r->order, r->name, r->name);
}

void clickhouse_schema(FILE *f, enum clickhouse_age age)
{
	fprintf(f, "-- Tables for the rows that ft export -f clickhouse writes.\n%s\n",
		age == CLICKHOUSE_18 ? "-- Times are nanoseconds since 1970.\n" : "");
	for (unsigned int i = 0; i < RELATIONS; i++)
		put_table(f, relations[i], age);
}
