/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Records as lines: time, CPU, task, event. For people, or with tabs for programs. */
#ifndef FT_RECORD_LINES_H
#define FT_RECORD_LINES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/options.h"
#include "symbols/symbols.h"
#include "trace/trace.h"

enum record_clock { RECORD_CLOCK_RELATIVE, RECORD_CLOCK_WALL, RECORD_CLOCK_TICKS };

/**
 * struct record_lines - format of the lines; zeroed except @out and @trace, the defaults
 * @out:	where they go
 * @trace:	its clock, its events, its start
 * @symbols:	names of addresses, or NULL
 * @clock:	what times are
 * @raw:	contexts and words as numbers
 * @tsv:	tabs between columns
 * @last:	time of the line before, of a record
 * @any:	there is one
 */
struct record_lines {
	FILE			*out;
	const struct trace	*trace;
	const struct symbols	*symbols;
	enum record_clock	clock;
	bool			raw, tsv;
	uint64_t		last;
	bool			any;
};

/* --clock, --raw and --tsv */
extern const struct option_row record_lines_options[];

/** record_lines_begin - the names of the columns, where programs read them */
void record_lines_begin(const struct record_lines *l);

/**
 * record_lines_put - a record
 * @ts:		when, in ticks
 * @stream:	number of its stream
 * @type:	of its event, or NULL
 */
void record_lines_put(struct record_lines *l, uint64_t ts, unsigned int stream,
		      const struct event_type *type, const struct ft_record *rec);

/** record_lines_gap - records are missing here; @lost: of this stream so far */
void record_lines_gap(const struct record_lines *l, uint64_t ts, unsigned int stream,
		      uint64_t lost);

#endif /* FT_RECORD_LINES_H */
