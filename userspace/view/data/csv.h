/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Fields of CSV (RFC 4180). */
#ifndef FT_VIEW_CSV_H
#define FT_VIEW_CSV_H

#include <stdio.h>

/** csv_text - quoted where it must be, and only there */
void csv_text(FILE *f, const char *s);

#endif /* FT_VIEW_CSV_H */
