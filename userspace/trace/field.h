/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A field of a record: which bits of its two words, and what they mean. */
#ifndef FT_TRACE_FIELD_H
#define FT_TRACE_FIELD_H

#include <stddef.h>
#include <stdint.h>

#define FIELD_WORD	64	/* bits */

enum field_style {
	FIELD_HEX,		/* an address, or of an unknown type */
	FIELD_UNSIGNED,
	FIELD_SIGNED,
	FIELD_CODE,		/* the address of a function */
	FIELD_PRIO,		/* a task's, as the kernel counts */
	FIELD_LABEL,		/* one of an enumeration's */
};

/* A number with a name: of an enumeration. */
struct field_label {
	uint64_t		value;
	char			*name;
};

/* How a field is read and printed. */
struct field_type {
	enum field_style	style;
	unsigned int		bits;
	unsigned int		align;		/* in bits */
	struct field_label	*label;		/* of FIELD_LABEL; the metadata's */
	size_t			labels;
};

/* Part of the two words of a record. */
struct event_field {
	char			*name;
	unsigned int		from;		/* its first bit; 64: of the second word */
	struct field_type	type;
};

/** event_field_value - from the words of a record; a signed one is extended */
uint64_t event_field_value(const struct event_field *field, uint64_t a, uint64_t b);

/** field_label - what an enumeration calls this value, or NULL */
const char *field_label(const struct field_type *type, uint64_t value);

#endif /* FT_TRACE_FIELD_H */
