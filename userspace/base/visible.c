// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Control characters in names, made visible. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "base/visible.h"

#define ESCAPE	4	/* "\x1b" */

/*
 * The bytes at @at that are shown as they are; 0: the first is not. A byte of 0x80 or
 * more is only shown as a part of a character of UTF-8: terminals with 8 bits obey 0x9b,
 * and those with UTF-8 may do so where it follows an invalid byte.
 */
static unsigned int plain(const char *at)
{
	unsigned char c = (unsigned char)at[0], next = (unsigned char)at[1];

	/* control characters as they are, and those of UTF-8 from U+0080 on */
	if (c < ' ' || c == 0x7f || (c == 0xc2 && next < 0xa0))
		return 0;
	return utf8_length(at);
}

/* Copies @name except what @keep has. Return: the length of the whole */
static size_t copy(char *buf, size_t len, const char *name, const char *keep)
{
	size_t n = 0, i, part;

	while (*name) {
		char text[ESCAPE + 1];
		unsigned int bytes = plain(name);

		if (!bytes && strchr(keep, *name))
			bytes = 1;
		part = bytes;
		memcpy(text, name, bytes);
		if (!bytes)
			part = (size_t)snprintf(text, sizeof(text), "\\x%02x",
						(unsigned char)*name);
		name += bytes ? bytes : 1;
		for (i = 0; i < part; i++, n++) {
			if (n + 1 < len)
				buf[n] = text[i];
		}
	}
	if (len)
		buf[n < len ? n : len - 1] = '\0';
	return n;
}

bool visible_is(const char *name)
{
	return copy(NULL, 0, name, "") == strlen(name);
}

size_t visible_copy(char *buf, size_t len, const char *name)
{
	return copy(buf, len, name, "");
}

size_t visible_value(char *buf, size_t len, const char *value)
{
	return copy(buf, len, value, "\n\t");
}

/* Where the character after @columns of them begins. */
static char *skip(char *text, size_t columns)
{
	for (; *text; text++) {
		if (utf8_begins(*text) && !columns--)
			break;
	}
	return text;
}

bool visible_shorten(char *text, size_t columns)
{
	static const char dots[] = "...";
	size_t all = utf8_count(text), head, tail;
	const char *at;
	char *to;

	if (all <= columns || columns < sizeof(dots))
		return false;
	head = (columns - strlen(dots)) / 2;
	tail = columns - strlen(dots) - head;
	at = skip(text, all - tail);
	to = skip(text, head);
	memcpy(to, dots, strlen(dots));
	memmove(to + strlen(dots), at, strlen(at) + 1);
	return true;
}

char *visible_new(const char *name)
{
	size_t len = visible_copy(NULL, 0, name) + 1;
	char *shown = mem_zalloc(len, 1);

	visible_copy(shown, len, name);
	return shown;
}

void visible_lines(char **text)
{
	size_t old = strlen(*text), len = visible_value(NULL, 0, *text);
	char *changed;

	if (len == old)
		return;
	changed = mem_resize(NULL, len + 1, 1);
	visible_value(changed, len + 1, *text);
	mem_free(*text);
	*text = changed;
}
