/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Text that one thread makes and another one writes. */
#ifndef FT_BASE_WRITTEN_H
#define FT_BASE_WRITTEN_H

#include <stdbool.h>
#include <stdio.h>

/** struct written - zeroed, it is empty */
struct written {
	char	*text;
	size_t	len;
	bool	failed;		/* there was no memory */
};

/** written_begin - Return: where to print to; NULL: there is no memory, and @w says so */
FILE *written_begin(struct written *w);

/** written_end - that was all; @f: what written_begin() gave */
void written_end(struct written *w, FILE *f);

/**
 * written_put - write it to @out, and free it; the program ends if it was not made
 * @error: errno of the first write that failed; nothing is written after that
 */
void written_put(struct written *w, FILE *out, int *error);

#endif /* FT_BASE_WRITTEN_H */
