/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Which type the objects of a cache may have, by the cache's name. */
#ifndef FT_NAMES_CACHE_TYPES_H
#define FT_NAMES_CACHE_TYPES_H

#include <stdbool.h>

/**
 * cache_types_fit - is a cache of this name for objects of this type?
 *
 * A name alone proves nothing: size and offset of the lock must fit, too.
 */
bool cache_types_fit(const char *cache, const char *type);

#endif /* FT_NAMES_CACHE_TYPES_H */
