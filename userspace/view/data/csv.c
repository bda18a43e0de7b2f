// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Fields of CSV. */
#include <stdbool.h>
#include <string.h>

#include "view/data/csv.h"

static bool is_plain(const char *s, size_t n)
{
	size_t plain = strcspn(s, ",\"\r\n");

	while (plain < n && !s[plain])
		plain += 1 + strcspn(s + plain + 1, ",\"\r\n");
	return plain == n;
}

void csv_bytes(FILE *f, const char *s, size_t n)
{
	if (is_plain(s, n)) {
		fwrite(s, 1, n, f);
		return;
	}
	fputc('"', f);
	for (; n; s++, n--) {
		if (*s == '"')
			fputc('"', f);
		fputc(*s, f);
	}
	fputc('"', f);
}

void csv_text(FILE *f, const char *s)
{
	csv_bytes(f, s, strlen(s));
}
