/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A trace that rows come from: its reader, its filter, and names, read when first needed. */
#ifndef FT_SQL_SOURCE_H
#define FT_SQL_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/filter.h"
#include "base/crew/jobs.h"
#include "libfttrace/handle.h"
#include "symbols/class_index.h"
#include "symbols/symbols.h"
#include "symbols/tasks.h"

/* Names that are at hand, by a part of the address: of locks, and of call sites. */
#define SOURCE_LOCKS	(1u << 18)
#define SOURCE_SITES	(1u << 16)

/** struct text - so many bytes, with a terminator; @at is NULL: there is none */
struct text {
	const char	*at;
	size_t		n;
};

/* What is known of an address. */
struct source_known {
	uint64_t	address;
	const char	*class;		/* of a lock; stays */
	char		*name;		/* or NULL */
	uint32_t	class_n;
	uint32_t	name_n : 29;
	uint32_t	is_plain : 1;	/* the name has nothing that JSON escapes */
	uint32_t	has_class : 1;	/* it was asked for */
	uint32_t	has_name : 1;
};

/* Room for an address as text. */
#define SOURCE_ADDRESS	20

/* A text that is put together again and again. */
struct source_text {
	char	*at;
	size_t	n, room;
};

struct source {
	unsigned int			number;		/* from 1 on */
	const char			*path;		/* as it was named */
	struct ft_reader		*reader;
	const struct trace		*trace;		/* the reader's */
	struct filter			filter;
	const struct symbols_options	*options;
	struct crew			*crew;		/* decodes blocks ahead; or NULL */
	uint8_t				kinds[METADATA_CLASSES][FT_ID_MAX + 1];

	/* Private: see the functions below. */
	bool				symbols_read, names_read;
	struct symbols			*symbols;
	struct class_index		*classes;
	struct names			*names;
	struct source_known		*locks, *sites;
	char				**kept;
	size_t				n_kept, room;
	struct source_text		fields;		/* see event_json.h */
	struct event_plan		**plans[METADATA_CLASSES];
};

/**
 * struct source_asked - what of a trace is wanted, and how it is shown
 * @jobs: how many threads read it; NULL: one
 */
struct source_asked {
	const struct filter_options	*filter;
	const struct symbols_options	*symbols;
	const struct jobs		*jobs;
};

/**
 * source_open - open a trace
 * @dirs:	it, or its parts; NULL behind the last
 * @kinds:	the items that are wanted: enum ft_reader_kind
 *
 * Return: NULL after a message.
 */
struct source *source_open(char *const *dirs, unsigned int number, unsigned int kinds,
			   const struct source_asked *asked);
void source_close(struct source *s);

/** source_keep - a text (mem.h), until source_forget(). Return: it */
const char *source_keep(struct source *s, char *text);

/* Private. */
void source_free_kept(struct source *s);

/** source_forget - the row with these texts and names is written */
static inline void source_forget(struct source *s)
{
	if (__builtin_expect(s->n_kept != 0, 0))
		source_free_kept(s);
}

/** source_known_site - what is known of a place in code: its name */
const struct source_known *source_known_site(struct source *s, uint64_t site);

/** source_name - of an address, until source_forget() */
struct text source_name(struct source *s, uint64_t address, bool call);

/** source_class - of the lock at this address */
struct text source_class(struct source *s, uint64_t lock);

/** source_task - the name of a task; NULL: not known */
const char *source_task(struct source *s, int32_t tid);

/** source_ns - nanoseconds from the beginning of the trace to @ticks, rounded down */
uint64_t source_ns(const struct source *s, uint64_t ticks);

/** source_length - a span of the clock in nanoseconds, rounded down to a picosecond */
double source_length(const struct source *s, uint64_t ticks);

/** source_wall - *@ns since 1970. Return: is it known, and no more than 64 bits? */
bool source_wall(const struct source *s, uint64_t ticks, int64_t *ns);

/** source_put_address - at @at, which has room for SOURCE_ADDRESS. Return: behind it */
char *source_put_address(char *at, uint64_t address);

/** source_address - 0x1234abcd. Return: in @text */
const char *source_address(char text[SOURCE_ADDRESS], uint64_t address);

/** source_record - the record that an item is */
struct ft_record source_record(const struct ft_reader_item *item);

#endif /* FT_SQL_SOURCE_H */
