/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ft export: what the formats share. A format is a table of functions that write to
 * export.out; sections come in the order of their ends.
 */
#ifndef FT_VIEW_EXPORT_H
#define FT_VIEW_EXPORT_H

#include <stdio.h>

#include <feather_trace/reader.h>

#include "analysis/report.h"
#include "analysis/threads.h"
#include "base/json.h"
#include "base/map.h"
#include "locks/locks.h"
#include "symbols/class_index.h"
#include "symbols/symbols.h"
#include "symbols/tasks.h"
#include "trace/trace.h"

struct export {
	FILE			*out;
	struct ft_reader	*reader;
	const struct trace	*trace;		/* the reader's */
	struct symbols		*symbols;
	struct class_index	*classes;	/* of locks */
	const struct class_entry *class;	/* csv: of the section's lock, or NULL */
	struct names		*names;		/* of tasks, or NULL */
	const struct export_format *format;

	struct map		named;		/* chrome: tracks that have a name */
	struct json		json;		/* chrome */
	uint64_t		late;		/* chrome: sections off all tracks */
	uint64_t		wakeups;	/* chrome */
};

/**
 * struct export_format - how items are written
 * @apart: sections are written without regard to each other: by several threads at once,
 *	each with a struct export of its own
 */
struct export_format {
	const char	*name;
	bool		apart;
	void		(*begin)(struct export *x);
	void		(*section)(struct export *x, const struct section *s);
	/* NULL: not of interest */
	void		(*gap)(struct export *x, const struct ft_reader_item *item);
	void		(*mark)(struct export *x, const struct ft_reader_item *item);
	/* of the struct export; after all that is above */
	const struct threads_told *threads;
	void		(*end)(struct export *x);
};

extern const struct export_format export_csv, export_chrome;

#define EXPORT_TIME_LEN	48

/** export_time - the wall clock as 2023-11-14T22:13:20.123456789Z */
const char *export_time(const struct trace *t, uint64_t ts, char *buf);

#endif /* FT_VIEW_EXPORT_H */
