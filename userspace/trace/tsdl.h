/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A scanner for metadata (TSDL, the language of CTF 1.8), used by metadata.c. There is
 * always one current word.
 */
#ifndef FT_TRACE_TSDL_H
#define FT_TRACE_TSDL_H

#include <stdbool.h>

enum tsdl_token { TSDL_END, TSDL_WORD, TSDL_STRING, TSDL_PUNCT, TSDL_BAD };

struct tsdl {
	const char		*path;		/* for messages */
	const char		*pos, *end;	/* what is not scanned yet */
	unsigned int		line;

	enum tsdl_token		token;		/* the current word */
	char			text[256];
	char			punct;		/* ':' stands for ":=" */
};

/** tsdl_next - go on to the next word */
void tsdl_next(struct tsdl *in);

/** tsdl_at - is the current word this punctuation mark? */
bool tsdl_at(const struct tsdl *in, char punct);

/** tsdl_at_word - is it this word? */
bool tsdl_at_word(const struct tsdl *in, const char *word);

/** tsdl_expect - it must be this mark; go on. Return: 0, or -1 with a message */
int tsdl_expect(struct tsdl *in, char punct);

/**
 * tsdl_skip - step over a statement up to and with the ';' that ends it
 *
 * Return: 0, or -1 with a message.
 */
int tsdl_skip(struct tsdl *in);

/** tsdl_fail - print what is wrong and where. Return: -1 */
int tsdl_fail(const struct tsdl *in, const char *what);

#endif /* FT_TRACE_TSDL_H */
