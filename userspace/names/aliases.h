/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Names of caches that share one: the kernel merges caches of the same size, and keeps the
 * first one's name. /sys/kernel/slab has a link for each name.
 */
#ifndef FT_NAMES_ALIASES_H
#define FT_NAMES_ALIASES_H

#include <stddef.h>

struct alias {
	char	*name, *of;
};

struct aliases {
	struct alias	*list;
	size_t		n;
};

/** aliases_read - none if the kernel does not say */
void aliases_read(struct aliases *a);
void aliases_free(struct aliases *a);

/** aliases_next - the next name, from @*at on, that shares the cache @name; NULL: no more */
const char *aliases_next(const struct aliases *a, const char *name, size_t *at);

#endif /* FT_NAMES_ALIASES_H */
