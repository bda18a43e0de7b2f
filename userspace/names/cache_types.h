/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Which type the objects of a cache may have, by the cache's name.
 *
 * A name alone proves nothing: there must be such a type, with a lock of that family at that
 * offset.
 */
#ifndef FT_NAMES_CACHE_TYPES_H
#define FT_NAMES_CACHE_TYPES_H

#include <stdbool.h>
#include <stddef.h>

/** cache_types_name - the @i-th name that may fit, or ""; false: there are no more */
bool cache_types_name(const char *cache, unsigned int i, char *buf, size_t len);

#endif /* FT_NAMES_CACHE_TYPES_H */
