/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The rows of traces, one trace after the other.
 *
 *	struct traces t = { .paths = paths, .kinds = FT_READER_SECTIONS, .asked = &asked };
 *
 *	while ((ret = traces_next(&t, &row)) > 0)
 *		if (row_begin(&row, relation))
 *			... column_value(&relation->columns[i], &row) ...
 *	traces_end(&t);
 *	t.status
 */
#ifndef FT_SQL_TRACES_H
#define FT_SQL_TRACES_H

#include <stdio.h>

#include "sql/relation.h"

/**
 * struct traces - what is read
 * @paths:	NULL behind the last
 * @parts:	they are the parts of one trace; else each is a trace
 * @kinds:	the items that are wanted: enum ft_reader_kind
 * @out:	where the caller writes meanwhile; NULL: nowhere
 * @status:	the exit status of what was read so far: an error counts more than a loss
 * @source:	of the latest row
 */
struct traces {
	char *const			*paths;
	bool				parts;
	unsigned int			kinds;
	const struct source_asked	*asked;
	FILE				*out;
	int				status;
	struct source			*source;

	/* Private. */
	unsigned int			number;		/* of traces that were opened */
	bool				ended;		/* the source's items */
	int				ret;		/* how */
};

/**
 * traces_next - the next item; behind those of a trace, a row without an item for itself
 * @row: its source and item are set; row_begin() does the rest
 *
 * Return: 1, and *@row; 0 at the end; -1 after a message: no more can be read, or a signal
 * asks for the end. @t->status is FT_EXIT_ERROR, too, where a trace was damaged, and what
 * could be read of it was there.
 */
int traces_next(struct traces *t, struct row *row);

/** traces_end - close what is open */
void traces_end(struct traces *t);

/**
 * traces_check - can each be opened, and has it what the filter names?
 *
 * Return: 0, or -1 with a message.
 */
int traces_check(const struct traces *t);

#endif /* FT_SQL_TRACES_H */
