/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Which critical sections, which records are wanted: --cpu, --from, --to, --task,
 * --without-recorder, --site, --lock, --family, the same in each command.
 *
 *	struct filter_options o = { 0 };		what is asked for: filter_option_table
 *	filter_bind(&f, &o, &trace, symbols, names);	when the trace is open
 *	... filter_section(&f, section) ...
 *	filter_exit(&f);
 *	filter_options_exit(&o);
 *
 * A section must match all options; of several values of one option, any. Its beginning
 * decides. Other sections are paired as well: nesting depths are those of the whole trace.
 *
 * Of a section that began in a helper (symbols/helpers.h), --site takes the place that tables
 * show, too: the call in the helper's caller, where a stack says which that is.
 */
#ifndef FT_ANALYSIS_FILTER_H
#define FT_ANALYSIS_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/options.h"
#include "locks/locks.h"
#include "trace/trace.h"

struct names;
struct pairs;
struct symbols;
struct wait;

/* From @low to @high, both included. */
struct filter_range {
	uint64_t	low, high;
};

struct filter_set {
	bool			given;		/* else all are in it */
	struct filter_range	*range;
	size_t			n;
};

/* A name, to be looked up when the trace is open. */
enum filter_what { FILTER_TASK, FILTER_SITE, FILTER_LOCK };

struct filter_name {
	enum filter_what	what;
	const char		*name;
};

/** struct filter_options - as given; zeroed, it selects everything */
struct filter_options {
	struct filter_set	cpus;
	uint32_t		families;	/* a bit each; 0: all */
	bool			has_from, has_to;
	uint64_t		from, to;	/* ns after the start of the trace */
	bool			without_recorder;
	bool			no_fold;	/* tables show helpers as they are */
	struct filter_name	*names;
	size_t			n_names;
};

/** struct filter - the options for one trace; zeroed, it selects everything */
struct filter {
	bool			active;		/* is anything left out? */
	struct filter_set	cpus, tasks, sites, locks;
	struct filter_set	others;		/* tasks that are left out: the recorder's */
	struct pairs		*shown;		/* filter_shown.c: of helpers; or NULL */
	uint32_t		families;
	bool			has_to;
	uint64_t		first, end;	/* ticks; the end is excluded */
};

/* Its options. A command puts a title above them: "Only sections that began:" */
extern const struct option_row filter_option_table[];

void filter_options_exit(struct filter_options *o);

/** filter_options_any - was any of them given? */
bool filter_options_any(const struct filter_options *o);

/**
 * filter_bind - look up the names in an open trace
 * @symbols, @names: or NULL
 *
 * Return: 0, or -1 with a message: the trace has none of this name.
 */
int filter_bind(struct filter *f, const struct filter_options *o,
		const struct trace *t, const struct symbols *symbols,
		const struct names *names);
void filter_exit(struct filter *f);

/** filter_section - is it selected? Call it only if @f is active */
bool filter_section(const struct filter *f, const struct section *s);

/** filter_wait - is it for a section that would be selected, as far as that is known? */
bool filter_wait(const struct filter *f, const struct wait *w);

/** filter_thread - is what a thread does from @ts on wanted? @cpu: where it ran last */
bool filter_thread(const struct filter *f, uint64_t ts, uint32_t cpu, int32_t tid);

/** filter_interrupt - the same for an interrupt, which is no task's */
bool filter_interrupt(const struct filter *f, uint64_t ts, uint32_t cpu);

/** filter_at - are this time and CPU selected? */
bool filter_at(const struct filter *f, uint64_t ts, uint32_t cpu);

/**
 * filter_record - is this record selected?
 * @kind: of its event (locks_kinds()): only those of locks have a lock and a site
 */
bool filter_record(const struct filter *f, uint64_t ts, uint32_t cpu,
		   const struct ft_record *rec, unsigned int kind);

/** filter_cpu - is this CPU selected? */
bool filter_cpu(const struct filter *f, uint32_t cpu);

/** filter_warn_empty - warn that no section of @t is selected, and list what it has */
void filter_warn_empty(const struct trace *t, const struct locks *locks);

/** filter_last_cpu - the greatest CPU in the options; 0 without --cpu */
uint64_t filter_last_cpu(const struct filter_options *o);

/* Private: filter_shown.c, and what it needs of filter.c. */

/** filter_find_shown - those that are shown at a wanted site. Return: 0, or -1 with a message */
int filter_find_shown(struct filter *f, const struct trace *t, const struct symbols *symbols);

void filter_free_shown(struct filter *f);

/** filter_is_shown - is this one of them? */
bool filter_is_shown(const struct filter *f, const struct section *s);

/** filter_has_site - is this place wanted? */
bool filter_has_site(const struct filter *f, uint64_t site);

/** filter_section_of - the section that a wait is for, as far as that is known */
struct section filter_section_of(const struct wait *w);

#endif /* FT_ANALYSIS_FILTER_H */
