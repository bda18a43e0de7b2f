/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A trace in a few numbers that can be compared with those of another trace, for
 * ft compare.
 *
 * To tell a change from chance, one must know how much a trace varies within
 * itself. So its time is cut into blocks of equal length, and each block has
 * books of its own. The length of the trace is known only at its end: blocks are
 * 2^k ticks long, and whenever there are too many of them, adjacent pairs are merged.
 * In the end there are between half of DIGEST_BLOCKS and all of them; the last
 * one may be shorter than the others. Blocks may be shorter than a burst: what they
 * have in common is seen in how they follow each other (spectrum.h).
 */
#ifndef FT_ANALYSIS_DIGEST_H
#define FT_ANALYSIS_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/filter.h"
#include "base/crew/jobs.h"
#include "base/distribution/histogram.h"
#include "base/map.h"
#include "locks/locks.h"
#include "symbols/class_index.h"
#include "symbols/symbols.h"
#include "trace/trace.h"

#define DIGEST_BLOCKS	128
#define DIGEST_LIMITS	2

/* Classes: the families, as they are numbered, and groups of them. */
#define DIGEST_GROUP(g)	(LOCKS_FAMILIES + (g))
#define DIGEST_CLASSES	DIGEST_GROUP(LOCKS_GROUPS)

/* In microseconds: how many sections are shorter? As in the paper. */
extern const unsigned int digest_limits[DIGEST_LIMITS];

struct digest_class {
	struct histogram	lengths;	/* in ticks */
	uint64_t		below[DIGEST_LIMITS];
	uint64_t		acquires;	/* also of incomplete sections */
	uint64_t		cut;		/* sequences with one end only */
	/* Picoseconds: traces with other clocks have the same bins. */
	struct histogram	block[DIGEST_BLOCKS];
};

/* enum digest_table - what the sections of a family are told apart by */
enum digest_table {
	DIGEST_SITES,		/* the place in the code where they begin */
	DIGEST_LOCK_CLASSES,	/* the class of their lock */
	DIGEST_TABLES
};

/* Sections that have this in common: an address, or the number of the class. */
struct digest_row {
	uint64_t		key;
	unsigned int		family;
	struct histogram	lengths;	/* in ticks */
	uint64_t		count[DIGEST_BLOCKS];
	double			sum[DIGEST_BLOCKS];	/* in ticks; has room for all */
};

struct digest {
	struct trace		trace;
	struct symbols		*symbols;	/* or NULL */
	struct filter		filter;
	uint64_t		first, last;	/* ticks of records, or --from, --to */
	uint64_t		records;
	struct digest_class	class[DIGEST_CLASSES];
	uint64_t		depth[LOCKS_SCOPES][LOCKS_DEPTHS];
	struct map		rows[DIGEST_TABLES][LOCKS_FAMILIES];
	size_t			n_rows[DIGEST_TABLES];
	struct class_index	*classes;	/* of locks */
	unsigned int		blocks;

	/* private */
	struct locks		*locks;
	struct internal		*internal;	/* locks/internal.h, or NULL */
	unsigned int		shift;		/* a block is 2^shift ticks long */
	uint64_t		limit[DIGEST_LIMITS];	/* in ticks */
	unsigned __int128	tick;		/* in 2^-20 picoseconds */
	struct line		*line;		/* to a thread that counts, or NULL */
	struct digest_lot	*lot;		/* that is filled */
};

/**
 * struct digest_asked - the request
 * @classes:	rows of DIGEST_LOCK_CLASSES are wanted, even if the trace has no names of locks
 * @crew:	the threads of all digests; the first of a trace that is worth it makes them.
 *		They stay longer than the digests
 */
struct digest_asked {
	const struct filter_options	*filter;
	bool				classes;
	struct jobs			jobs;
	struct crew			**crew;
};

/** digest_read - all of the trace in @dir; 0, or -1 with a message */
int digest_read(struct digest *d, const char *dir, const struct digest_asked *asked);
void digest_free(struct digest *d);

/** digest_class_name - of a class of locks */
const char *digest_class_name(const struct digest *d, const struct digest_row *row);

/** digest_row_merge - count what was counted in @from in @to, too */
void digest_row_merge(struct digest_row *to, const struct digest_row *from);

/** digest_name, digest_title - of a class, for programs and for people */
const char *digest_name(unsigned int class);
const char *digest_title(unsigned int class);

/** digest_seconds - how long the trace is */
double digest_seconds(const struct digest *d);

/** digest_time - a span of ticks in seconds */
static inline double digest_time(const struct digest *d, double ticks)
{
	return ticks / (double)d->trace.meta.freq;
}

/** digest_mean - in seconds, 0 for none */
static inline double digest_mean(const struct digest *d,
				 const struct histogram *h)
{
	return h->count ? digest_time(d, (double)h->sum / (double)h->count) : 0;
}

/** digest_quantile - in seconds, 0 for none */
static inline double digest_quantile(const struct digest *d,
				     const struct histogram *h,
				     unsigned int permille)
{
	return digest_time(d, (double)histogram_quantile(h, permille));
}

/** digest_block_seconds - how long block @i is */
double digest_block_seconds(const struct digest *d, unsigned int i);

#endif /* FT_ANALYSIS_DIGEST_H */
