// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Names of values in conditions: see when_label.h. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/device.h"
#include "record/kernel/when_label.h"
#include "trace/metadata.h"

/* Return: false after a message. */
static bool load(struct metadata *m, int control)
{
	char *text;
	ssize_t len = device_read_meta(control, &text);
	int ret;

	if (len < 0)
		return false;
	ret = metadata_parse(m, text, (size_t)len, DEVICE_META);
	free(text);
	return !ret;
}

static const struct event_field *find_field(const struct metadata *m, uint32_t event,
					    const char *name)
{
	const struct event_type *type = metadata_event(m, 0, event);

	return type ? event_type_field(type, name) : NULL;
}

/* The first of the labels with its name? */
static bool is_first(const struct field_type *type, size_t label)
{
	size_t i = 0;

	while (strcmp(type->label[i].name, type->label[label].name))
		i++;
	return i == label;
}

static void tell_labels(const struct condition *c, const struct condition_test *test,
			const struct field_type *type)
{
	char list[512] = "";
	size_t len = 0;

	if (!type->labels) {
		warnx("--when '%s': the values of '%s' have no names such as '%s': write a number",
		      c->name, test->field, test->label);
		return;
	}
	for (size_t i = 0; i < type->labels && len < sizeof(list); i++) {
		if (is_first(type, i))
			len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s",
						i ? ", " : "", type->label[i].name);
	}
	warnx("--when '%s': '%s' has no value '%s'; it has: %s", c->name, test->field, test->label,
	      list);
}

static bool find_value(const struct condition *c, const struct condition_test *test,
		       const struct field_type *type, uint64_t *value)
{
	for (size_t i = 0; i < type->labels; i++) {
		if (strcmp(type->label[i].name, test->label))
			continue;
		*value = type->label[i].value;
		return true;
	}
	tell_labels(c, test, type);
	return false;
}

bool when_label_value(const struct condition *c, const struct condition_test *test, int control,
		      uint32_t event, uint64_t *value)
{
	static const struct field_type unknown;
	const struct event_field *field;
	struct metadata m = { 0 };
	bool found = false;

	if (load(&m, control)) {
		field = find_field(&m, event, test->field);
		found = find_value(c, test, field ? &field->type : &unknown, value);
	}
	metadata_free(&m);
	return found;
}
