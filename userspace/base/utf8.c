// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Characters of UTF-8. */
#include "base/utf8.h"

/* The terminator is never part of a longer character, so it ends any of them. */
unsigned int utf8_length(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	unsigned int len, i;

	if (s[0] < 0x80)
		return 1;
	len = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	for (i = 1; i < len; i++) {
		if (utf8_begins((char)s[i]))
			return 0;
	}
	/* longer than needed, surrogates, beyond U+10FFFF */
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

size_t utf8_count(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += utf8_begins(*s);
	return n;
}
