/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Names from a trace, made safe to print: the trace's author chose them, and terminals
 * obey control characters. These become text, as "\x1b". Readers pass each name through
 * here, so that code that prints names need not.
 */
#ifndef FT_BASE_VISIBLE_H
#define FT_BASE_VISIBLE_H

#include <stdbool.h>
#include <stddef.h>

/** visible_is - has it no control characters? */
bool visible_is(const char *name);

/**
 * visible_copy - copy a name; as much as fits
 *
 * Return: the length of the whole, as snprintf() does.
 */
size_t visible_copy(char *buf, size_t len, const char *name);

/** visible_new - the same, into new memory */
char *visible_new(const char *name);

/** visible_value - as visible_copy(), but newlines and tabs stay */
size_t visible_value(char *buf, size_t len, const char *value);

/**
 * visible_shorten - cut a text to @columns: "..." replaces its middle. Characters stay
 * whole.
 *
 * Return: was it longer?
 */
bool visible_shorten(char *text, size_t columns);

/**
 * visible_lines - make the text of a file safe to print; newlines and tabs stay
 * @text: of mem.h; replaced if it changes
 */
void visible_lines(char **text);

#endif /* FT_BASE_VISIBLE_H */
