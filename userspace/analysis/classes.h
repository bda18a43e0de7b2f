/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Locks by class: the rows of all locks of one class (symbols/lock_classes.h) become one
 * row. They are made from the table by lock after the pass over the trace, which costs the
 * pass nothing.
 */
#ifndef FT_ANALYSIS_CLASSES_H
#define FT_ANALYSIS_CLASSES_H

#include <stdint.h>

#include "analysis/table.h"
#include "symbols/symbols.h"

/**
 * struct class_row - a class, by the key of a row of TABLE_CLASS
 * @name:	"dentry.d_lockref.lock"; of a variable its symbol; "(unknown)"
 * @kind:	as in struct lock_class_known; NULL: the trace does not say it
 * @types:	how many types it may be of; 1: it is certain; 0: not known
 * @locks:	how many of each family
 */
struct class_row {
	const char	*name;
	const char	*kind;
	unsigned int	types;
	uint32_t	locks[LOCKS_FAMILIES];
};

struct classes_found;

/** classes_collect - make the rows of @to of those of @locks, by lock */
struct classes_found *classes_collect(const struct symbols *symbols, const struct table *locks,
				      struct table *to);
void classes_found_free(struct classes_found *c);

const struct class_row *classes_row(const struct classes_found *c, uint64_t key);

/** classes_share - which part of all sections' time a row has; 0 to 1 */
double classes_share(const struct classes_found *c, const struct table_row *row);

#endif /* FT_ANALYSIS_CLASSES_H */
