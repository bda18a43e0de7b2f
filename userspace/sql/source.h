/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A trace that rows come from: its reader, its filter, and names, read when first needed. */
#ifndef FT_SQL_SOURCE_H
#define FT_SQL_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/filter.h"
#include "libfttrace/handle.h"
#include "symbols/class_index.h"
#include "symbols/symbols.h"
#include "symbols/tasks.h"

/* Names that are at hand, by a part of the address. */
#define SOURCE_NAMES	4096u

struct source_name {
	uint64_t	address;
	bool		known, call;
	char		*name;		/* NULL: it has none */
};

struct source {
	unsigned int			number;		/* from 1 on */
	const char			*path;		/* as it was named */
	struct ft_reader		*reader;
	const struct trace		*trace;		/* the reader's */
	struct filter			filter;
	const struct symbols_options	*options;
	uint8_t				kinds[METADATA_CLASSES][FT_ID_MAX + 1];

	/* Private: see the functions below. */
	bool				symbols_read, names_read;
	struct symbols			*symbols;
	struct class_index		*classes;
	struct names			*names;
	struct source_name		name[SOURCE_NAMES];
	char				**kept;
	size_t				n_kept, room;
};

/**
 * source_open - open a trace
 * @kinds:	the items that are wanted: enum ft_reader_kind
 *
 * Return: NULL after a message.
 */
struct source *source_open(const char *path, unsigned int number, unsigned int kinds,
			   const struct filter_options *filter,
			   const struct symbols_options *symbols);
void source_close(struct source *s);

/** source_keep - a text (mem.h), until source_forget(). Return: it */
const char *source_keep(struct source *s, char *text);

/** source_forget - the row with these texts and names is written */
void source_forget(struct source *s);

/** source_name - of an address, until source_forget(); NULL: it has none */
const char *source_name(struct source *s, uint64_t address, bool call);

/** source_class - of the lock at this address; NULL: not known */
const char *source_class(struct source *s, uint64_t lock);

/** source_task - the name of a task; NULL: not known */
const char *source_task(struct source *s, int32_t tid);

/** source_record - the record that an item is */
struct ft_record source_record(const struct ft_reader_item *item);

#endif /* FT_SQL_SOURCE_H */
