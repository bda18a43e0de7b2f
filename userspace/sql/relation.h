/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What can be asked about: relations, their columns, and where a column's value comes from.
 * The tables of a database, whichever it is, are made from this.
 */
#ifndef FT_SQL_RELATION_H
#define FT_SQL_RELATION_H

#include <stdbool.h>
#include <stdint.h>

#include "sql/source.h"

/** enum column_type - what a column has; each value may be missing */
enum column_type {
	TYPE_NUMBER,		/* that fits into 32 bits, with a sign */
	TYPE_NS,		/* whole nanoseconds, from 0 on */
	TYPE_LENGTH,		/* nanoseconds with three decimals */
	TYPE_COUNT,		/* of 64 bits, from 0 on */
	TYPE_WORD,		/* 64 bits of a record, as a signed number */
	TYPE_NAME,		/* text, of which there are few different ones */
	TYPE_ADDRESS,		/* 0x... */
	TYPE_TEXT,
};

enum value_kind { VALUE_NONE, VALUE_INTEGER, VALUE_REAL, VALUE_TEXT };

/** struct value - of a column in a row; a text stays until source_forget() */
struct value {
	enum value_kind	kind;
	union {
		int64_t		integer;
		double		real;
		const char	*text;
	};
};

#define ROW_TEXT	64

/**
 * struct row - of what a row is made
 * @item:	of the reader; NULL: of the trace as a whole
 * @text:	room for a short text of this column; see also source_keep()
 */
struct row {
	struct source			*source;
	const struct ft_reader_item	*item;
	char				*text;
};

/** struct column - @get: its value in a row */
struct column {
	const char		*name;
	enum column_type	type;
	struct value		(*get)(const struct row *row);
};

/**
 * struct relation - a table
 * @kind:	its rows are the reader's items of this kind; 0: a row is a trace
 * @selects:	is this row wanted? NULL: each is
 */
struct relation {
	const char		*name;
	unsigned int		kind;
	const struct column	*columns;
	unsigned int		n;
	bool			(*selects)(const struct row *row);
};

extern const struct relation sql_sections, sql_waits, sql_records, sql_trace;

#define RELATIONS	4

/** relations - all of them; at most 64 columns each */
extern const struct relation *const relations[RELATIONS];

static inline struct value value_none(void)
{
	return (struct value){ .kind = VALUE_NONE };
}

static inline struct value value_integer(int64_t integer)
{
	return (struct value){ VALUE_INTEGER, { .integer = integer } };
}

static inline struct value value_real(double real)
{
	return (struct value){ VALUE_REAL, { .real = real } };
}

/* @text: or NULL, which is none */
static inline struct value value_text(const char *text)
{
	return text ? (struct value){ VALUE_TEXT, { .text = text } } : value_none();
}

/* What several relations have: columns.c. */

struct value column_trace(const struct row *row);
struct value column_cpu(const struct row *row);
struct value column_tid(const struct row *row);
struct value column_task(const struct row *row);
struct value column_context(const struct row *row);

/* @ticks of the trace's clock, since its start; as a date; @length: a span */
struct value value_ns(const struct row *row, uint64_t ticks);
struct value value_date(const struct row *row, uint64_t ticks);
struct value value_length(const struct row *row, uint64_t length);

/* An address, its name; the class of a lock. */
struct value value_address(const struct row *row, uint64_t address);
struct value value_name(const struct row *row, uint64_t address, bool call);
struct value value_class(const struct row *row, uint64_t lock);

#endif /* FT_SQL_RELATION_H */
