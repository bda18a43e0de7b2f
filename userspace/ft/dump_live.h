/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ft dump --live: the running trace's records as they come. */
#ifndef FT_DUMP_LIVE_H
#define FT_DUMP_LIVE_H

#include "analysis/records.h"
#include "view/text/record_lines.h"

/** struct dump_question - the request: which records, and how lines look */
struct dump_question {
	struct records_question	records;
	struct record_lines	lines;
};

/** dump_live - print until a signal, or the end of the trace. Return: exit status */
int dump_live(struct dump_question *q);

#endif /* FT_DUMP_LIVE_H */
