// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* UUIDs as text. */
#include <string.h>

#include "base/uuid.h"

static bool has_dash(int byte)
{
	return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

void uuid_format(char text[UUID_LEN], const uint8_t uuid[16])
{
	static const char hex[] = "0123456789abcdef";
	char *p = text;

	for (int i = 0; i < 16; i++) {
		if (has_dash(i))
			*p++ = '-';
		*p++ = hex[uuid[i] >> 4];
		*p++ = hex[uuid[i] & 15];
	}
	*p = '\0';
}

/* Return: -1 if it is not one */
static int digit(char c)
{
	static const char hex[] = "0123456789abcdefABCDEF";
	const char *at = c ? strchr(hex, c) : NULL;

	return !at ? -1 : at - hex < 16 ? (int)(at - hex) : (int)(at - hex) - 6;
}

bool uuid_parse(uint8_t uuid[16], const char *text)
{
	for (int i = 0; i < 16; i++) {
		int high, low;

		if (has_dash(i) && *text++ != '-')
			return false;
		high = digit(*text);
		low = high < 0 ? -1 : digit(text[1]);
		if (low < 0)
			return false;
		uuid[i] = (uint8_t)(high << 4 | low);
		text += 2;
	}
	return !*text;
}
