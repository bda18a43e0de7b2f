/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The question about a trace, and the answer. collect.c collects that in one pass; it is
 * constant from then on, and view/ shows it.
 *
 *	struct report_question q = { .top = 20, ... };
 *	const struct report *r = report_read(&q, dirs);	reads the whole trace
 *	... r->family[i], r->table[TABLE_SITE].rows[i] ...
 *	report_free(r);
 *
 * All times are ticks of the trace's clock; report_span() makes picoseconds of a
 * span of them. Numbers are of the sections that the filter selects; books
 * (balance, cut, lost) are of the whole trace.
 */
#ifndef FT_ANALYSIS_REPORT_H
#define FT_ANALYSIS_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/filter.h"
#include "analysis/irq_uses.h"
#include "analysis/longest.h"
#include "analysis/order.h"
#include "analysis/order_cycles.h"
#include "analysis/order_stacks.h"
#include "analysis/stacked.h"
#include "analysis/table.h"
#include "base/crew/jobs.h"
#include "base/distribution/histogram.h"
#include "locks/locks.h"
#include "locks/waits.h"
#include "symbols/symbols.h"
#include "trace/stacks.h"
#include "trace/trace.h"

/* How many limits there are for shares of shorter sections. */
#define REPORT_LIMITS	8

struct report_limit {
	char		name[24];	/* in microseconds: "5", "0.5" */
	uint64_t	ns;
	uint64_t	ticks;		/* the least that is not shorter */
};

/* What the CPU did at an acquisition: the innermost of struct ft_record's ctx. */
enum report_context {
	CONTEXT_TASK, CONTEXT_SOFTIRQ, CONTEXT_HARDIRQ, CONTEXT_NMI,
	REPORT_CONTEXTS
};

/** struct report_class - the critical sections of a family or a group of them */
struct report_class {
	const char		*name;		/* in TSV and JSON: "rwlock_read" */
	const char		*title;		/* for people: "rwlock read" */
	struct histogram	lengths;	/* of complete sections */
	uint64_t		below[REPORT_LIMITS];	/* shorter than a limit */
	uint64_t		context[REPORT_CONTEXTS];
	uint64_t		internal;	/* taken inside a sleeping lock */
	uint64_t		cut[LOCKS_CUTS];	/* incomplete, and why */
	struct histogram	waits;		/* how long was waited */
};

/*
 * Tables with a row for each family and call site, lock or task; and, made of that by lock
 * after the pass, by class of locks; and by stack, of sections and waits that have one.
 */
enum report_tables {
	TABLE_SITE, TABLE_LOCK, TABLE_TASK,
	REPORT_PASS_TABLES,
	TABLE_CLASS = REPORT_PASS_TABLES,
	TABLE_STACK,
	REPORT_TABLES
};

/*
 * Keys of TABLE_SITE and TABLE_LOCK are addresses. That of a task is its number;
 * that of a class is one for classes_row(); that of a stack its number, for stacks_at();
 * what an interrupt took is not the interrupted task's: it has rows of its own.
 */
#define REPORT_TASK_CONTEXT(context)	((1ull << 32) + (context))

/** struct report_gap - records of a CPU were lost between two times */
struct report_gap {
	uint32_t	cpu;
	bool		open;		/* to the end of the trace */
	uint64_t	from, to;	/* ticks */
};

#define REPORT_GAPS	1000	/* more are only counted, in struct stream */

struct realtime;
struct series;

/** struct report_question - the request */
struct report_question {
	struct symbols_options	symbols;
	const char		*debug;		/* where lines of source code are, or NULL */
	struct filter_options	filter;
	struct report_limit	limit[REPORT_LIMITS];
	unsigned int		n_limits;
	enum table_column	sort;
	size_t			top;		/* rows of a table */
	size_t			n_longest;	/* of each group */
	bool			internal;	/* ones are to count in the depth */
	bool			series;		/* what charts need */
	bool			realtime;	/* what real-time tasks did */
	bool			no_fold;	/* helpers are not to become their callers */
	unsigned int		by;		/* tables: 1 << TABLE_SITE, ...; 0: all */
	struct jobs		jobs;
};

/** struct report - the answer */
struct report {
	struct trace		trace;
	struct locks		*locks;
	struct symbols		*symbols;	/* or NULL */
	struct lines		*lines;		/* of source code, or NULL */
	struct names		*names;		/* of tasks, or NULL */

	uint64_t		first, last;	/* ticks of records */
	uint64_t		early;		/* acquisitions: how many were */
	uint64_t		early_most;	/* ticks, by which they were at most */
	uint64_t		records;	/* in all streams */
	uint64_t		unknown;	/* of these: not in the metadata */
	bool			request_marks;	/* of ft mark: trace/request_mark.h */
	struct report_class	family[LOCKS_FAMILIES];
	struct report_class	group[LOCKS_GROUPS];
	uint64_t		depth[LOCKS_SCOPES][LOCKS_DEPTHS];
	struct table		table[REPORT_TABLES];	/* sorted by @sort */
	bool			shows[REPORT_TABLES];
	struct classes_found	*classes;	/* analysis/classes.h */
	struct stacks		*stacks;	/* trace/stacks.h; NULL: the trace has none */
	struct stacked		*stacked;	/* stacked.h; with @stacks */
	uint64_t		stackless;	/* records of stacks, without that file */
	struct report_gap	*gaps;
	size_t			n_gaps;
	uint64_t		gaps_in_all;
	struct order		*order;		/* order.h */
	struct order_cycles	*cycles;	/* order_cycles.h */
	struct order_stacks	*order_stacks;	/* order_stacks.h; with @stacks, or NULL */
	struct irq_uses		*irq_uses;	/* irq_uses.h */
	struct longest		*longest;	/* longest.h */
	struct waits		*waits;		/* locks/waits.h; NULL: no events */
	struct pairs		wait_pairs;	/* struct wait_pair */
	struct wait_pair	**waited;	/* the same, longest total first */
	bool			internal_known;	/* which locks are, by symbols */
	bool			internal_counted;	/* in depths: that was asked for */
	struct series	*series;	/* for figures; or NULL */
	const struct realtime *realtime; /* realtime.h; or NULL */
	bool			filtered;	/* sections were selected */
	double			duration;	/* seconds reported on: all, or --from, --to */

	/* How tables were cut. */
	struct report_limit	limit[REPORT_LIMITS];
	unsigned int		n_limits;
	enum table_column	sort;
	size_t			top;		/* rows of a table are shown */
};

/**
 * report_read - read the whole trace
 * @dirs:	see trace_open()
 *
 * Return: NULL after a message; else the caller's to free.
 */
const struct report *report_read(const struct report_question *q, char *const *dirs);
void report_free(const struct report *r);

/** report_begin - the date and time of the first record, if that is known */
bool report_begin(const struct report *r, char *date, size_t len);

/** report_early - how early acquisitions can be stamped, in ns, if it was measured */
bool report_early(const struct report *r, uint64_t *ns);

/** report_balance - the balance of a family over all CPUs */
struct balance report_balance(const struct report *r, unsigned int family);

/* Spans of time: 128 bits of picoseconds, so that no clock and no sum is lost. */
typedef unsigned __int128 report_ps;

/* The greatest total in TSV and JSON: 64 bits of nanoseconds; greater ones are marked. */
#define REPORT_MAX_TOTAL	((report_ps)UINT64_MAX * 1000 + 999)

/** report_span - ticks of the trace's clock in picoseconds */
report_ps report_span(const struct report *r, unsigned __int128 ticks);

/** page_seconds - ticks in seconds */
static inline double page_seconds(const struct report *r, double ticks)
{
	return ticks / (double)r->trace.meta.freq;
}

/** report_mean - of a distribution of ticks, in picoseconds */
report_ps report_mean(const struct report *r, const struct histogram *h);

/** report_mean_of - the same from a sum and a number */
report_ps report_mean_of(const struct report *r, unsigned __int128 sum,
			 uint64_t count);

/** report_scope - "spinning", "sleeping", "both", "program", "spin" */
const char *report_scope(enum locks_scope scope);

/** report_depths - from 0 to the greatest that occurs in a scope; 0: there is none */
unsigned int report_depths(const struct report *r, enum locks_scope scope);

/**
 * report_shows - is a group of locks, are depths of a scope to be shown to people?
 *
 * The kernel's always, but in a trace that has locks of programs and none of those.
 */
bool report_shows_group(const struct report *r, enum locks_group group);
bool report_shows_scope(const struct report *r, enum locks_scope scope);

/** report_table - which table is shown in which place; REPORT_TABLES: none is left */
enum report_tables report_table(const struct report *r, unsigned int place);

/** report_has - has it any sections or waits? */
bool report_has(const struct report_class *c);

/** report_cuts - sections of which only one end was seen */
static inline uint64_t report_cuts(const struct report_class *c)
{
	return c->cut[LOCKS_CUT_START] + c->cut[LOCKS_CUT_END] +
	       c->cut[LOCKS_CUT_LOST] + c->cut[LOCKS_CUT_OTHER];
}

/** report_context - of the ctx of a record */
static inline enum report_context report_context(uint8_t ctx)
{
	if (!ctx)
		return CONTEXT_TASK;
	if (ctx & FT_CTX_NMI)
		return CONTEXT_NMI;
	return ctx & FT_CTX_HARDIRQ ? CONTEXT_HARDIRQ : CONTEXT_SOFTIRQ;
}

/** report_context_name - "task", "softirq", "hardirq", "nmi" */
const char *report_context_name(unsigned int context);

#endif /* FT_ANALYSIS_REPORT_H */
