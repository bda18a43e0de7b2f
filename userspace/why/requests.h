/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Requests: where their time went, and what is different in the slow ones.
 *
 * Marks delimit them: one that begins a request, one that ends it, and one each for a thread
 * that joins it or leaves it. A request may have several threads at a time, a thread works for
 * one request at a time. What each thread did between its marks is taken apart as ft why takes
 * sections apart (why.h), so the causes of a thread add up to its time, tick by tick.
 *
 * The trace is read once. Of each request its threads and waits are kept, at most
 * REQUEST_THREADS and REQUEST_WAITS of them, and REQUESTS_MAX requests.
 */
#ifndef FT_WHY_REQUESTS_H
#define FT_WHY_REQUESTS_H

#include <stdio.h>

#include "base/pairs.h"
#include "trace/request_mark.h"
#include "why/why.h"

#define REQUESTS_MAX	(256u << 10)
#define REQUESTS_OPEN	(64u << 10)	/* under way at a time */
#define REQUEST_THREADS	32
#define REQUEST_WAITS	64
#define REQUESTS_ROWS	(64u << 10)	/* of a table */

/**
 * struct request_wait - for a lock and a holder
 * @class:	of the lock; NULL: not known, it is @lock
 * @who:	the task that held it; 0: see @holder
 */
struct request_wait {
	const struct class_entry	*class;
	uint64_t			lock, ticks;
	int32_t				who;
	uint8_t				family;
	uint8_t				holder;		/* enum why_holder */
};

/* @tid 0: all that have no place of their own; their ticks are the sum. */
struct request_thread {
	int32_t		tid;
	uint64_t	ticks, causes[WHY_CAUSES];
};

/**
 * struct request - a complete one
 * @alone:	ticks in which no thread worked for it
 * @ticks:	of all threads, and by cause
 * @wait:	longest first; what waiting and spinning have more, is not told apart
 */
struct request {
	uint64_t		id, start, end, alone;
	uint64_t		ticks, causes[WHY_CAUSES];
	struct request_thread	*thread;
	struct request_wait	*wait;
	unsigned int		threads, waits;
};

/* Why requests are left out: the first that is true. */
enum request_fault {
	REQUEST_GOOD,
	REQUEST_NESTED,		/* a thread came to it that worked for another one */
	REQUEST_DOUBLED,	/* began again in its own thread */
	REQUEST_CROSSED,	/* was ended by a thread that worked for another one */
	REQUEST_UNENDED,
	REQUEST_CUT,		/* records were lost while it was under way */
	REQUEST_MANY,		/* under way at a time */
	REQUEST_UNKEPT,		/* beyond REQUESTS_MAX */
	REQUEST_FAULTS
};

/**
 * struct requests_row - a part of the time, compared
 * @key:	private
 * @wait:	a wait like all of them; without a holder in the table by lock
 * @of:		ticks of the typical ones, and of the slow ones
 */
struct requests_row {
	struct pair		key;
	struct request_wait	wait;
	enum why_cause		cause;
	unsigned __int128	of[2];
};

/* Two groups of requests, side by side. */
enum { REQUESTS_TYPICAL, REQUESTS_SLOW, REQUESTS_BANDS };

/**
 * struct requests_band - requests of some ranks by duration
 * @first, @n:	which: in requests.by_duration
 */
struct requests_band {
	size_t			first, n;
	unsigned __int128	duration, ticks, alone;
};

struct requests_table {
	struct pairs		memory;
	struct requests_row	**row;	/* what differs most first */
	size_t			rows;
};

struct requests_asked {
	struct symbols_options	symbols;
	const char		*event[REQUEST_ROLES];
	const char		*id;		/* a field, or NULL: the first */
	size_t			limit;		/* the slowest, shown one by one */
	size_t			top;		/* rows of a table */
	/* As in struct why_asked. */
	bool			part;
	struct symbols		*given;
	struct trace_books	before;
};

/** struct requests - the answer */
struct requests {
	const struct why	*why;
	struct request		*request;	/* in the order of their ends */
	size_t			n;
	size_t			*by_duration;	/* shortest first */
	uint64_t		left_out[REQUEST_FAULTS];
	uint64_t		stray[REQUEST_ROLES];	/* marks that change nothing */
	uint64_t		misplaced;	/* marks in interrupts, or of idle tasks */
	bool			alone;		/* no sched_switch: only waits are known */
	struct requests_band	band[REQUESTS_BANDS];
	struct requests_row	*cause[WHY_CAUSES + 1];	/* what differs most first; NULL */
	struct requests_row	causes[WHY_CAUSES];
	struct requests_table	locks, holders;

	/* How it was cut. */
	size_t			limit;		/* the slowest are shown one by one */
	size_t			top;		/* rows of a table are shown */
};

/** requests_read - NULL after a message, as where there are no marks, unless @asked as part */
const struct requests *requests_read(const struct requests_asked *asked, char *const *dirs);
void requests_free(const struct requests *r);

/** requests_any - is any mark of a request in the trace? */
bool requests_any(const struct requests *r);

/** requests_rank - of @n, the one that @permille of all do not exceed: 0, 1, ... */
size_t requests_rank(size_t n, unsigned int permille);

/** requests_at - the request of this rank */
static inline const struct request *requests_at(const struct requests *r, size_t rank)
{
	return &r->request[r->by_duration[rank]];
}

static inline uint64_t request_duration(const struct request *r)
{
	return r->end - r->start;
}

/** requests_mean - of a band: nanoseconds of each request, from the sum of all */
double requests_mean(const struct requests *r, unsigned int band, unsigned __int128 ticks);

/** requests_fault_name - "nested", "unended": as in JSON; requests_fault_words - for people */
const char *requests_fault_name(enum request_fault fault);
const char *requests_fault_words(enum request_fault fault);

/** requests_lock_words - "pthread mutex NAME"; requests_holder_words - "task 12", "" if unknown */
const char *requests_lock_words(const struct requests *r, const struct request_wait *wait,
				char *buf, size_t len);
const char *requests_holder_words(const struct requests *r, const struct request_wait *wait,
				  bool one, char *buf, size_t len);

/** requests_text, requests_json, requests_tsv - to stdout */
void requests_text(const struct requests *r);
void requests_json(const struct requests *r);
void requests_tsv(const struct requests *r);

/** requests_page_section, requests_page_none - for another page; or that there is no answer */
void requests_page_section(FILE *f, const struct requests *r);
void requests_page_none(FILE *f);

#endif /* FT_WHY_REQUESTS_H */
