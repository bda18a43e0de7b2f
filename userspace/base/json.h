/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A writer of JSON, which adds commas and indentation. It does not lock the file: no
 * other thread may write to it.
 *
 *	struct json j = { .f = stdout };
 *
 *	json_object(&j, NULL);
 *	json_number(&j, "answer", "%d", 42);
 *	json_end(&j);			{ "answer": 42 }
 *
 * A key is NULL in an array, and for the outermost value. Each member has its own line;
 * with @flat, groups nested deeper than that are written on one line.
 */
#ifndef FT_BASE_JSON_H
#define FT_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
#include <stdio.h>

#define JSON_DEPTH	16

struct json {
	FILE		*f;
	unsigned int	flat;		/* groups deeper than that are one line; 0: none */
	bool		dense;		/* no blanks: for files of millions of groups */
	unsigned int	depth;		/* objects and arrays that are open */
	bool		some;		/* the innermost has a member */
	char		close[JSON_DEPTH];
};

void json_object(struct json *j, const char *key);
void json_array(struct json *j, const char *key);

/** json_end - of the innermost object or array; a line's end after the last */
void json_end(struct json *j);

void json_text(struct json *j, const char *key, const char *text);

/** json_text_bytes - of a text that may have NUL bytes; one follows */
void json_text_bytes(struct json *j, const char *key, const char *text, size_t n);

/** json_number - a number that is formatted already */
__attribute__((format(printf, 3, 4)))
void json_number(struct json *j, const char *key, const char *fmt, ...);

/** json_u64, json_i64 - the same, faster */
void json_u64(struct json *j, const char *key, uint64_t value);
void json_i64(struct json *j, const char *key, int64_t value);

void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);

/**
 * json_string - @s in quotes, escaped
 *
 * Bytes that are not UTF-8 become U+FFFD.
 */
void json_string(FILE *f, const char *s);

/** json_bytes - the same; NUL bytes before the one at @s[@n] are text */
void json_bytes(FILE *f, const char *s, size_t n);

#endif /* FT_BASE_JSON_H */
