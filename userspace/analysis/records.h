/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The selected records of a trace, one after the other, in the order of time:
 *
 *	struct records *r = records_open(&question, dirs, stdout);
 *
 *	while (r && records_next(r, &s))
 *		... s->item: STREAM_RECORD or STREAM_GAP ...
 *	status = records_close(r);
 */
#ifndef FT_ANALYSIS_RECORDS_H
#define FT_ANALYSIS_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analysis/filter.h"
#include "base/crew/jobs.h"
#include "locks/reading.h"
#include "symbols/symbols.h"
#include "trace/trace.h"

/**
 * struct records_question - the request
 * @patterns:	of events, allocated as are the patterns themselves; none: all
 * @filter:	which records
 * @symbols:	where names come from
 * @named:	names of addresses are wanted
 */
struct records_question {
	char			**patterns;
	size_t			n_patterns;
	struct filter_options	filter;
	struct symbols_options	symbols;
	bool			named;
	struct jobs		jobs;
};

void records_question_exit(struct records_question *q);

struct records {
	struct trace		trace;
	struct symbols		*symbols;	/* or NULL; several threads may ask them */
	struct crew		*crew;		/* for what the caller does; or NULL */

	/* Private. */
	bool		wanted[METADATA_CLASSES][FT_ID_MAX + 1];	/* by id */
	uint8_t		kinds[METADATA_CLASSES][FT_ID_MAX + 1];		/* the same */
	struct filter	filter;
	struct reading	reading;
};

/**
 * records_open - open a trace to read its records
 * @dirs:	see trace_open()
 * @out:	where the caller writes meanwhile; see reading_begin()
 *
 * Return: NULL after a message.
 */
struct records *records_open(const struct records_question *q, char *const *dirs, FILE *out);

/** records_next - the next selected item, which the stream *@s has. Return: is there one? */
bool records_next(struct records *r, struct stream **s);

/** records_tell_unread - say which selected events have words that could not be read */
void records_tell_unread(const struct records *r);

/** records_close - close the trace. Return: exit status; @r: or NULL */
int records_close(struct records *r);

#endif /* FT_ANALYSIS_RECORDS_H */
