// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Suggestions for a misspelled name: the known name with the fewest edits. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/nearest.h"

/* Edits (insert, delete, replace) that make @b out of @a. Names are short. */
static size_t edit_distance(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b), row[128];

	if (la >= ARRAY_SIZE(row) || lb >= ARRAY_SIZE(row))
		return SIZE_MAX;
	for (size_t j = 0; j <= lb; j++)
		row[j] = j;
	for (size_t i = 1; i <= la; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= lb; j++) {
			size_t best = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[lb];
}

const char *nearest(const char *name, const char *const *names, size_t n)
{
	size_t len = strlen(name), best = SIZE_MAX;
	const char *found = NULL;

	for (size_t i = 0; i < n; i++) {
		size_t d = edit_distance(name, names[i]);

		/* an abbreviation, however short */
		if (len >= 2 && !strncmp(name, names[i], len))
			d = 0;
		if (d < best) {
			best = d;
			found = names[i];
		}
	}
	return best <= 1 + len / 3 ? found : NULL;
}

const char *nearest_hint(char buf[NEAREST_HINT], const char *name, const char *const *names,
			 size_t n)
{
	const char *near = nearest(name, names, n);

	buf[0] = '\0';
	if (near)
		snprintf(buf, NEAREST_HINT, ": did you mean '%s'?", near);
	return buf;
}
