/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Torture: rounds of the event "fire" (tests/modules/ft_fire.c) from every context,
 * in rings of all sizes, with readers of all kinds and much that disturbs them; after
 * each round the books must balance.
 *
 * All choices of a round come from the seed and the round's number, so that it can be
 * played again; what the machine makes of them differs from run to run.
 */
#ifndef FT_TORTURE_H
#define FT_TORTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <linux/feather_trace.h>

#include "../rng.h"
#include "books.h"

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

#define MAX_CPUS		64

#define CONTROL			"/dev/ft_trace"

/* --- a round -------------------------------------------------------------- */

enum disturbance {
	DISTURB_TOGGLE,		/* the event on and off, nested, by others */
	DISTURB_OTHERS,		/* other events on and off: locks, tracepoints */
	DISTURB_PAUSE,		/* rings closed and opened */
	DISTURB_OPEN,		/* second readers, questions, bad calls */
	DISTURB_RESIZE,		/* in vain, as there are readers */
	DISTURB_HOTPLUG,	/* CPU 1 off and on */
	DISTURB_MODULE,		/* a module with an event comes and goes */
	DISTURB_CONDITIONS,	/* conditions of the event come and go */
	DISTURB_SESSIONS,	/* so do sessions that trace it, too */
	DISTURB_MEMORY,		/* no memory for those who try all this */
	DISTURBERS,		/* from here on it is done to the reader */
	DISTURB_SIGNALS = DISTURBERS,
	DISTURB_STOP,		/* stopped, for seconds now and then */
	DISTURB_KILL,		/* a recorder, killed */
	DISTURB_FULL,		/* a recorder, whose disk is full */
	DISTURBANCES
};

/**
 * struct round - what is to be done
 * @rng:	where its chances come from
 * @slots:	size of the rings
 * @wake_us:	how often readers look
 * @fire_ms:	how long fire lasts
 * @recorder:	ft record reads; else readers of our own do, by all calls there are
 * @headroom:	rings keep the latest records, and so many slots free; 0: the first
 * @flags:	1 << enum disturbance
 */
struct round {
	struct rng	rng;
	uint32_t	slots;
	uint32_t	wake_us;
	unsigned int	fire_ms;
	bool		recorder;
	uint32_t	headroom;
	unsigned int	flags;
};

static inline bool round_has(const struct round *r, enum disturbance what)
{
	return r->flags & 1u << what;
}

/** round_is_exact - all losses are of fire, and rings are always open */
static inline bool round_is_exact(const struct round *r)
{
	return !round_has(r, DISTURB_OTHERS) && !round_has(r, DISTURB_PAUSE) &&
	       !round_has(r, DISTURB_MODULE) && !round_has(r, DISTURB_CONDITIONS);
}

/** struct torture - what is the same in all rounds */
struct torture {
	uint64_t	seed;
	const char	*ft;		/* the tool; NULL: no rounds with a recorder */
	const char	*module;	/* file of ft_example.ko, or NULL */
	const char	*work;		/* a directory for traces */
	uint32_t	fire;		/* id of the event */
	bool		hotplug, fail;	/* what this kernel can do */
	unsigned int	cpus;
};

/* --- those who take part -------------------------------------------------- */

/** reader_main - read a CPU to its end, by all calls; never returns */
void reader_main(const struct torture *t, const struct round *r, unsigned int cpu,
		 int ready, int result) __attribute__((noreturn));

/** recorder_round - with ft record; Return: whether all was well */
bool recorder_round(const struct torture *t, const struct round *r);

/** recorder_clean_up - what a round that ended early left behind */
void recorder_clean_up(const struct torture *t);

/** disturb_start - a process for each disturbance of the round */
void disturb_start(const struct torture *t, const struct round *r);

/** disturb_stop - and wait for them; Return: whether all were content */
bool disturb_stop(void);

/** fire - let it happen, for r->fire_ms */
void fire(const struct round *r);

/** fire_attempts - what it counted, by CPU */
void fire_attempts(uint64_t attempts[MAX_CPUS]);

/** check_books - prints them; Return: whether they balance */
bool check_books(const struct books *b, unsigned int cpu, uint64_t attempts, bool exact);

void sleep_us(unsigned int us);

#endif /* FT_TORTURE_H */
