/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * From lock events to critical sections.
 *
 * A critical section lasts from the record of an acquisition to that of the
 * release of the same lock. Fed with records in the order of time, this pairs
 * them, and says for each section how many locks were held already.
 *
 * Spinning locks (spin, rwlock; raw_spin of PREEMPT_RT) belong to a CPU: whoever holds
 * one there is not preempted, only interrupted. A release belongs to the latest acquisition of
 * that lock on that CPU, so locks may be released in any order, and a rwlock may
 * be read twice.
 *
 * Sleeping locks belong to a task, which may change CPUs: a release belongs to the
 * latest acquisition of that lock by that task. But a semaphore may be released
 * by anybody: a task that did not acquire it releases its oldest acquisition. So may a
 * rwsem taken for reading; see sleeping.c.
 *
 * Locks of programs belong to a task, too, but to another world: what the kernel
 * does for a thread that holds one is not nested in it as locks are. So depths of the
 * kernel's locks and of programs' are counted separately, and missing records of
 * the one do not affect the other.
 *
 * Sections that belong together nest, as long as locks are released in the
 * reverse order of acquisition. Where they are not (hand over hand), tracks keep
 * them apart: sections of one CPU (spinning) or task (sleeping) that have the same
 * track always nest properly, and nearly all have track 0.
 *
 * What has only one end is counted, with the reason, and left out. At both ends
 * of a trace there may also be a time in which only acquisitions, or only
 * releases, of a family are traced, as events are turned on and off one by one.
 *
 * Memory: one object for each lock that is held, nothing for those that are
 * not, except for a note about each lock that was first seen at its release.
 */
#ifndef FT_LOCKS_LOCKS_H
#define FT_LOCKS_LOCKS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <linux/feather_trace.h>

#include "trace/families.h"
#include "trace/trace.h"

/* More are not held at once; older ones were released without a record. */
#define LOCKS_MAX_HELD	64
/* Nesting depths: from 0 to all that a CPU and its task can hold. */
#define LOCKS_DEPTHS	(2 * LOCKS_MAX_HELD + 1)
/* How many sections inside another are remembered until that one ends. */
#define LOCKS_INSIDE	128

/** enum locks_scope - where nesting is counted */
enum locks_scope {
	LOCKS_SPINNING,		/* spinning locks held on this CPU */
	LOCKS_SLEEPING,		/* the kernel's sleeping locks held by this task */
	LOCKS_BOTH,		/* both together */
	LOCKS_PROGRAM,		/* its program's locks held by this thread */
	LOCKS_SPIN,		/* of a spinlock: spinlocks alone held on this CPU */
	LOCKS_SCOPES
};

/** enum locks_cut - why a sequence is incomplete */
enum locks_cut {
	LOCKS_CUT_START,	/* by the beginning of the trace */
	LOCKS_CUT_END,		/* by its end */
	LOCKS_CUT_LOST,		/* records were lost in between */
	LOCKS_CUT_OTHER,	/* acquired again, or never acquired */
	LOCKS_CUTS
};

/* section.flags */
#define SECTION_INTERNAL	1	/* taken by a sleeping lock's own code */
#define SECTION_SKIP		2	/* the caller's: is not to be reported */
#define SECTION_RAISED		4	/* its record says that it began earlier */
#define SECTION_OVERDUE		8	/* nobody waits for its end any more */
#define SECTION_LATE		16	/* its end was found out later: no track */

/** struct section - a critical section; a cache line, where its memory is aligned */
struct section {
	uint64_t	start, end;	/* ticks; end is 0 while it is open */
	uint64_t	lock;
	uint64_t	site;		/* of the acquisition */
	int32_t		tid;		/* that acquired it */
	uint32_t	cpu;		/* where it was acquired */
	uint8_t		family;		/* enum ft_lock_family */
	uint8_t		ctx;		/* FT_CTX_* at the acquisition */
	uint8_t		flags;		/* SECTION_* */
	/*
	 * Locks that were held already; internal ones are not counted. What an
	 * internal one has here means nothing.
	 */
	uint8_t		depth[LOCKS_SCOPES];
	uint32_t	mark;		/* private: of the log when it began */
	uint32_t	ended;		/* private: sections that did so inside of it */
	/* private: tracks of those that were held before, but not so long */
	uint64_t	crossed;
};

_Static_assert(sizeof(struct section) == 64, "a cache line");
_Static_assert(LOCKS_DEPTHS - 1 <= UINT8_MAX, "the greatest depth");

/** section_track - which track it is on; when it has ended, and is not late */
static inline unsigned int section_track(const struct section *s)
{
	/* at most LOCKS_MAX_HELD - 1 were held before */
	return (unsigned int)__builtin_ctzll(~s->crossed);
}

/* Sections that ended inside others, the latest LOCKS_INSIDE: private. */
struct section_log {
	uint32_t	n;		/* all that were put in; it may wrap */
	struct section	*ring;		/* NULL: they are only counted */
};

static inline void section_log_put(struct section_log *log,
				   const struct section *s)
{
	if (log->ring)
		log->ring[log->n % LOCKS_INSIDE] = *s;
	log->n++;
}

/**
 * struct balance - records of one family on one CPU
 *
 * acquires = complete + the sum of no_release, releases = complete + the sum of
 * no_acquire: for spinning locks on each CPU; for sleeping locks in the sum over
 * all CPUs (@complete and @no_release count where the acquisition was).
 */
struct balance {
	uint64_t	acquires, releases;
	uint64_t	complete;
	uint64_t	no_release[LOCKS_CUTS];
	uint64_t	no_acquire[LOCKS_CUTS];
	/* private: of no_acquire, those after that many acquisitions anywhere */
	uint64_t	late[LOCKS_CUTS];
	uint64_t	late_at;
};

/* What was seen of a family on all CPUs: private. */
struct locks_seen {
	uint64_t	acquires;
	bool		released;	/* ever */
	bool		half;		/* releases were not traced yet, but done */
};

/* A release whose acquisition was not seen. */
static inline void balance_unmatched(struct balance *b,
				     const struct locks_seen *seen,
				     enum locks_cut cut)
{
	if (b->late_at != seen->acquires) {
		memset(b->late, 0, sizeof(b->late));
		b->late_at = seen->acquires;
	}
	b->late[cut]++;
	b->no_acquire[cut]++;
}

/**
 * locks_again - a lock was acquired that is held already: why is that so?
 *
 * If releases of its family were not seen yet, they were not traced yet.
 */
static inline enum locks_cut locks_again(struct locks_seen *seen)
{
	if (seen->released)
		return LOCKS_CUT_OTHER;
	seen->half = true;
	return LOCKS_CUT_START;
}

/** struct locks_held - how many were held before */
struct locks_held {
	unsigned int	spinning, sleeping, program;
};

/** section_begin - the section that the record of @s begins */
static inline void section_begin(struct section *section,
				 const struct stream *s, unsigned int family,
				 const struct locks_held *held)
{
	const struct ft_record *rec = s->rec;

	*section = (struct section){
		.start = s->ts,
		.lock = rec->a,
		.site = rec->b,
		.tid = rec->tid,
		.cpu = s->cpu,
		.family = (uint8_t)family,
		.ctx = rec->ctx,
		.flags = s->ts != rec->ts ? SECTION_RAISED : 0,
		.depth[LOCKS_PROGRAM] = (uint8_t)held->program,
	};
	if (locks_families[family].pthread)
		return;
	section->depth[LOCKS_SPINNING] = (uint8_t)held->spinning;
	section->depth[LOCKS_SLEEPING] = (uint8_t)held->sleeping;
	section->depth[LOCKS_BOTH] = (uint8_t)(held->spinning + held->sleeping);
}

/** section_depth - how many locks were held of those that it can be nested in */
static inline unsigned int section_depth(const struct section *s)
{
	return locks_families[s->family].pthread ? s->depth[LOCKS_PROGRAM] :
						   s->depth[LOCKS_BOTH];
}

/** section_is_late - its end was found out later, so it has no track */
static inline bool section_is_late(const struct section *s)
{
	return s->flags & SECTION_LATE;
}

/** section_level - in how many sections it lies, those of its program, too */
static inline unsigned int section_level(const struct section *s)
{
	return s->depth[LOCKS_PROGRAM] + s->depth[LOCKS_BOTH];
}

/**
 * section_task - what tells tasks apart, also those with the number 0: every CPU
 * has an idle task of its own
 */
static inline uint64_t section_task(int32_t tid, uint32_t cpu)
{
	return tid ? (uint32_t)tid : 1ull << 32 | cpu;
}

typedef void (*section_fn)(void *arg, const struct section *section);

/**
 * struct locks_watch - what else a user of the pairing wants to see
 * @internal:	tells spinlocks that are taken by the code of a sleeping lock; their
 *		sections are marked and not counted in depths
 * @begin:	a lock was acquired; @section->flags may be changed
 *
 * Each may be NULL.
 */
struct locks_watch {
	struct internal	*internal;
	void		(*begin)(void *arg, struct section *section);
};

struct locks;

/** locks_new - @each is called at the end of each complete section */
struct locks *locks_new(const struct trace *t, section_fn each, void *arg);
void locks_free(struct locks *l);

/** locks_watch - see more; before the first record */
void locks_watch(struct locks *l, const struct locks_watch *watch);

/** locks_feed - the item that @s has found, in the order of time */
void locks_feed(struct locks *l, const struct stream *s);

/**
 * locks_kinds - of events by the class of their stream and their id: 2 * family + 1 for
 * a release; or these
 */
const uint8_t (*locks_kinds(const struct locks *l))[FT_ID_MAX + 1];

/** locks_kernel_is_rt - was this a kernel with PREEMPT_RT? */
bool locks_kernel_is_rt(const struct metadata *m);

/** locks_is_rt - the same of the trace that is fed */
bool locks_is_rt(const struct locks *l);

/** locks_find_kinds - fill in that table: kinds by the names of the metadata's events */
void locks_find_kinds(uint8_t kind[METADATA_CLASSES][FT_ID_MAX + 1],
		      const struct metadata *m);

/** locks_record - as locks_feed() for a record of a lock, of this kind */
void locks_record(struct locks *l, const struct stream *s, unsigned int kind);

/**
 * locks_taken - does another CPU (spinning) or task (sleeping) hold the lock that @s
 * has acquired, so that this cannot be?
 */
bool locks_taken(struct locks *l, const struct stream *s, unsigned int family);

/** locks_overdue - its holders no longer count for locks_taken() */
void locks_overdue(struct locks *l, const struct stream *s, unsigned int family);

/** locks_taken_table - see taken.h */
struct taken *locks_taken_table(struct locks *l);

/** locks_in_gap - are records missing on this CPU at the moment? */
bool locks_in_gap(const struct locks *l, const struct stream *s);

/** locks_finish - the trace is over: what is held now is cut by its end */
void locks_finish(struct locks *l);

/** locks_balance - the books of stream @i of the trace, by family */
const struct balance *locks_balance(const struct locks *l, unsigned int i);

/**
 * locks_outer - what is held where @s is, latest first: from locks_watch.begin
 * @out:	spinning locks of the CPU that it was acquired on, then sleeping
 *		ones of its task; of a program's lock the program's; valid until
 *		the callback returns
 *
 * @s itself and internal locks are left out. Return: how many, at most @max.
 */
unsigned int locks_outer(const struct locks *l, const struct section *s,
			 const struct section **out, unsigned int max);

/**
 * locks_inside - what began inside the section @s, while that is being ended
 * @out:	of the latest, at most LOCKS_INSIDE + LOCKS_MAX_HELD: sections of the
 *		same CPU, for a sleeping lock those of the same task, for a
 *		program's those of its thread in the program and in the kernel;
 *		also of interrupts; those that go on have no end
 * @ended:	how many have ended inside it, also of those that are not remembered
 *		any more
 *
 * Return: how many @out has.
 */
unsigned int locks_inside(const struct locks *l, const struct section *s,
			  struct section *out, uint32_t *ended);

/**
 * locks_holder - who has held this lock longest at this moment, or NULL
 * @family: what is known of it: see locks_are_apart()
 */
const struct section *locks_holder(const struct locks *l, uint64_t lock, unsigned int family);

/** locks_sleeping_holder - the same of a lock that sleeps, at no cost for each CPU */
const struct section *locks_sleeping_holder(const struct locks *l, uint64_t lock);

/** locks_count_depth - a section of this family and these depths in a table of them */
static inline void locks_count_depth(uint64_t count[LOCKS_SCOPES][LOCKS_DEPTHS],
				     unsigned int family,
				     const uint8_t depth[LOCKS_SCOPES])
{
	enum locks_scope scope = locks_is_program(family) ? LOCKS_PROGRAM :
				 locks_is_spinning(family) ? LOCKS_SPINNING :
							     LOCKS_SLEEPING;

	count[scope][depth[scope]]++;
	if (locks_is_spinlock(family))
		count[LOCKS_SPIN][depth[LOCKS_SPIN]]++;
	if (scope != LOCKS_PROGRAM)
		count[LOCKS_BOTH][depth[LOCKS_BOTH]]++;
}

/** locks_shows_spin - is LOCKS_SPIN different from LOCKS_SPINNING? Without rwlocks it is not */
static inline bool locks_shows_spin(const uint64_t count[LOCKS_SCOPES][LOCKS_DEPTHS])
{
	return memcmp(count[LOCKS_SPIN], count[LOCKS_SPINNING],
		      LOCKS_DEPTHS * sizeof(count[0][0]));
}

#endif /* FT_LOCKS_LOCKS_H */
