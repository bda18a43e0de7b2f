// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The words of a metadata text. See tsdl.h. */
#include <ctype.h>
#include <err.h>
#include <string.h>

#include "base/visible.h"
#include "trace/tsdl.h"

#define MAX_NESTING	32

int tsdl_fail(const struct tsdl *in, const char *what)
{
	if (in->token == TSDL_END)
		warnx("%s:%u: %s at the end of the file", in->path, in->line,
		      what);
	else
		warnx("%s:%u: %s near '%s'", in->path, in->line, what,
		      in->text);
	return -1;
}

static void skip_comment(struct tsdl *in)
{
	bool star = false;

	for (in->pos += 2; in->pos < in->end; in->pos++) {
		if (star && *in->pos == '/') {
			in->pos++;
			return;
		}
		star = *in->pos == '*';
		in->line += *in->pos == '\n';
	}
}

static void skip_blank(struct tsdl *in)
{
	while (in->pos < in->end) {
		if (isspace((unsigned char)*in->pos)) {
			in->line += *in->pos == '\n';
			in->pos++;
		} else if (in->end - in->pos > 1 && !memcmp(in->pos, "//", 2)) {
			while (in->pos < in->end && *in->pos != '\n')
				in->pos++;
		} else if (in->end - in->pos > 1 && !memcmp(in->pos, "/*", 2)) {
			skip_comment(in);
		} else {
			return;
		}
	}
}

static void add_char(struct tsdl *in, size_t *n, char c)
{
	if (*n + 1 < sizeof(in->text))
		in->text[(*n)++] = c;
	in->text[*n] = '\0';
}

/* Names of the metadata are printed, in errors too. */
static void make_visible(struct tsdl *in)
{
	char plain[sizeof(in->text)];

	memcpy(plain, in->text, sizeof(plain));
	visible_copy(in->text, sizeof(in->text), plain);
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '-' ||
	       c == '+';
}

static void scan_string(struct tsdl *in)
{
	size_t n = 0;

	in->token = TSDL_BAD;
	for (in->pos++; in->pos < in->end && *in->pos != '\n'; in->pos++) {
		char c = *in->pos;

		if (c == '"') {
			in->pos++;
			in->token = TSDL_STRING;
			make_visible(in);
			return;
		}
		if (c == '\\' && in->end - in->pos > 1) {
			c = *++in->pos;
			c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
		}
		add_char(in, &n, c);
	}
}

void tsdl_next(struct tsdl *in)
{
	size_t n = 0;

	skip_blank(in);
	in->text[0] = '\0';
	in->punct = '\0';
	if (in->pos == in->end) {
		in->token = TSDL_END;
	} else if (*in->pos == '"') {
		scan_string(in);
	} else if (is_word(*in->pos)) {
		in->token = TSDL_WORD;
		while (in->pos < in->end && is_word(*in->pos))
			add_char(in, &n, *in->pos++);
	} else {
		in->token = *in->pos && strchr("{}[]<>();:=,", *in->pos) ?
			    TSDL_PUNCT : TSDL_BAD;
		in->punct = *in->pos;
		add_char(in, &n, *in->pos++);
		make_visible(in);
		if (in->punct == ':' && in->pos < in->end && *in->pos == '=')
			add_char(in, &n, *in->pos++);
	}
}

bool tsdl_at(const struct tsdl *in, char punct)
{
	return in->token == TSDL_PUNCT && in->punct == punct;
}

bool tsdl_at_word(const struct tsdl *in, const char *word)
{
	return in->token == TSDL_WORD && !strcmp(in->text, word);
}

int tsdl_expect(struct tsdl *in, char punct)
{
	char what[] = "expected ' '";

	if (!tsdl_at(in, punct)) {
		what[sizeof(what) - 3] = punct;
		return tsdl_fail(in, what);
	}
	tsdl_next(in);
	return 0;
}

int tsdl_skip(struct tsdl *in)
{
	unsigned int depth = 0;

	for (;; tsdl_next(in)) {
		if (in->token == TSDL_END || in->token == TSDL_BAD)
			return tsdl_fail(in, "unfinished statement");
		if (tsdl_at(in, '{') && ++depth > MAX_NESTING)
			return tsdl_fail(in, "nested too deeply");
		if (tsdl_at(in, '}') && !depth--)
			return tsdl_fail(in, "';' is missing");
		if (tsdl_at(in, ';') && !depth)
			break;
	}
	tsdl_next(in);
	return 0;
}
