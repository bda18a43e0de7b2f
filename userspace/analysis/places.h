/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Call sites of programs that are the same place in the same file, in any process. While a
 * trace is read each process has rows of its own, as addresses bear the mark of the process;
 * then those of one place become one, with the lowest address of them.
 */
#ifndef FT_ANALYSIS_PLACES_H
#define FT_ANALYSIS_PLACES_H

#include <stdint.h>

#include "analysis/table.h"
#include "base/pairs.h"
#include "symbols/symbols.h"

struct places;

/** places_new - of the sites in this table; NULL where no programs are known */
struct places *places_new(const struct symbols *symbols, const struct table *sites);
void places_free(struct places *p);

/** places_of - the address that stands for a site; @p: or NULL */
uint64_t places_of(struct places *p, uint64_t site);

/** places_merge_table - rows by call site; before table_sort() */
void places_merge_table(struct places *p, struct table *t);

/** places_merge_pairs - pairs of call sites; @add adds what an entry has to another */
void places_merge_pairs(struct places *p, struct pairs *pairs,
			void (*add)(void *to, const void *from));

#endif /* FT_ANALYSIS_PLACES_H */
