// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Conditions of a flight recorder: see condition.h. */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "control/condition.h"

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

/* Those that begin with another one come before it. */
static const struct {
	const char		*text;
	enum condition_operator	op;
} operators[] = {
	{ "==", CONDITION_EQUAL }, { "!=", CONDITION_UNEQUAL },
	{ "<=", CONDITION_LESS_EQUAL }, { ">=", CONDITION_GREATER_EQUAL },
	{ "<", CONDITION_LESS }, { ">", CONDITION_GREATER },
};

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \t");
}

/* Return: what follows it; NULL: it is empty, or too long. */
static const char *take_word(const char *text, char *to, size_t size)
{
	size_t len = strspn(text, letters);

	if (!len || len >= size)
		return NULL;
	memcpy(to, text, len);
	to[len] = '\0';
	return text + len;
}

static const char *take_name(const char *text, struct condition *c)
{
	const char *end = take_word(text, c->name, sizeof(c->name));

	end = end ? skip_blanks(end) : NULL;
	if (end && *end == ':')
		return skip_blanks(end + 1);
	snprintf(c->name, sizeof(c->name), "%s", text);
	return text;
}

static const char *take_operator(const char *text, struct condition *c)
{
	for (size_t i = 0; i < ARRAY_SIZE(operators); i++) {
		size_t len = strlen(operators[i].text);

		if (strncmp(text, operators[i].text, len))
			continue;
		c->op = operators[i].op;
		return text + len;
	}
	return NULL;
}

static bool take_value(const char *text, struct condition *c)
{
	char digits[32];
	size_t len;

	c->is_signed = *text == '-' || *text == '+';
	snprintf(digits, sizeof(digits), "%s", text + c->is_signed);
	len = strcspn(digits, " \t");
	if (*skip_blanks(digits + len))
		return false;
	digits[len] = '\0';
	if (parse_u64(digits, &c->value) || (c->is_signed && c->value > INT64_MAX))
		return false;
	if (*text == '-')
		c->value = -c->value;
	return true;
}

const char *condition_parse(const char *text, struct condition *c, const char **at)
{
	const char *end;

	*c = (struct condition){ .op = CONDITION_ALWAYS };
	*at = take_name(skip_blanks(text), c);
	end = take_word(*at, c->event, sizeof(c->event));
	if (!end)
		return "here the name of an event is missing, or too long";
	*at = end;
	if (!*skip_blanks(end))
		return NULL;
	if (*end != '.')
		return "here '.' and a field of the event are missing";
	*at = end + 1;
	end = take_word(*at, c->field, sizeof(c->field));
	if (!end)
		return "here the name of a field is missing, or too long";
	*at = skip_blanks(end);
	end = take_operator(*at, c);
	if (!end)
		return "here one of == != < <= > >= is missing";
	*at = skip_blanks(end);
	return take_value(*at, c) ? NULL : "this is not a number";
}

bool condition_holds(const struct condition *c, uint64_t word)
{
	bool less = c->is_signed ? (int64_t)word < (int64_t)c->value : word < c->value;
	bool equal = word == c->value;

	switch (c->op) {
	case CONDITION_ALWAYS:
		return true;
	case CONDITION_EQUAL:
		return equal;
	case CONDITION_UNEQUAL:
		return !equal;
	case CONDITION_LESS_EQUAL:
		return less || equal;
	case CONDITION_GREATER_EQUAL:
		return !less;
	case CONDITION_LESS:
		return less;
	case CONDITION_GREATER:
		return !less && !equal;
	}
	return false;
}
