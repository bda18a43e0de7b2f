// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* UUIDs as text. */
#include "base/uuid.h"

void uuid_format(char text[UUID_LEN], const uint8_t uuid[16])
{
	static const char hex[] = "0123456789abcdef";
	char *p = text;

	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*p++ = '-';
		*p++ = hex[uuid[i] >> 4];
		*p++ = hex[uuid[i] & 15];
	}
	*p = '\0';
}
