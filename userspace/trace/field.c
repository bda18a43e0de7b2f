// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Values of fields. See field.h. */
#include <stdbool.h>

#include "trace/field.h"

static bool is_signed(enum field_style style)
{
	return style == FIELD_SIGNED || style == FIELD_PRIO;
}

uint64_t event_field_value(const struct event_field *field, uint64_t a, uint64_t b)
{
	uint64_t word = field->from < FIELD_WORD ? a : b;
	unsigned int bits = field->type.bits, above;

	above = FIELD_WORD - field->from % FIELD_WORD - bits;
	word <<= above;
	if (is_signed(field->type.style))
		return (uint64_t)((int64_t)word >> (FIELD_WORD - bits));
	return word >> (FIELD_WORD - bits);
}

const char *field_label(const struct field_type *type, uint64_t value)
{
	for (size_t i = 0; i < type->labels; i++) {
		if (type->label[i].value == value)
			return type->label[i].name;
	}
	return NULL;
}
