// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The report for programs as one JSON object: a table is an array of objects, one
 * a row, whose name is the member "row".
 */
#include <stdio.h>

#include "base/json.h"
#include "view/data/fields.h"

struct json_fields {
	struct fields	fields;		/* first: this is one */
	struct json	json;
};

static struct json *json_of(struct fields *f)
{
	return &((struct json_fields *)f)->json;
}

/* Closes what is open: 1 the whole, 2 a table, 3 a row. */
static void close_to(struct json *j, unsigned int depth)
{
	while (j->depth > depth)
		json_end(j);
}

static void json_table(struct fields *f, const char *name)
{
	close_to(json_of(f), 1);
	json_array(json_of(f), name);
}

static void json_row(struct fields *f, const char *name)
{
	close_to(json_of(f), 2);
	json_object(json_of(f), NULL);
	json_text(json_of(f), "row", name);
}

static void json_value(struct fields *f, const char *column, const char *value,
		       bool text)
{
	if (text)
		json_text(json_of(f), column, value);
	else
		json_number(json_of(f), column, "%s", value);
}

static void json_finish(struct fields *f)
{
	close_to(json_of(f), 0);
}

void fields_json(const struct report *r, bool distributions)
{
	struct json_fields t = {
		.fields = { json_table, json_row, json_value, json_finish },
		.json = { .f = stdout },
	};

	json_object(&t.json, NULL);
	fields_report(r, distributions, &t.fields);
}
