// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The report for programs: a line a value, table<TAB>row<TAB>column<TAB>value. */
#include <stdio.h>

#include "trace/session_file.h"
#include "view/data/fields.h"

struct tsv {
	struct fields	fields;		/* first: this is one */
	const char	*table;
	char		row[128];
};

static void tsv_table(struct fields *f, const char *name)
{
	((struct tsv *)f)->table = name;
}

static void tsv_row(struct fields *f, const char *name)
{
	struct tsv *t = (struct tsv *)f;

	snprintf(t->row, sizeof(t->row), "%s", name);
}

/* A value is one line: it keeps the escapes that it needs for that. */
static void tsv_value(struct fields *f, const char *column, const char *value,
		      bool text)
{
	const struct tsv *t = (const struct tsv *)f;

	(void)text;
	printf("%s\t%s\t%s\t", t->table, t->row, column);
	session_escape(stdout, value);
	putchar('\n');
}

static void tsv_end(struct fields *f)
{
	(void)f;
}

void fields_tsv(const struct report *r, bool distributions)
{
	struct tsv t = { .fields = { tsv_table, tsv_row, tsv_value, tsv_end } };

	fields_report(r, distributions, &t.fields);
}
