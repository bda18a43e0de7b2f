/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The report for programs, as tables of rows of named values: fields.c goes through all of
 * them, fields_tsv.c and fields_json.c write them. ft-report(1) documents the names, which
 * do not change.
 */
#ifndef FT_VIEW_FIELDS_H
#define FT_VIEW_FIELDS_H

#include "analysis/report.h"

/**
 * struct fields - a writer
 * @table:	begins a table; all rows of a table come together
 * @row:	begins a row; "-" in a table of one row
 * @value:	writes a value; @text: a string, else a number
 * @end:	ends the report
 */
struct fields {
	void	(*table)(struct fields *f, const char *name);
	void	(*row)(struct fields *f, const char *name);
	void	(*value)(struct fields *f, const char *column,
			 const char *value, bool text);
	void	(*end)(struct fields *f);
};

/**
 * fields_report - write a whole report to @f
 * @distributions: also those, which need r->series
 */
void fields_report(const struct report *r, bool distributions, struct fields *f);

/** fields_tsv, fields_json - the whole report, to stdout */
void fields_tsv(const struct report *r, bool distributions);
void fields_json(const struct report *r, bool distributions);

#endif /* FT_VIEW_FIELDS_H */
