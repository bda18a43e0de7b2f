/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ft export: sections that a crew writes, in their order. */
#ifndef FT_FT_EXPORT_ROWS_H
#define FT_FT_EXPORT_ROWS_H

#include "base/crew/crew.h"
#include "view/data/export.h"

struct export_rows;

/** export_rows_new - @x: its format is one that is apart; its symbols are shared */
struct export_rows *export_rows_new(struct export *x, struct crew *crew);

/** export_rows_put - Return: 0, or errno of a failed write */
int export_rows_put(struct export_rows *r, const struct section *s);

/** export_rows_end - all are written, unless there is an @error. Return: as above; @r: or NULL */
int export_rows_end(struct export_rows *r, int error);

#endif /* FT_FT_EXPORT_ROWS_H */
