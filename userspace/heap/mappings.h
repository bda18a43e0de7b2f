/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The mappings of one process, in the order of their addresses; a part of one can go. */
#ifndef FT_HEAP_MAPPINGS_H
#define FT_HEAP_MAPPINGS_H

#include "heap/blocks.h"

/** struct heap_mappings - zeroed, it is empty */
struct heap_mappings {
	struct heap_block	*at;
	size_t			n, room;
};

/** heap_mappings_put - @block, where nothing is */
void heap_mappings_put(struct heap_mappings *m, const struct heap_block *block);

/** heap_mappings_find - that begins at @address, or NULL; valid until one is put or cut */
struct heap_block *heap_mappings_find(const struct heap_mappings *m, uint64_t address);

/**
 * heap_mappings_cut - remove what there is from @from up to @end
 * @gone:	called with each part of a mapping that goes
 * @stays:	called before that for each part of it that stays, one or two
 */
void heap_mappings_cut(struct heap_mappings *m, uint64_t from, uint64_t end,
		       void (*gone)(void *arg, const struct heap_block *part),
		       void (*stays)(void *arg, const struct heap_block *part), void *arg);
void heap_mappings_free(struct heap_mappings *m);

#endif /* FT_HEAP_MAPPINGS_H */
