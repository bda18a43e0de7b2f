// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Names of tasks, a table in pieces: see names.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "record/kernel/names.h"
#include "trace/session_file.h"

int record_names_set(struct record_names *names, uint32_t tid,
		     const char *name, size_t len)
{
	char (**chunk)[RECORD_NAME_LEN], *place;

	if (!tid || tid >= RECORD_NAMES_MAX)
		return 0;
	chunk = &names->chunk[tid / RECORD_NAMES_CHUNK];
	if (!*chunk)
		*chunk = calloc(RECORD_NAMES_CHUNK, sizeof(**chunk));
	if (!*chunk)
		return -ENOMEM;
	place = (*chunk)[tid % RECORD_NAMES_CHUNK];
	len = strnlen(name, len < RECORD_NAME_LEN ? len : RECORD_NAME_LEN - 1);
	/* may be the same place: damaged news can name a task its own parent */
	memmove(place, name, len);
	memset(place + len, 0, RECORD_NAME_LEN - len);
	return 0;
}

const char *record_names_get(const struct record_names *names, uint32_t tid)
{
	if (tid >= RECORD_NAMES_MAX || !names->chunk[tid / RECORD_NAMES_CHUNK])
		return "";
	return names->chunk[tid / RECORD_NAMES_CHUNK][tid % RECORD_NAMES_CHUNK];
}

char *record_names_text(const struct record_names *names, size_t *len)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, len);
	bool failed;

	if (!f)
		return NULL;
	for (uint32_t tid = 0; tid < RECORD_NAMES_MAX; tid++) {
		const char *name;

		if (!names->chunk[tid / RECORD_NAMES_CHUNK]) {
			tid |= RECORD_NAMES_CHUNK - 1;
			continue;
		}
		name = record_names_get(names, tid);
		if (!*name)
			continue;
		fprintf(f, "%" PRIu32 "\t", tid);
		session_escape(f, name);
		fputc('\n', f);
	}
	failed = ferror(f);
	if (!fclose(f) && !failed)
		return text;
	free(text);
	return NULL;
}

void record_names_free(struct record_names *names)
{
	for (size_t i = 0; i < ARRAY_SIZE(names->chunk); i++)
		free(names->chunk[i]);
	memset(names, 0, sizeof(*names));
}
