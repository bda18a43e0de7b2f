/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ft report --heap: the heap instead of critical sections. */
#ifndef FT_FT_REPORT_HEAP_H
#define FT_FT_REPORT_HEAP_H

#include "heap/heap.h"

/** struct report_heap - what is to be shown, and how */
struct report_heap {
	struct heap_asked	asked;
	const char		*html;	/* a file, or NULL */
	bool			tsv, json;
};

/** report_heap - read the trace and show it. Return: the exit status */
int report_heap(const struct report_heap *o, char *const *dirs);

#endif /* FT_FT_REPORT_HEAP_H */
