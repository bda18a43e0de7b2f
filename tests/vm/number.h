/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Numbers on the command line of a test. */
#ifndef FT_TESTS_NUMBER_H
#define FT_TESTS_NUMBER_H

#include <err.h>
#include <stdlib.h>

static inline unsigned long long number(const char *text)
{
	char *end;
	unsigned long long n = strtoull(text, &end, 0);

	if (*end || !*text)
		errx(2, "not a number: '%s'", text);
	return n;
}

#endif /* FT_TESTS_NUMBER_H */
