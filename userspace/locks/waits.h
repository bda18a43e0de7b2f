/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Waiting for locks: from contention_begin(lock, flags) to contention_end(lock,
 * result) of the same task and context.
 *
 * A lock that spins before it sleeps emits contention_begin twice for the same wait. The
 * call site of a wait is that of the acquisition which follows; in programs,
 * contention_begin has it, too. Its holder is the task that held the lock at
 * contention_begin; of several readers, the one that held it longest.
 */
#ifndef FT_LOCKS_WAITS_H
#define FT_LOCKS_WAITS_H

#include <stdint.h>

#include "base/pairs.h"
#include "locks/locks.h"

/* Flags of contention_begin, as the kernel has them. */
#define WAIT_SPIN	1
#define WAIT_READ	2
#define WAIT_WRITE	4
#define WAIT_RT		8
#define WAIT_PERCPU	16
#define WAIT_MUTEX	32
#define WAIT_USER	128	/* of a program: the rest is its family */
#define WAIT_SITE	8	/* of a program: its call site from this bit on */

/* Bytes in which a lock has another one, for which its waiters wait meanwhile. */
#define WAIT_INSIDE_RT		64	/* of PREEMPT_RT */
#define WAIT_INSIDE_RWLOCK	8	/* the queue of those who wait */

#define WAIT_PAIRS	(64u << 10)

/** struct wait - a wait, complete or not */
struct wait {
	uint64_t	begin, end;	/* ticks; end is 0 while it goes on */
	uint64_t	lock;
	uint64_t	site;		/* of the acquisition; 0: not known */
	uint64_t	holder;		/* its call site; 0: not known */
	int32_t		tid;
	int32_t		holder_tid;	/* where @holder is known; its task, or the interrupted */
	uint32_t	cpu;		/* where it began */
	uint8_t		ctx;
	uint8_t		flags;
	uint8_t		family;		/* of the acquisition, else of flags */
	uint8_t		holder_family;
	uint8_t		holder_ctx;
	uint32_t	stack;		/* from waits_stack() */
};

/**
 * struct wait_pair - who waited for whom: key.a is the waiter's site, key.b the
 * holder's, the tag is as order_tag(waiter's family, holder's); a site that is
 * not known is 0, with the family of the other
 */
struct wait_pair {
	struct pair	key;
	uint64_t	count, sum, max;	/* ticks */
};

typedef void (*wait_fn)(void *arg, const struct wait *wait);

struct waits;

/** waits_new - @each is called for each complete wait, some time after its end */
struct waits *waits_new(const struct locks *locks, wait_fn each, void *arg);
void waits_free(struct waits *w);

/** waits_begin, waits_end - a record of contention_begin, of contention_end */
void waits_begin(struct waits *w, const struct stream *s);
void waits_end(struct waits *w, const struct stream *s);

/** waits_acquired - a section has begun: this may be what was waited for */
void waits_acquired(struct waits *w, const struct section *section);

/** waits_keep - waits_stack() will be asked; before the first record */
void waits_keep(struct waits *w);

/**
 * waits_stack - the record of @s is of the stack of a wait that is over
 *
 * Return: is there one that was not told yet? It has this number now.
 */
bool waits_stack(struct waits *w, const struct stream *s, uint32_t number);

/** waits_gap - a gap begins or ends on the CPU of @s; was it in one before? */
void waits_gap(struct waits *w, const struct stream *s, bool was_in_gap);

/** waits_ending - what the record of contention_end at @s will end, or NULL */
const struct wait *waits_ending(const struct waits *w, const struct stream *s);

/**
 * waits_open - the kernel's lock that a task waits for, outside of interrupts, or NULL
 * @cpu: where it is, if it is an idle task
 * @interrupts: FT_CTX_*: what is none of the task
 *
 * If the slow path of one lock takes another, it is the outer one. Valid until the next record.
 */
const struct wait *waits_open(const struct waits *w, int32_t tid, uint32_t cpu,
			      uint8_t interrupts);

/**
 * waits_open_since - the same, of the waits that began at @since or later
 * @runs: it has a CPU: if it spins for a lock in another lock's slow path, return that wait
 */
const struct wait *waits_open_since(const struct waits *w, int32_t tid, uint32_t cpu,
				    uint8_t interrupts, uint64_t since, bool runs);

/** waits_open_program - the lock of its program that a thread waits for since then, or NULL */
const struct wait *waits_open_program(const struct waits *w, int32_t tid, uint64_t since);

/** waits_open_in - the same lock, the inner one, of an interrupt in this context */
const struct wait *waits_open_in(const struct waits *w, int32_t tid, uint32_t cpu, uint8_t ctx,
				 uint64_t since);

/** waits_begun - the wait that the record of @s, a contention_begin, has begun or goes on with */
const struct wait *waits_begun(const struct waits *w, const struct stream *s);

/** waits_count_locks - waits_waited_for() will be asked; before the first record */
void waits_count_locks(struct waits *w);

/** waits_waited_for - does anybody wait for this lock? true: that may be */
bool waits_waited_for(const struct waits *w, uint64_t lock);

/** waits_for_task - does anybody wait for a lock that this task holds? true: that may be */
bool waits_for_task(const struct waits *w, int32_t tid);

/** waits_finish - the trace is over */
void waits_finish(struct waits *w);

/** waits_no_site - for people, where no site of a waiter or holder is known */
static inline const char *waits_no_site(unsigned int family)
{
	return family == LOCKS_COND ? "(a condition has no holder)" : "(not known)";
}

/** waits_cut - waits of which only one end was seen, and why */
uint64_t waits_cut(const struct waits *w, enum locks_cut cut);

#endif /* FT_LOCKS_WAITS_H */
