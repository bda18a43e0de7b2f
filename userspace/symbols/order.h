/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The order of the kernel's symbols: of a trace's, and of the running kernel's. */
#ifndef FT_SYMBOLS_ORDER_H
#define FT_SYMBOLS_ORDER_H

#include <stdint.h>
#include <string.h>

/**
 * symbols_order - for qsort(): by address
 *
 * Of several names for one address the most readable sorts last, where a search finds it: the
 * one with fewer leading underscores, then the shorter one.
 */
static inline int symbols_order(uint64_t x, const char *x_name, uint64_t y, const char *y_name)
{
	size_t xs, ys;

	if (x != y)
		return x < y ? -1 : 1;
	xs = strspn(x_name, "_.");
	ys = strspn(y_name, "_.");
	if (xs != ys)
		return xs > ys ? -1 : 1;
	xs = strlen(x_name);
	ys = strlen(y_name);
	if (xs != ys)
		return xs > ys ? -1 : 1;
	return strcmp(y_name, x_name);
}

#endif /* FT_SYMBOLS_ORDER_H */
