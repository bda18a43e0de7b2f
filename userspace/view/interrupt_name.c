// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What an interrupt is called: its event without "_entry", and which one it was. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "view/interrupt_name.h"

void interrupt_name(const struct interrupt_span *span, const struct symbols *symbols, char *name,
		    size_t size)
{
	const struct event_type *type = span->event;
	int base = (int)(strlen(type->name) - strlen("_entry"));
	const struct event_field *field = type->field;
	char code[SYMBOLS_LEN];
	uint64_t value;

	if (!type->fields) {
		snprintf(name, size, "%.*s", base, type->name);
		return;
	}
	for (unsigned int i = 0; i < type->fields && field->type.style == FIELD_HEX; i++)
		field = &type->field[i];
	value = event_field_value(field, span->a, span->b);
	if (field_label(&field->type, value))
		snprintf(name, size, "%.*s %s", base, type->name, field_label(&field->type, value));
	else if (field->type.style == FIELD_CODE)
		snprintf(name, size, "%.*s %s", base, type->name,
			 symbols_format(symbols, value, false, code, sizeof(code)));
	else
		snprintf(name, size, field->type.style == FIELD_HEX ? "%.*s 0x%" PRIx64 :
			 field->type.style == FIELD_UNSIGNED ? "%.*s %" PRIu64 : "%.*s %" PRId64,
			 base, type->name, value);
}
