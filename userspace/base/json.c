// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Writing JSON. See json.h. */
#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "base/json.h"
#include "base/utf8.h"

/* Most text: characters that need no escape. */
static unsigned int plain_length(const unsigned char *s)
{
	unsigned int len = 0;

	while (s[len] >= 0x20 && s[len] < 0x7f && s[len] != '"' && s[len] != '\\')
		len++;
	return len;
}

void json_bytes(FILE *f, const char *s, size_t n)
{
	const unsigned char *at = (const unsigned char *)s, *end = at + n;

	putc_unlocked('"', f);
	while (at < end) {
		unsigned int len = plain_length(at);

		if (len) {
			fwrite_unlocked(at, 1, len, f);
			at += len;
			continue;
		}
		len = *at ? utf8_length((const char *)at) : 1;
		if (!len) {
			fputs_unlocked("\\ufffd", f);
			at++;
		} else if (*at == '"' || *at == '\\') {
			fprintf(f, "\\%c", *at++);
		} else if (*at < 0x20 || *at == 0x7f) {
			fprintf(f, "\\u%04x", *at++);
		} else if (at[0] == 0xc2 && at[1] < 0xa0) {	/* control characters, too */
			fprintf(f, "\\u%04x", at[1]);
			at += 2;
		} else {
			fwrite_unlocked(at, 1, len, f);
			at += len;
		}
	}
	putc_unlocked('"', f);
}

void json_string(FILE *f, const char *s)
{
	json_bytes(f, s, strlen(s));
}

static void new_line(FILE *f, unsigned int blanks)
{
	putc_unlocked('\n', f);
	while (blanks--)
		putc_unlocked(' ', f);
}

/* Before a member of the innermost group, and behind the last one. */
static void begin_line(const struct json *j, unsigned int depth)
{
	if (!j->flat || j->depth <= j->flat)
		new_line(j->f, j->dense ? 0 : 2 * depth);
	else if (j->some && depth == j->depth && !j->dense)
		putc_unlocked(' ', j->f);
}

/* What stands before a value: a comma, a line, the key. */
static void begin(struct json *j, const char *key)
{
	if (j->some)
		putc_unlocked(',', j->f);
	if (j->depth)
		begin_line(j, j->depth);
	if (key) {
		json_string(j->f, key);
		fputs_unlocked(j->dense ? ":" : ": ", j->f);
	}
	j->some = true;
}

static void open_group(struct json *j, const char *key, char open, char close)
{
	begin(j, key);
	assert(j->depth < JSON_DEPTH);
	putc_unlocked(open, j->f);
	j->close[j->depth++] = close;
	j->some = false;
}

void json_object(struct json *j, const char *key)
{
	open_group(j, key, '{', '}');
}

void json_array(struct json *j, const char *key)
{
	open_group(j, key, '[', ']');
}

void json_end(struct json *j)
{
	assert(j->depth);
	if (j->some)
		begin_line(j, j->depth - 1);
	j->depth--;
	putc_unlocked(j->close[j->depth], j->f);
	j->some = true;
	if (!j->depth)
		putc_unlocked('\n', j->f);
}

void json_text(struct json *j, const char *key, const char *text)
{
	json_text_bytes(j, key, text, strlen(text));
}

void json_text_bytes(struct json *j, const char *key, const char *text, size_t n)
{
	begin(j, key);
	json_bytes(j->f, text, n);
}

void json_number(struct json *j, const char *key, const char *fmt, ...)
{
	va_list ap;

	begin(j, key);
	va_start(ap, fmt);
	vfprintf(j->f, fmt, ap);
	va_end(ap);
}

void json_bool(struct json *j, const char *key, bool value)
{
	json_number(j, key, "%s", value ? "true" : "false");
}

static void put_u64(FILE *f, uint64_t value)
{
	char digits[20];
	unsigned int n = 0;

	do {
		digits[n++] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	while (n)
		putc_unlocked(digits[--n], f);
}

void json_u64(struct json *j, const char *key, uint64_t value)
{
	begin(j, key);
	put_u64(j->f, value);
}

void json_i64(struct json *j, const char *key, int64_t value)
{
	begin(j, key);
	if (value < 0)
		putc_unlocked('-', j->f);
	put_u64(j->f, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void json_null(struct json *j, const char *key)
{
	json_number(j, key, "null");
}
