/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ft dump: lines that a crew makes, in their order. */
#ifndef FT_DUMP_LINES_H
#define FT_DUMP_LINES_H

#include "base/crew/crew.h"
#include "trace/trace.h"
#include "view/text/record_lines.h"

struct dump_lines;

/** dump_lines_new - @lines: their format, which stays; its symbols are shared */
struct dump_lines *dump_lines_new(struct record_lines *lines, struct crew *crew);

/** dump_lines_put - the item of @s becomes a line. Return: 0, or errno of a failed write */
int dump_lines_put(struct dump_lines *d, const struct stream *s);

/** dump_lines_end - all lines are written, unless there is an @error. Return: as above */
int dump_lines_end(struct dump_lines *d, int error);

#endif /* FT_DUMP_LINES_H */
