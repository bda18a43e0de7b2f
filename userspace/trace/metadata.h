/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The metadata of a trace, in CTF 1.8's language (TSDL): its events, the fields of their two
 * words, and the clock. It does not define the layout of records, which is that of struct
 * ft_record.
 */
#ifndef FT_TRACE_METADATA_H
#define FT_TRACE_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/field.h"

#define METADATA_FIELDS	8	/* of a record, at most */

/* Classes of streams; ids of events are those of a class. See feather_trace/tsdl.h. */
#define METADATA_CLASSES 2
_Static_assert(METADATA_CLASSES == 2, "metadata_any_stream() names them all");

struct event_type {
	char			*name;
	struct event_field	field[METADATA_FIELDS];
	unsigned int		fields;
	unsigned int		bits;		/* of the record, that have been given to fields */
};

struct event_types {
	struct event_type	**at;	/* by id; NULL where none is */
	uint32_t		n;	/* highest id + 1 */
};

struct env_entry {
	char	*key;
	char	*value;
};

struct field_alias {
	char			*name;		/* empty: of one field */
	struct field_type	type;
};

struct metadata {
	uint8_t			uuid[16];
	bool			has_uuid;
	bool			has_stream[METADATA_CLASSES];	/* declares streams of this class */
	bool			has_gap;	/* records say where some were lost */

	uint64_t		freq;		/* of the clock, in Hz */
	int64_t			offset_s;	/* wall clock at tick 0: seconds */
	int64_t			offset;		/* and ticks */
	char			*clock;		/* its description or name */

	struct env_entry	*env;
	size_t			n_env;

	struct event_types	events[METADATA_CLASSES];

	struct field_alias	*alias;		/* types with a name */
	size_t			n_alias;
};

/**
 * metadata_load - read the file @path
 *
 * Return: 0, or -1 with a message that names the file and the line.
 */
int metadata_load(struct metadata *m, const char *path);

/** metadata_parse - the same for a text; @path is for messages */
int metadata_parse(struct metadata *m, const char *text, size_t len,
		   const char *path);

void metadata_free(struct metadata *m);

/** metadata_is_ours - false if the metadata names another tracer than ft */
bool metadata_is_ours(const struct metadata *m);

/** metadata_event - what @id is in streams of this class, or NULL */
static inline const struct event_type *
metadata_event(const struct metadata *m, unsigned int class, uint32_t id)
{
	const struct event_types *types = &m->events[class];

	return id < types->n ? types->at[id] : NULL;
}

/** event_type_field - its field of this name, or NULL */
const struct event_field *event_type_field(const struct event_type *type, const char *name);

/** metadata_any_stream - does it declare any stream? */
static inline bool metadata_any_stream(const struct metadata *m)
{
	return m->has_stream[0] || m->has_stream[1];
}

/** metadata_unread - how many words of an event could not be read, and are 0 */
uint64_t metadata_unread(const struct metadata *m, const struct event_type *type);

/** metadata_env - value of a key in the env block, or NULL */
const char *metadata_env(const struct metadata *m, const char *key);

#endif /* FT_TRACE_METADATA_H */
