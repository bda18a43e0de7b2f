/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Memory in huge pages, for large memory with random accesses: with small pages most of
 * them would miss in the TLB.
 *
 * Pieces of less than a huge page share one. They are powers of two; each comes from
 * halving a larger one, and is used again for its size alone.
 */
#ifndef FT_BASE_HUGE_H
#define FT_BASE_HUGE_H

#include <stddef.h>

#define HUGE_LEAST	(32u << 10)	/* what is smaller is not worth it */

/** huge_zalloc - @bytes zeroed bytes, from HUGE_LEAST on; NULL without memory */
void *huge_zalloc(size_t bytes);

/** huge_free - what huge_zalloc() gave for the same @bytes, on the same thread */
void huge_free(void *p, size_t bytes);

#endif /* FT_BASE_HUGE_H */
