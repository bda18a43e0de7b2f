/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What can be asked about: relations, their columns, and where a column's value comes from.
 * The tables of a database, whichever it is, are made from this.
 *
 * Most values are in the reader's item, or follow from a number there: their columns say
 * where it is and what it is, so that each database takes it in its own way without a call.
 */
#ifndef FT_SQL_RELATION_H
#define FT_SQL_RELATION_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "sql/source.h"

/** enum column_type - what a column has; each value may be missing */
enum column_type {
	TYPE_TRACE,		/* which trace: a number, or its UUID */
	TYPE_NUMBER,		/* that fits into 32 bits, with a sign */
	TYPE_NS,		/* whole nanoseconds, from 0 on */
	TYPE_LENGTH,		/* nanoseconds with three decimals */
	TYPE_TIME,		/* the wall clock */
	TYPE_COUNT,		/* of 64 bits, from 0 on */
	TYPE_WORD,		/* 64 bits of a record, as a signed number */
	TYPE_NAME,		/* text, of which there are few different ones */
	TYPE_ADDRESS,
	TYPE_UUID,
	TYPE_TEXT,
};

/** enum column_from - where a value comes from: mostly a member of struct found */
enum column_from {
	FROM_GET,		/* column.get says it */
	FROM_TRACE,		/* the source */
	FROM_TICKS,		/* u64: a time of the trace's clock */
	FROM_CLOCK,		/* u64: the same, as wall clock */
	FROM_LENGTH,		/* u64: a span of it */
	FROM_TEXT,		/* const char *, which stays for ever; or NULL */
	FROM_COUNT,		/* u32 */
	FROM_INDEX,		/* i32; less than 0: none */
	FROM_TID,		/* i32 */
	FROM_TASK,		/* i32: the name of this tid */
	FROM_CONTEXT,		/* u32: of ft_reader_item */
	FROM_WORD,		/* u64 */
	FROM_ADDRESS,		/* u64 */
	FROM_DATA,		/* u64: the name of this address, of data */
	FROM_CODE,		/* u64: of code */
	FROM_CLASS,		/* u64: of the lock at this address */
	FROM_JSON,		/* a record: its fields, see event_json.h */
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

/* What a row has: see struct column. */
#define ROW_OF_LOCK	1u	/* a record: an acquisition or a release */
#define ROW_HAS_LOCK	2u	/* the same, or of a wait */
#define ROW_HAS_SITE	4u	/* a wait: where the lock was acquired then */
#define ROW_HAS_HOLDER	8u	/* a wait: who held it */

/**
 * struct row - of what a row is made
 * @item:	of the reader; NULL: of the trace as a whole
 * @has:	what its relation's find() says: ROW_*
 * @kind:	of a record's event: enum locks_kind
 * @text:	room for a short text of this column; see also source_keep()
 */
struct row {
	struct source			*source;
	const struct ft_reader_item	*item;
	unsigned int			has;
	unsigned int			kind;
	char				*text;
};

/**
 * struct column - a column
 * @from, @at:	where its value comes from; in struct found
 * @needs:	there is none unless the row has all of these; 0: there is always one, unless
 *		@maybe
 * @maybe:	it may be missing all the same
 * @get:	of FROM_GET
 */
struct column {
	const char		*name;
	enum column_type	type;
	enum column_from	from;
	uint16_t		at;
	uint8_t			needs;
	bool			maybe;
	struct value		(*get)(const struct row *row);
};

/**
 * struct relation - a table; its first column is the trace
 * @kind:	its rows are the reader's items of this kind; 0: a row is a trace
 * @selects:	is this row wanted? NULL: each is
 * @find:	row->has, row->kind; NULL: it has nothing
 * @order:	of a database that sorts the rows of many traces
 */
struct relation {
	const char		*name;
	unsigned int		kind;
	const struct column	*columns;
	unsigned int		n;
	bool			(*selects)(const struct row *row);
	void			(*find)(struct row *row);
	const char		*order;
};

extern const struct relation sql_sections, sql_waits, sql_records, sql_trace;

#define RELATIONS	4
#define RELATION_COLUMNS 64

/** relations - all of them; at most RELATION_COLUMNS each */
extern const struct relation *const relations[RELATIONS];

/** relation_find - by its name. Return: its number, or RELATIONS */
unsigned int relation_find(const char *name);

/** relation_column - by its name. Return: its number, or @r->n */
unsigned int relation_column(const struct relation *r, const char *name);

/**
 * row_begin - is this item a row of @r that is wanted?
 * @row: its source and item are there; the rest is filled
 */
static inline bool row_begin(struct row *row, const struct relation *r)
{
	if (r->kind != (row->item ? row->item->kind : 0))
		return false;
	row->has = row->kind = 0;
	if (r->find)
		r->find(row);
	return !r->selects || r->selects(row);
}

/** column_missing - a row has no value here, whatever else is known */
static inline bool column_missing(const struct column *c, const struct row *row)
{
	return c->needs & ~row->has;
}

/** column_value - of a row */
struct value column_value(const struct column *c, const struct row *row);

/* The value at a column's place. */

static inline const char *column_at(const struct column *c, const struct row *row)
{
	/* the item is the beginning of struct found */
	return (const char *)row->item + c->at;
}

static inline uint64_t column_u64(const struct column *c, const struct row *row)
{
	uint64_t value;

	memcpy(&value, column_at(c, row), sizeof(value));
	return value;
}

static inline int32_t column_i32(const struct column *c, const struct row *row)
{
	int32_t value;

	memcpy(&value, column_at(c, row), sizeof(value));
	return value;
}

static inline const char *column_string(const struct column *c, const struct row *row)
{
	const char *value;

	memcpy(&value, column_at(c, row), sizeof(value));
	return value;
}

const char *context_text(uint32_t context);

/* Columns that are alike in several tables. */

#define COLUMN_TRACE		{ .name = "trace", .type = TYPE_TRACE, .from = FROM_TRACE }
#define COLUMN_GET(title, of, function)								\
	{ .name = title, .type = of, .maybe = true, .get = function }
#define COLUMN_FROM(title, of, origin, member)							\
	{ .name = title, .type = of, .from = origin, .at = offsetof(struct found, member) }
#define COLUMN_MAYBE(title, of, origin, member)							\
	{ .name = title, .type = of, .from = origin, .at = offsetof(struct found, member),	\
	  .maybe = true }
/* @has: else there is no value */
#define COLUMN_IF(title, of, origin, member, has)						\
	{ .name = title, .type = of, .from = origin, .at = offsetof(struct found, member),	\
	  .needs = has }

#define COLUMN_CPU		COLUMN_MAYBE("cpu", TYPE_NUMBER, FROM_INDEX, item.cpu)
#define COLUMNS_TASK										\
	COLUMN_FROM("tid", TYPE_NUMBER, FROM_TID, item.tid),					\
	COLUMN_FROM("task", TYPE_NAME, FROM_TASK, item.tid),					\
	COLUMN_FROM("context", TYPE_NAME, FROM_CONTEXT, item.context)

/* @of, @begin, @end: members of the item */
#define COLUMNS_WHEN(of, begin, end)								\
	COLUMN_FROM("start_ns", TYPE_NS, FROM_TICKS, item.of.begin),				\
	COLUMN_FROM("end_ns", TYPE_NS, FROM_TICKS, item.of.end),				\
	COLUMN_FROM("length_ns", TYPE_LENGTH, FROM_LENGTH, item.of.length),			\
	COLUMN_MAYBE("start_time", TYPE_TIME, FROM_CLOCK, item.of.begin)

#define COLUMNS_LOCK(member, has)								\
	COLUMN_IF("class", TYPE_NAME, FROM_CLASS, member, has),					\
	COLUMN_IF("lock", TYPE_ADDRESS, FROM_ADDRESS, member, has),				\
	COLUMN_IF("lock_symbol", TYPE_NAME, FROM_DATA, member, has)

/* @title: a string */
#define COLUMNS_SITE(title, member, has)							\
	COLUMN_IF(title, TYPE_ADDRESS, FROM_ADDRESS, member, has),				\
	COLUMN_IF(title "_symbol", TYPE_NAME, FROM_CODE, member, has)

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

struct value value_ns(const struct row *row, uint64_t ticks);
struct value value_date(const struct row *row, uint64_t ticks);

#endif /* FT_SQL_RELATION_H */
