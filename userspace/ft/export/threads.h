/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ft export: what threads and CPUs do, for the formats that show it. */
#ifndef FT_FT_EXPORT_THREADS_H
#define FT_FT_EXPORT_THREADS_H

#include "analysis/filter.h"
#include "view/data/export.h"

/**
 * export_threads - read the trace once more, and tell the format what it selects of it
 *
 * All records are read, in the order of their times: those that are not selected also say
 * what a thread does.
 *
 * Return: 0; a negative errno after a message. The trace's faults were reported before.
 */
int export_threads(struct export *x, char *const *dirs, const struct filter *filter);

#endif /* FT_FT_EXPORT_THREADS_H */
