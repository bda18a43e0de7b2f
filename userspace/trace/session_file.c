// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The session file: lines of key<TAB>value. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/file.h"
#include "base/visible.h"
#include "trace/session_file.h"

/* One character that was escaped; *@at is left on its last. */
static char unescape(const char **at)
{
	char hex[3] = "", *end;
	long c;

	switch (*++*at) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'x':
		memcpy(hex, *at + 1, strnlen(*at + 1, 2));
		c = strtol(hex, &end, 16);
		if (end != hex + 2)
			return 'x';
		*at += 2;
		return (char)c;
	}
	return **at;
}

/* Undoes session_escape() in @line, and lets through what may be shown of it. */
static char *copy_value(char *line)
{
	const char *from;
	char *to = line, *value;
	size_t len;

	for (from = line; *from && *from != '\n'; from++)
		*to++ = *from == '\\' && from[1] ? unescape(&from) : *from;
	*to = '\0';
	len = visible_value(NULL, 0, line) + 1;
	value = mem_resize(NULL, len, 1);
	visible_value(value, len, line);
	return value;
}

char *session_value(const char *dir, const char *key)
{
	char *path = mem_format("%s/" SESSION_FILE, dir), *text, *line, *rest;
	ssize_t len = read_path(path, &text);
	size_t key_len = strlen(key);
	char *value = NULL;

	mem_free(path);
	if (len < 0) {
		errno = (int)-len;
		return NULL;
	}
	for (rest = text; !value && (line = strsep(&rest, "\n"));) {
		if (!strncmp(line, key, key_len) && line[key_len] == '\t')
			value = copy_value(line + key_len + 1);
	}
	if (!value)
		errno = ENOENT;
	mem_free(text);
	return value;
}

int session_get(const char *dir, const char *key, char *buf, size_t len)
{
	char *value = session_value(dir, key);
	int ret;

	if (!value)
		return -errno;
	ret = (size_t)snprintf(buf, len, "%s", value) < len ? 0 : -ENAMETOOLONG;
	mem_free(value);
	return ret;
}

void session_escape(FILE *f, const char *s)
{
	for (; *s; s++) {
		unsigned char c = *s;

		if (c == '\t')
			fputs("\\t", f);
		else if (c == '\n')
			fputs("\\n", f);
		else if (c == '\\')
			fputs("\\\\", f);
		else if (c < ' ' || c == 0x7f)
			fprintf(f, "\\x%02x", c);
		else
			fputc(c, f);
	}
}

void session_put(FILE *f, const char *key, const char *fmt, ...)
{
	char *value;
	va_list ap;

	va_start(ap, fmt);
	value = mem_vformat(fmt, ap);
	va_end(ap);
	fprintf(f, "%s\t", key);
	session_escape(f, value);
	fputc('\n', f);
	mem_free(value);
}
