/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The heaps of programs: what was allocated, by whom, how long it lived, who held it when
 * most was in use, and what was never freed.
 *
 *	events.c	records become events
 *	pass.c		events change blocks
 *	counts.c	what is counted of a block
 *	blocks.c	the blocks of a process
 *	mappings.c	and its mappings, of which parts may be unmapped
 *	rows.c		what is counted by call site, size, function, thread, process
 *	timeline.c	bytes and blocks over time: of all, and by call site and size
 *	parts.c		what is shown of them by call site
 *	text.c, data.c, page.c, charts.c, csv.c	what is shown
 *
 * The trace is read once. Memory is that of the blocks that are in use or were never freed.
 */
#ifndef FT_HEAP_HEAP_H
#define FT_HEAP_HEAP_H

#include "base/crew/jobs.h"
#include "base/distribution/histogram.h"
#include "base/map.h"
#include "heap/blocks.h"
#include "heap/events.h"
#include "heap/mappings.h"
#include "heap/rows.h"
#include "heap/timeline.h"
#include "symbols/options.h"
#include "symbols/symbols.h"
#include "symbols/tasks.h"
#include "trace/stacks.h"

/** struct heap_asked - what is to be read */
struct heap_asked {
	struct symbols_options	symbols;
	unsigned int		top;	/* rows of each table */
	struct jobs		jobs;
};

/** struct heap_process - a process, from its beginning or exec() to its end or the next exec() */
struct heap_process {
	struct heap_row		*row;
	uint32_t		pid;		/* 0: not known */
	struct heap_blocks	blocks;
	struct heap_mappings	mappings;
	bool			ended;		/* what it has is not live any more */
};

/** struct heap_thread - @back: what realloc() is about to give back */
struct heap_thread {
	struct heap_process	*process;
	struct heap_row		*row;
	struct heap_block	back;
	uint64_t		back_ts;
	uint64_t		latest;		/* address of its latest allocation, or 0 */
};

/** struct heap - the answer */
struct heap {
	struct trace		trace;
	struct crew		*crew;		/* decodes blocks ahead; or NULL */
	struct symbols		*symbols;
	struct names		*names;
	struct stacks		*stacks;	/* or NULL */

	struct heap_total	total;
	uint64_t		peak_ts;	/* when most bytes were in use */
	uint64_t		end_ts;		/* of the last record */
	struct histogram	lifetimes;	/* ticks, of blocks that were freed */
	struct heap_rows	rows[HEAP_TABLES];
	struct heap_timeline	*timeline;
	uint64_t		processes, ended;

	uint64_t		unknown;	/* releases of blocks of which nothing is known */
	uint64_t		replaced;	/* blocks whose release was not recorded */
	uint64_t		unsized;	/* allocations whose size was not recorded */
	unsigned int		top;		/* rows of a table are shown */

	/* Private. */
	struct map		site_at;	/* rows by address */
	struct map		process_at;	/* by tag */
	struct map		pid_at;		/* the latest of a number in its namespace */
	struct map		thread_at;	/* by tag and number */
	struct map		early;		/* addresses allocated before their release */
};

/**
 * heap_read - read a trace
 * @dirs:	as for trace_open()
 *
 * Return: NULL after a message.
 */
const struct heap *heap_read(const struct heap_asked *asked, char *const *dirs);
void heap_free(const struct heap *h);

/** heap_csv - write a line for each event to @f. Return: the exit status, after a message */
int heap_csv(const struct heap_asked *asked, char *const *dirs, FILE *f);

/**
 * Private: struct heap_done - what an event did
 * @block:	that it has begun or ended; @block.address is 0 if there is none
 * @unknown:	it releases a block of which nothing is known
 */
struct heap_done {
	struct heap_block	block;
	bool			unknown;
};

/* Private: pass.c for csv.c. */
struct heap *heap_open(const struct heap_asked *asked, char *const *dirs);
void heap_take(struct heap *h, const struct heap_event *event, struct heap_done *done);
void heap_finish(struct heap *h);

/** heap_ns - ticks in nanoseconds */
static inline uint64_t heap_ns(const struct heap *h, uint64_t ticks)
{
	return trace_ns(&h->trace, ticks);
}

/** heap_seconds - from the trace's first record to its last */
double heap_seconds(const struct heap *h);

/* Of a row, for people or programs. Return: @buf, which has SYMBOLS_LEN bytes */
const char *heap_row_name(const struct heap *h, enum heap_table table,
			  const struct heap_row *row, char *buf);

/** heap_row_path - the same of HEAP_STACKS, whole: "grow < push < main"; mem_free() it */
char *heap_row_path(const struct heap *h, const struct heap_row *row);

/** heap_row_functions - "malloc,calloc": which have allocated it */
const char *heap_row_functions(const struct heap_row *row, char *buf, size_t len);

/* Views: to stdout, or to the file @path. */
void heap_text(const struct heap *h);
void heap_tsv(const struct heap *h);
void heap_json(const struct heap *h);
int heap_page(const struct heap *h, const char *path);

#endif /* FT_HEAP_HEAP_H */
