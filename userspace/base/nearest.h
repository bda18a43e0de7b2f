/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Suggestions for a misspelled name. */
#ifndef FT_BASE_NEAREST_H
#define FT_BASE_NEAREST_H

#include <stddef.h>

/**
 * nearest - the name in @names that is most like @name
 *
 * Return: NULL if none is similar enough.
 */
const char *nearest(const char *name, const char *const *names, size_t n);

#define NEAREST_HINT	320

/** nearest_hint - ": did you mean 'that'?" for a message; or "" */
const char *nearest_hint(char buf[NEAREST_HINT], const char *name, const char *const *names,
			 size_t n);

#endif /* FT_BASE_NEAREST_H */
