/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Which of the names was meant by one that is none of them? */
#ifndef FT_BASE_NEAREST_H
#define FT_BASE_NEAREST_H

#include <stddef.h>

/**
 * nearest - the name in @names that looks most like @name
 *
 * Return: NULL where nothing is near enough to be meant.
 */
const char *nearest(const char *name, const char *const *names, size_t n);

#define NEAREST_HINT	320

/** nearest_hint - ": did you mean 'that'?" for a message; "" where nothing is near */
const char *nearest_hint(char buf[NEAREST_HINT], const char *name, const char *const *names,
			 size_t n);

#endif /* FT_BASE_NEAREST_H */
