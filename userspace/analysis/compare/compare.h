/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ft compare: the first trace and what is different in the others.
 *
 *	const struct compare *c = compare_read(&question, dirs, n);
 *	... c->change[1][class], c->table[DIGEST_SITES].row[i] ...
 *	compare_free(c);
 *
 * change.c finds what changed, compare_rows.c which call sites and classes of locks belong
 * together; view/compare_views.h shows it.
 */
#ifndef FT_ANALYSIS_COMPARE_H
#define FT_ANALYSIS_COMPARE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "analysis/compare/digest.h"
#include "analysis/compare/statistics.h"

#define COMPARE_TRACES	8
/* The probability of any false change. */
#define COMPARE_ALPHA	0.05
/* Least distance of two distributions (0 to 1) that is called a change. */
#define COMPARE_DISTANCE	0.05
/* With fewer sections in one of the traces nothing is called a change. */
#define COMPARE_LEAST	20

/** enum compare_what - what is tested */
enum compare_what {
	COMPARE_RATE,		/* sections a second */
	COMPARE_LENGTH,		/* of a class: distribution; of a row of a table: mean */
	COMPARE_TAIL,		/* share of sections beyond the first's p99 */
	COMPARE_TESTS
};

/** enum compare_only - where a row is at all */
enum compare_only {
	COMPARE_IN_BOTH,
	COMPARE_ONLY_FIRST,
	COMPARE_ONLY_OTHER,
	COMPARE_NOWHERE,
};

/** struct change - of a row, from the first trace to another one */
struct change {
	enum compare_only	only;
	/* Relative changes, 0.3 is 30 percent more; NAN where it makes no sense. */
	double			count, rate, mean, p50, p99;
	double			distance;	/* of the distributions, or NAN */
	bool			enough;		/* sections in both for a test */
	struct stat_test	test[COMPARE_TESTS];	/* p: corrected */
	bool			called[COMPARE_TESTS];
};

/* The numbers of a row in one trace: seconds. */
struct compare_numbers {
	uint64_t	count;
	double		rate, total, mean, p50, p99, max;
};

/* What is the same call site, or the same class of locks, in all traces. */
struct compare_row {
	unsigned int		family;
	char			*name;	/* by which it is known */
	char			*shown;	/* the same for people: demangled */
	struct digest_row	*in[COMPARE_TRACES];	/* or NULL */
	struct change		change[COMPARE_TRACES];	/* [0]: nothing */
	double			total;	/* seconds a second, in all traces */
};

/**
 * struct compare_table - call sites, classes of locks
 * @row:	longest total first
 * @shown:	of these: tested
 */
struct compare_table {
	struct compare_row	*row;
	size_t			n, shown;
};

/** struct compare_question - the request */
struct compare_question {
	struct filter_options	filter;
	double			limit;		/* least relative change that is called one */
	size_t			top;		/* rows of a table that are tested and shown */
	/* DIGEST_TABLES: sites, and classes where all traces have names of locks */
	enum digest_table	by;
	struct jobs		jobs;
};

/** struct compare - the answer */
struct compare {
	struct crew		*crew;		/* that reads the traces, too; or NULL */
	struct digest		trace[COMPARE_TRACES];
	unsigned int		n;
	struct change		change[COMPARE_TRACES][DIGEST_CLASSES];
	struct compare_table	table[DIGEST_TABLES];	/* empty: not asked for */
	bool			whole_functions;	/* sites: by function only */
	double			limit;		/* least relative change */
};

/**
 * compare_read - read all traces, and find what changed
 * @n: 2 to COMPARE_TRACES
 *
 * Return: NULL after a message; else the caller's to free.
 */
const struct compare *compare_read(const struct compare_question *q, char *const *dirs,
				   unsigned int n);
void compare_free(const struct compare *c);

/** compare_letter - the name of trace @i: 'A' ... */
static inline char compare_letter(unsigned int i)
{
	return (char)('A' + i);
}

/** compare_numbers - of a distribution of trace @d */
struct compare_numbers compare_numbers(const struct digest *d,
				       const struct histogram *h);

/** compare_is_called - is anything about it called a change? */
static inline bool compare_is_called(const struct change *ch)
{
	return ch->called[COMPARE_RATE] || ch->called[COMPARE_LENGTH] ||
	       ch->called[COMPARE_TAIL];
}

/** compare_too_short - is there a difference that such short traces cannot tell? */
bool compare_too_short(const struct compare *c, const struct change *ch);

#define COMPARE_WORDS	96

/**
 * compare_verdict - in words: "more often, longer", "no change", "only in B"
 * @i:	the trace that @ch leads to
 * @buf: of COMPARE_WORDS bytes
 */
const char *compare_verdict(const struct compare *c, unsigned int i,
			    const struct change *ch, char *buf);

/** compare_has_class - does any trace have it? */
bool compare_has_class(const struct compare *c, unsigned int class);

/** compare_shows_scope - are nesting depths of a scope to be shown to people? */
bool compare_shows_scope(const struct compare *c, enum locks_scope scope);

/** compare_lost - were records lost in any trace? */
bool compare_lost(const struct compare *c);

#endif /* FT_ANALYSIS_COMPARE_H */
