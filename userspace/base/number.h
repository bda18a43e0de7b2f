/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Numbers from text, and as text. */
#ifndef FT_BASE_NUMBER_H
#define FT_BASE_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/*
 * The whole string must be a number: no sign, no blanks, nothing after it.
 * Return: 0, or -EINVAL, or -ERANGE.
 */
int parse_u64(const char *s, uint64_t *value);		/* decimal or 0x hex */
int parse_count(const char *s, uint64_t *value);	/* 4096, 64k, 1M, 1G */
int parse_seconds(const char *s, double *value);	/* positive, 1.5 */

/** format_size - "96 bytes", "4.0 MiB"; @buf should hold 32 bytes */
const char *format_size(char *buf, size_t len, uint64_t bytes);

#endif /* FT_BASE_NUMBER_H */
