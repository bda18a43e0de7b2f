/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The kinds of lock: families, their groups, their names, and their events. */
#ifndef FT_TRACE_FAMILIES_H
#define FT_TRACE_FAMILIES_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/feather_trace.h>

/*
 * The kernel's families; spinlock_t and rwlock_t on PREEMPT_RT, where they are
 * mutexes that belong to their task; and those of programs, in the order of their
 * ids. Locks of programs belong to their thread, spinning ones too: it may be
 * preempted.
 */
enum locks_tool_families {
	LOCKS_RT_SPIN = FT_LOCK_FAMILIES,
	LOCKS_RT_RWLOCK_READ,
	LOCKS_RT_RWLOCK_WRITE,
	LOCKS_USER,
	LOCKS_PTHREAD_MUTEX = LOCKS_USER,
	LOCKS_PTHREAD_READ,
	LOCKS_PTHREAD_WRITE,
	LOCKS_PTHREAD_SPIN,
	LOCKS_SEM,
	LOCKS_COND,
	LOCKS_FAMILIES
};

/** struct locks_family - a kind of lock; locks_families[] has them by number */
struct locks_family {
	const char	*name;		/* "rwlock_read": as in names of events */
	const char	*title;		/* "rwlock read": for people */
	bool		spinning;	/* belongs to a CPU, not to a task */
	bool		exclusive;	/* only one can hold it, and only once */
	bool		again;		/* a task may hold it several times */
	bool		anybody;	/* may be released by another task */
	bool		pthread;	/* of a program */
	bool		reader;		/* the next family has the same lock's writers */
};

extern const struct locks_family locks_families[LOCKS_FAMILIES];

/** enum locks_group - families that are summed up */
enum locks_group {
	GROUP_SPINNING,		/* of the kernel, each */
	GROUP_SLEEPING,
	GROUP_PROGRAM,
	LOCKS_GROUPS
};

/** locks_name - "spin", "rwlock_read", ... as in the names of events */
static inline const char *locks_name(unsigned int family)
{
	return locks_families[family].name;
}

static inline bool locks_is_exclusive(unsigned int family)
{
	return locks_families[family].exclusive;
}

/** locks_excludes - can a lock of family @a not be held together with @b? */
static inline bool locks_excludes(unsigned int a, unsigned int b)
{
	return a + locks_families[a].reader == b + locks_families[b].reader &&
	       (locks_families[a].exclusive || locks_families[b].exclusive);
}

static inline bool locks_is_spinning(unsigned int family)
{
	return locks_families[family].spinning;
}

/** locks_is_spinlock - a spinlock that a CPU holds; of a trace there is one such family */
static inline bool locks_is_spinlock(unsigned int family)
{
	return family == FT_LOCK_SPIN || family == FT_LOCK_RAW_SPIN;
}

/**
 * locks_are_apart - is a lock of family @a another one than a lock of family @b at the same
 * address? On PREEMPT_RT, sleeping locks have a raw spinlock inside of them, at offset 0.
 */
static inline bool locks_are_apart(unsigned int a, unsigned int b)
{
	return (a == FT_LOCK_RAW_SPIN) != (b == FT_LOCK_RAW_SPIN);
}

static inline bool locks_is_program(unsigned int family)
{
	return locks_families[family].pthread;
}

static inline enum locks_group locks_group(unsigned int family)
{
	return locks_is_program(family) ? GROUP_PROGRAM :
	       locks_is_spinning(family) ? GROUP_SPINNING : GROUP_SLEEPING;
}

/** locks_group_name, locks_group_title - for programs and for people */
const char *locks_group_name(enum locks_group group);
const char *locks_group_title(enum locks_group group);

/* What else an item of a trace may be than the event of a lock. */
#define LOCKS_KIND_OTHER	0xf0	/* another event */
#define LOCKS_KIND_WAIT_BEGIN	0xf1	/* contention_begin */
#define LOCKS_KIND_WAIT_END	0xf2	/* contention_end */
#define LOCKS_KIND_STACK	0xf3	/* stack: see trace/stacks.h */
#define LOCKS_KIND_GAP		0xfe	/* no record, but a gap or its end */
#define LOCKS_KIND_UNKNOWN	0xff	/* not in the metadata */

/**
 * locks_kind_of - what an event of this name is: 2 * family for an acquisition,
 * 2 * family + 1 for a release; or one of these
 */
uint8_t locks_kind_of(const char *event);

#endif /* FT_TRACE_FAMILIES_H */
