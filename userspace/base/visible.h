/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Names from a trace as they may be shown: whoever wrote the trace chose them, and a
 * terminal obeys control characters. They become text, as "\x1b". Every name goes
 * through here when it is read, so that nobody who prints it has to think of it.
 */
#ifndef FT_BASE_VISIBLE_H
#define FT_BASE_VISIBLE_H

#include <stdbool.h>
#include <stddef.h>

/** visible_is - is all of it visible already? */
bool visible_is(const char *name);

/**
 * visible_copy - copy a name; as much as fits
 *
 * Return: the length of the whole, as snprintf() does.
 */
size_t visible_copy(char *buf, size_t len, const char *name);

/** visible_new - the same, into new memory */
char *visible_new(const char *name);

/** visible_value - the same, but newlines and tabs stay */
size_t visible_value(char *buf, size_t len, const char *value);

/**
 * visible_shorten - at most @columns of a text that may be shown: "..." takes the place
 * of its middle, as beginning and end tell most. Characters stay whole.
 *
 * Return: was it longer?
 */
bool visible_shorten(char *text, size_t columns);

/**
 * visible_lines - the same for the text of a file, which keeps its newlines and tabs
 * @text: from malloc(); replaced where something is to be changed
 */
void visible_lines(char **text);

#endif /* FT_BASE_VISIBLE_H */
