/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What is in use over time, as charts of a page. */
#ifndef FT_HEAP_CHARTS_H
#define FT_HEAP_CHARTS_H

#include <stdio.h>

#include "heap/heap.h"

/** heap_charts - a section: bytes and blocks of all, then bytes by call site and size */
void heap_charts(FILE *f, const struct heap *h);

#endif /* FT_HEAP_CHARTS_H */
