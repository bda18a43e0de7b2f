/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Fields of CSV (RFC 4180). */
#ifndef FT_VIEW_CSV_H
#define FT_VIEW_CSV_H

#include <stdio.h>

/** csv_text - quoted where it must be, and only there */
void csv_text(FILE *f, const char *s);

/** csv_bytes - the same, of a text that may have NUL bytes; one follows */
void csv_bytes(FILE *f, const char *s, size_t n);

#endif /* FT_VIEW_CSV_H */
