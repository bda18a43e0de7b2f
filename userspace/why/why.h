/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Why a lock was held so long, why a wait took so long: from the events of the scheduler, of
 * interrupts and of locks.
 *
 * A section lasts from its acquisition to its release, and is taken apart by what the task did
 * that acquired it. A wait lasts from the first contention_begin to its end, as locks/waits.h has
 * it. Each instant has one cause, the first of enum why_cause that is true. So the parts of a
 * section or a wait add up to its length, tick by tick.
 *
 * What was taken in an interrupt is taken apart by what that interrupt did: it runs, but while
 * another one is in it.
 *
 * The trace is read twice: once to sum up all sections and waits, and to find the longest; then
 * to take these apart in detail. Memory does not grow with it.
 */
#ifndef FT_WHY_WHY_H
#define FT_WHY_WHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "analysis/filter.h"
#include "analysis/threads.h"
#include "base/pairs.h"
#include "symbols/class_index.h"
#include "symbols/symbols.h"
#include "trace/trace.h"

struct names;
struct why_places;

/** enum why_cause - in this order; why_cause_name() has their names */
enum why_cause {
	WHY_INTERRUPT,		/* an interrupt had its CPU */
	WHY_SOFTIRQ,
	WHY_RUNNING,
	WHY_SPINNING,		/* the same, for a lock that another one has */
	WHY_PREEMPTED,		/* could run, and did before, but another task does */
	WHY_READY,		/* was woken, and waits for a CPU */
	WHY_WAITING,		/* asleep, for a lock */
	WHY_ASLEEP_D,		/* asleep in the state D: mostly for a device */
	WHY_ASLEEP,		/* in any other */
	WHY_UNKNOWN,
	WHY_CAUSES
};

/* What is taken apart. */
enum why_kind { WHY_HOLD, WHY_WAIT, WHY_KINDS };

/* The longest chain of waits that is followed. */
#define WHY_CHAIN	64
/* The most parts of one part, and of a whole; beyond that, those of a cause become one. */
#define WHY_PARTS	256
#define WHY_ALL_PARTS	8192
/* Rows of a summary, and what all of them tell apart. */
#define WHY_ROWS	(64u << 10)
#define WHY_DETAILS	(64u << 10)

/** enum why_holder - who holds the lock of WHY_SPINNING, WHY_WAITING */
enum why_holder {
	WHY_NOBODY,		/* that is known */
	WHY_TASK,		/* @who: and its parts are what it did meanwhile */
	WHY_IN_INTERRUPT,	/* one that interrupted @who */
	WHY_CYCLE,		/* @who, who is in the chain already: none of them makes progress */
	WHY_CUT,		/* @who, but the chain is longer than WHY_CHAIN */
};

/**
 * struct why_place - where a task went to sleep
 * @function:	its address, or any in it if it has no name; 0: not known
 * @io:		it waits for a device: io_schedule()
 */
struct why_place {
	uint64_t	function;
	bool		io;
};

/**
 * struct why_part - of a section, of a wait, or of another part
 * @ticks:	its length, which is that of its parts if it has any
 * @times:	how often it began
 * @who:	preempts, holds, has woken, or has the CPU that is waited for; 0: nobody known
 * @interrupt:	which; of WHY_ASLEEP: that has woken it; its event is NULL: none
 * @label:	of WHY_ASLEEP: its state, or NULL
 * @place:	the same
 * @others:	parts that are not told apart any more
 */
struct why_part {
	enum why_cause		cause;
	uint64_t		ticks, times;
	int32_t			who;
	bool			others;
	bool			pending;	/* private: who wakes it is not known yet */
	enum why_holder		holder;
	uint64_t		lock, site;	/* of the lock, and where @who acquired it */
	uint8_t			family;		/* of the lock */
	struct interrupt_span	interrupt;
	const char		*label;
	struct why_place	place;
	struct why_part		*part, *next, *up;
	unsigned int		parts;		/* private: of it; @all: of the whole */
	unsigned int		all;
	bool			listed;		/* private: in @in_pending */

	LIST_ENTRY(why_part)	in_pending;
};

/** struct why_item - a section or a wait that is taken apart */
struct why_item {
	enum why_kind		kind;
	uint64_t		start, end, lock;
	uint64_t		site;		/* of the acquisition; 0: not known */
	int32_t			tid;
	uint32_t		cpu;
	uint8_t			family, ctx;
	uint32_t		stack;		/* its number; 0: not known */
	uint64_t		ticks[WHY_CAUSES];	/* from the first reading */
	struct why_part		whole;			/* from the second one */

	/* Private: while it goes on. */
	bool			active, over, done;
	unsigned int		base;
	uint64_t		since;
	uint64_t		waits;		/* as why_waits_since() */
	struct why_part		*now;
	struct why_item		*same;		/* another one that starts then */
};

/* What a row sums up: a lock, a call site, a class of locks. */
enum why_by { WHY_BY_LOCK, WHY_BY_SITE, WHY_BY_CLASS };

/**
 * struct why_detail - a part of the sleep of a row: who ended it, or which lock it waited for
 * @key:	private; a is the row
 * @cause:	WHY_WAITING, WHY_ASLEEP_D or WHY_ASLEEP
 * @label:	the state, or NULL
 * @place:	of WHY_ASLEEP_D and WHY_ASLEEP
 * @who:	has woken; tasks of one name are one, and this is any of them; 0: nobody known
 * @interrupt:	that has woken; its event is NULL: none
 * @class:	of the lock, of WHY_WAITING
 * @next:	a shorter one
 */
struct why_detail {
	struct pair			key;
	enum why_cause			cause;
	unsigned __int128		ticks;
	const char			*label;
	struct why_place		place;
	int32_t				who;
	struct interrupt_span		interrupt;
	uint8_t				family;		/* of the lock */
	const struct class_entry	*class;
	struct why_detail		*next;
};

/** struct why_row - all sections, or all waits, of a lock, of a call site, of a class */
struct why_row {
	/* a: the lock, the site, the number of the class; the tag is the family */
	struct pair		key;
	uint64_t		count, max;
	unsigned __int128	sum, ticks[WHY_CAUSES];
	struct why_detail	*detail;	/* longest first; what is missing, is not known */
};

/* @memory.refused sections or waits are in no row but @all: there were too many rows. */
struct why_table {
	struct pairs		memory, details;
	struct why_row		**row;		/* longest sum first */
	size_t			rows;
	struct why_row		all;
};

/* Which events the trace has; without them the answer is less exact. */
struct why_seen {
	bool	locks, switches, wakings, interrupts, softirqs, waits, others;
};

struct why_asked {
	struct symbols_options	symbols;
	struct filter_options	filter;
	size_t			limit;		/* items of a kind */
	size_t			top;		/* rows of a summary */
	bool			holds, waits;	/* which are wanted */
	enum why_by		by;		/* summaries */
	/* For a report, which has shown the trace's faults: with its symbols. */
	bool			part;
	struct symbols		*given;
	struct trace_books	before;		/* of its reading */
};

/** struct why - the answer */
struct why {
	struct trace		trace;
	struct symbols		*symbols;	/* or NULL */
	struct names		*names;		/* or NULL */
	struct class_index	*classes;
	struct stacks		*stacks;	/* or NULL */
	struct why_places	*places;	/* or NULL: no place is known */
	struct metadata		first;		/* of the first reading: details point to it */
	struct why_seen		seen;
	struct why_item		*item[WHY_KINDS];	/* longest first */
	size_t			items[WHY_KINDS];
	struct why_table	table[WHY_KINDS];
	uint64_t		cut_sections, cut_waits;	/* only one end was seen */
	uint64_t		refused;	/* sections and waits: there were too many */

	/* How it was cut. */
	bool			holds, waits;	/* it has these */
	enum why_by		by;
	size_t			limit;		/* items of a kind */
	size_t			top;		/* rows of a summary are shown */
};

/**
 * why_read - NULL after a message, as where no events of the scheduler are in the trace; if it
 *	      is @asked as part, an answer without rows then: see why_has_events()
 */
const struct why *why_read(const struct why_asked *asked, char *const *dirs);
void why_free(const struct why *w);

/** why_has_events - of the scheduler and of locks, from which causes are known */
static inline bool why_has_events(const struct why *w)
{
	return w->seen.switches && (w->seen.locks || w->seen.waits);
}

/** why_details_rest - the time of this cause that has no details */
unsigned __int128 why_details_rest(const struct why_row *row, enum why_cause cause);

/**
 * why_task_kind - how much of a task's name says what it is
 *
 * Threads that the kernel has for each CPU, or many of, are one: "kworker/0:1", "kworker/1:2".
 * Those of interrupts are not: "irq/24-nvme0q1", "irq/30-eth0".
 */
int why_task_kind(const char *name);

/** why_cause_name - "interrupt", "running", ...: as in JSON */
const char *why_cause_name(enum why_cause cause);

/** why_kind_name - "held", "waited" */
const char *why_kind_name(enum why_kind kind);

#endif /* FT_WHY_WHY_H */
