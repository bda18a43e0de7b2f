/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ft top without a screen: one table, as text or JSON. */
#ifndef FT_TOP_ONCE_H
#define FT_TOP_ONCE_H

#include "top/model.h"

/* Columns of the table in front of the name. */
#define TOP_HEAD	"   rate/s      count     time      p50      p99      max  "

/** top_cells - a row without its name; @buf: room for 128 bytes */
const char *top_cells(const struct model *m, const struct model_row *row, char *buf);

/** top_kind - "spin hold" */
const char *top_kind(const struct model *m, const struct model_row *row, char *buf, size_t len);

void top_once_text(const struct model *m, size_t top);
void top_once_json(const struct model *m, size_t top);

#endif /* FT_TOP_ONCE_H */
