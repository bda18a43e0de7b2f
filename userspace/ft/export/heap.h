/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ft export --format csv --heap. */
#ifndef FT_FT_EXPORT_HEAP_H
#define FT_FT_EXPORT_HEAP_H

#include "heap/heap.h"

/**
 * export_heap - a row for each allocation and release
 * @output:	a file, or NULL: standard output
 *
 * Return: the exit status, after a message.
 */
int export_heap(const struct heap_asked *asked, const char *output, char *const *dirs);

#endif /* FT_FT_EXPORT_HEAP_H */
