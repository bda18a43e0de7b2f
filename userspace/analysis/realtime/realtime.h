/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What real-time tasks did, what they waited for, and who ran instead: from the events of
 * the scheduler, of interrupts and of locks, in a pass of its own over the trace.
 *
 * All of it was observed in this trace. None of it is a bound.
 *
 * A real-time task is one with the policy FIFO, RR or DEADLINE, from the first record that
 * says so. A task that only inherited a priority is not one.
 *
 * An inversion. A real-time task waits for a lock; the task that must run so that it gets on,
 * the lock's holder or whoever that one waits for in turn, could run, but does not; and on
 * its CPU a task of lower priority than the waiter runs. Each CPU has a queue of its own, so
 * what runs elsewhere keeps nobody waiting. A holder that was just woken, or moved to that CPU,
 * and has a higher priority than the running task is no inversion: it runs as soon as the CPU
 * notices.
 * Tasks of DEADLINE are all equal, as deadlines are not recorded.
 *
 * Inheritance has shortened it if the holder has the waiter's priority, or a higher one,
 * when it runs again, its own is lower, and such locks inherit. These are counted separately. If
 * sched_pi_setprio is in the trace, who inherits, and since when, is known exactly; else it is
 * inferred from the priorities with which tasks come and go.
 *
 * What was going on where records were lost, or at the end of the trace, is counted as cut.
 */
#ifndef FT_ANALYSIS_REALTIME_H
#define FT_ANALYSIS_REALTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/filter.h"
#include "base/pairs.h"
#include "symbols/symbols.h"

struct names;

/** enum realtime_state - each moment of a task is in one of these, or is not known */
enum realtime_state {
	REALTIME_RUNNING,
	REALTIME_PREEMPTED,	/* could run, and did before, but another one does */
	REALTIME_LATENCY,	/* was woken, and waits for a CPU */
	REALTIME_BLOCKED,	/* waits for a lock: asleep, or spinning */
	REALTIME_ASLEEP,	/* anything else */
	REALTIME_INTERRUPTED,	/* has the CPU, but an interrupt or softirq runs */
	REALTIME_STATES
};

/* Kernel's numbers of policies, and the highest priority of the others. */
#define REALTIME_FIFO		1
#define REALTIME_RR		2
#define REALTIME_DEADLINE	6
#define REALTIME_FAIR		100

/**
 * struct realtime_task - what a task did while it was a real-time task
 * @prio:	its own, without inheritance, as the kernel counts
 * @ticks:	by state
 * @unknown:	ticks for which it was a real-time task, and its state is not known
 * @wakeups:	after which it waited for a CPU, and how long at most: ticks
 */
struct realtime_task {
	int32_t		tid;
	uint16_t	policy;
	int		prio;
	uint64_t	ticks[REALTIME_STATES];
	uint64_t	unknown;
	uint64_t	wakeups, latency_max;
};

/* Lengths in ticks. */
struct realtime_lengths {
	uint64_t	count, sum, max;
};

/*
 * The longest inversion. @runner: of lower priority; priorities as the kernel counts
 * @holder_lock: of a chain the last one's lock
 * @inherits: do all locks of the chain give the waiter's priority to their holder?
 */
struct realtime_inversion {
	uint64_t	when;
	int32_t		holder, runner;
	uint64_t	holder_site, holder_lock;
	bool		inherits;
	int		prio, holder_prio, runner_prio;
};

/**
 * struct realtime_wait - of one task for one lock at one call site
 * @key:	a is the lock, b the call site (0: not known), the tag the task, and whether
 *		it is a raw spinlock: realtime_wait_task()
 * @unheld:	of @blocked: waits for which no task is known that held the lock
 * @when, @holder, @holder_site: of the longest wait; @holder is 0 if it is not known
 * @inverted, @inherited: inversions without and with inheritance
 * @longest:	the longest of @inverted, or else of @inherited
 */
struct realtime_wait {
	struct pair		key;
	uint8_t			family;
	struct realtime_lengths	blocked;
	uint64_t		unheld;
	uint64_t		when;
	int32_t			holder;
	uint64_t		holder_site;
	struct realtime_lengths	inverted, inherited;
	struct realtime_inversion longest;
};

#define REALTIME_WAIT_RAW	(1u << 31)	/* in that tag; no task has such a number */

static inline int32_t realtime_wait_task(const struct realtime_wait *wait)
{
	return (int32_t)(wait->key.tag & ~REALTIME_WAIT_RAW);
}

/* How a CPU was kept by one task. */
enum realtime_kept { REALTIME_PREEMPT_OFF = LOCKS_FAMILIES, REALTIME_IRQ_OFF, REALTIME_KEPT };

/**
 * struct realtime_span - sections in which nobody is preempted
 * @seen:	there are events of it in the trace
 * @when, @site, @cpu: of the longest
 */
struct realtime_span {
	struct realtime_lengths	lengths;
	bool			seen;
	uint64_t		when, site;
	uint32_t		cpu;
};

/** struct realtime_seen - which events the trace has: what is missing, is not known */
struct realtime_seen {
	bool	switches, wakings, interrupts, waits, locks, inheritance;
	bool	rt;			/* the kernel has PREEMPT_RT */
};

/** struct realtime - the answer */
struct realtime {
	struct realtime_task	**task;		/* highest priority first */
	size_t			tasks;
	struct realtime_wait	**wait;		/* longest first */
	size_t			waits;
	struct realtime_wait	**inversion;	/* the same, those that have some */
	size_t			inversions;
	struct realtime_lengths	inverted, inherited;	/* of all of them */
	struct realtime_span	kept[REALTIME_KEPT];	/* see realtime_kept_name() */
	uint64_t		cut_waits, cut_inversions;
	uint64_t		refused;	/* tasks, waits, rows of waits beyond the bounds */
	struct realtime_seen	seen;
};

/**
 * realtime_read - read the whole trace
 * @dirs:	see trace_open()
 * @symbols, @names: for the filter, or NULL
 *
 * Return: NULL after a message; else the caller's to free.
 */
const struct realtime *realtime_read(char *const *dirs, const struct filter_options *o,
				     const struct symbols *symbols, const struct names *names);
void realtime_free(const struct realtime *r);

/** realtime_state_name - "running", "preempted", "latency", ... */
const char *realtime_state_name(enum realtime_state state);

/** realtime_policy - "FIFO", "RR", "DEADLINE" */
const char *realtime_policy(uint16_t policy);

/** realtime_kept_name - "spin", "preempt_off", "irq_off"; NULL: its holder can be preempted */
const char *realtime_kept_name(unsigned int kept);

/**
 * realtime_missing - what the trace does not show, and what follows from that
 *
 * Return: of each kind a line, "" if it is not missing; NULL: there are no more kinds.
 */
const char *realtime_missing(const struct realtime *r, unsigned int i);

#endif /* FT_ANALYSIS_REALTIME_H */
