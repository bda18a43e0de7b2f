// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Names that come over the network: see names.h. */
#include <string.h>

#include "base/array.h"
#include "trace/session_file.h"
#include "trace/trace.h"
#include "wire/names.h"

#define PART_MAX	999999999u	/* as part_number() reads them */

static const char host_chars[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

/* Does it end, and are all bytes behind it zeros? */
static bool text_ok(const char *text, size_t room)
{
	size_t len = strnlen(text, room), i;

	for (i = len; i < room && !text[i]; i++)
		;
	return len && len < room && i == room;
}

bool wire_file_ok(const struct wire_file *file)
{
	static const char *const known[] = SESSION_FILES;
	unsigned int number;

	if (!text_ok(file->name, sizeof(file->name)))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (!strcmp(known[i], file->name))
			return true;
	}
	return !strcmp(file->name, "metadata") || trace_stream_number(file->name, &number);
}

bool wire_part_ok(const struct wire_part *part)
{
	return text_ok(part->host, sizeof(part->host)) && part->host[0] != '.' &&
	       !part->host[strspn(part->host, host_chars)] &&
	       text_ok(part->recording, sizeof(part->recording)) &&
	       strspn(part->recording, "0123456789abcdef") == 16 && !part->recording[16] &&
	       part->number && part->number <= PART_MAX &&
	       part->files && part->files <= WIRE_FILES_MAX;
}

void wire_host(char to[WIRE_HOST_LEN], const char *host)
{
	size_t n = strnlen(host, WIRE_HOST_LEN - 1);

	memset(to, 0, WIRE_HOST_LEN);
	for (size_t i = 0; i < n; i++)
		to[i] = strchr(host_chars, host[i]) ? host[i] : '_';
	if (!n || to[0] == '.')
		to[0] = '_';
}
