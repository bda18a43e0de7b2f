/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* UUIDs as text. */
#ifndef FT_BASE_UUID_H
#define FT_BASE_UUID_H

#include <stdbool.h>
#include <stdint.h>

/* Room for a UUID as text: 8-4-4-4-12 and the terminator. */
#define UUID_LEN	37

/** uuid_format - the usual text form of 16 bytes */
void uuid_format(char text[UUID_LEN], const uint8_t uuid[16]);

/** uuid_parse - the 16 bytes of that form. Return: is it one? */
bool uuid_parse(uint8_t uuid[16], const char *text);

#endif /* FT_BASE_UUID_H */
