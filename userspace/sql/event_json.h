/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The fields of a record, as JSON. */
#ifndef FT_SQL_EVENT_JSON_H
#define FT_SQL_EVENT_JSON_H

#include "sql/source.h"

/** event_json - an object, until the next one of this source; none of an unknown event */
struct text event_json(struct source *s, const struct ft_reader_record *record);

/** event_json_free - what it has kept */
void event_json_free(struct source *s);

#endif /* FT_SQL_EVENT_JSON_H */
