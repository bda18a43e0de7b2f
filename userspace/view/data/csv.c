// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Fields of CSV. */
#include <string.h>

#include "view/data/csv.h"

void csv_text(FILE *f, const char *s)
{
	if (!strpbrk(s, ",\"\r\n")) {
		fputs(s, f);
		return;
	}
	fputc('"', f);
	for (; *s; s++) {
		if (*s == '"')
			fputc('"', f);
		fputc(*s, f);
	}
	fputc('"', f);
}
