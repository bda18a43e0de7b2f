/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Characters of UTF-8. */
#ifndef FT_BASE_UTF8_H
#define FT_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/** utf8_length - bytes of the character at @s; 0: not well-formed */
unsigned int utf8_length(const char *s);

/** utf8_begins - does a character begin with this byte? */
static inline bool utf8_begins(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

/** utf8_count - number of characters */
size_t utf8_count(const char *s);

#endif /* FT_BASE_UTF8_H */
