/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The report for programs, as tables of rows of named values: fields.c
 * walks through all of them, and fields_tsv.c and fields_json.c write what comes.
 * Names are documented in ft-report(1) and do not change.
 */
#ifndef FT_VIEW_FIELDS_H
#define FT_VIEW_FIELDS_H

#include "analysis/report.h"

/**
 * struct fields - who writes
 * @table:	a table begins; all rows of a table come together
 * @row:	a row begins; "-" in a table that has one row
 * @value:	a value; @text: to be quoted, else it is a number
 * @end:	that was all
 */
struct fields {
	void	(*table)(struct fields *f, const char *name);
	void	(*row)(struct fields *f, const char *name);
	void	(*value)(struct fields *f, const char *column,
			 const char *value, bool text);
	void	(*end)(struct fields *f);
};

/**
 * fields_report - tell @f all of a report
 * @distributions: also those, which need r->series
 */
void fields_report(const struct report *r, bool distributions, struct fields *f);

/** fields_tsv, fields_json - the whole report, to stdout */
void fields_tsv(const struct report *r, bool distributions);
void fields_json(const struct report *r, bool distributions);

#endif /* FT_VIEW_FIELDS_H */
