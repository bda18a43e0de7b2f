/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Conditions of a flight recorder, as they are written:
 *
 *	[NAME:] EVENT
 *	[NAME:] EVENT.FIELD OPERATOR VALUE
 *
 * OPERATOR is one of == != < <= > >=; VALUE is decimal or 0x hexadecimal. A value with a
 * sign makes the comparison one of signed numbers.
 */
#ifndef FT_CONTROL_CONDITION_H
#define FT_CONTROL_CONDITION_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/feather_trace.h>

enum condition_operator {
	CONDITION_ALWAYS,	/* the event is enough */
	CONDITION_EQUAL,
	CONDITION_UNEQUAL,
	CONDITION_LESS_EQUAL,
	CONDITION_GREATER_EQUAL,
	CONDITION_LESS,
	CONDITION_GREATER,
};

struct condition {
	char			name[64];	/* or all of the text */
	char			event[FT_NAME_LEN];
	char			field[FT_FIELD_LEN];	/* unless it is CONDITION_ALWAYS */
	enum condition_operator	op;
	bool			is_signed;
	uint64_t		value;
};

/**
 * condition_parse - take a condition apart
 * @at:	where in @text it is wrong
 *
 * Return: NULL, or what is wrong there.
 */
const char *condition_parse(const char *text, struct condition *c, const char **at);

/** condition_holds - for an event whose field is @word */
bool condition_holds(const struct condition *c, uint64_t word);

#endif /* FT_CONTROL_CONDITION_H */
