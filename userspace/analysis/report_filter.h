/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Which critical sections are reported: --cpu, --from, --to, --task, --site,
 * --lock, --family. Pairing sees all records; the filter selects among sections,
 * by what is known when they begin. Of options that are given all must be met,
 * of several values of one option any.
 */
#ifndef FT_ANALYSIS_REPORT_FILTER_H
#define FT_ANALYSIS_REPORT_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "locks/locks.h"

struct names;
struct symbols;

/* From @low to @high, both included. */
struct filter_range {
	uint64_t	low, high;
};

struct filter_set {
	bool			given;
	struct filter_range	*range;
	size_t			n;
};

struct report_filter {
	bool			active;		/* is anything left out? */
	struct filter_set	cpus, tasks, sites, locks;
	struct filter_set	others;		/* tasks that are left out */
	uint32_t		families;	/* a bit each; 0: all */
	double			from, to;	/* seconds after the start */
	bool			has_from, has_to;
	uint64_t		first, end;	/* the same in ticks; end excluded */

	/* Names, until the trace is open: as they were given. */
	const char		*task, *site, *lock;
};

/**
 * filter_cpus, filter_family, filter_seconds - take an option's argument
 *
 * Return: 0, or -1 where it makes no sense.
 */
int filter_cpus(struct report_filter *f, const char *list);
int filter_family(struct report_filter *f, const char *name);
int filter_seconds(const char *text, double *seconds);

/**
 * filter_resolve - look up symbols and names, when the trace is open
 *
 * Return: 0, or -1 with a message: there is no such thing.
 */
int filter_resolve(struct report_filter *f, const struct trace *t,
		   const struct symbols *symbols, const struct names *names);

/** filter_leave_out - none of the tasks of this name; after filter_resolve() */
void filter_leave_out(struct report_filter *f, const struct names *names,
		      const char *name);

/** filter_selects - is this section to be reported? Only asked if @f is active */
bool filter_selects(const struct report_filter *f, const struct section *s);

void filter_free(struct report_filter *f);

#endif /* FT_ANALYSIS_REPORT_FILTER_H */
