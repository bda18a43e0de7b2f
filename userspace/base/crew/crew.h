/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A few threads beside the one that reads a trace, and jobs for them. The giver of a job gets
 * it back: done, or not begun, and then it does the job itself. So it never waits for a job
 * that no thread has time for, and at most @workers threads and the giver are at work.
 *
 * A job is run by one thread, once for each crew_give(). Its input is written before
 * crew_give(), its output read after crew_finish() or crew_take_back(): the lock of the crew
 * orders both. A job takes no memory of base/mem.h from a scope, as a scope is of one thread,
 * and says nothing: its giver has a place for messages, which no other one has.
 */
#ifndef FT_BASE_CREW_H
#define FT_BASE_CREW_H

#include <stdbool.h>

enum crew_state {
	CREW_IDLE,	/* its giver's: not given yet, or got back */
	CREW_LATER,	/* behind another one */
	CREW_QUEUED,
	CREW_RUNNING,
	CREW_DONE,
};

/**
 * struct crew_job - part of what the job is about; zeroed except @run, it was not given
 * @run: @worker is the number of the thread; crew_workers() of the giver's
 */
struct crew_job {
	void			(*run)(struct crew_job *job, unsigned int worker);

	/* Private: under the crew's lock. */
	enum crew_state		state;
	struct crew_job		*prev, *next;	/* in the queue */
	struct crew_job		*before;	/* CREW_LATER: behind which */
	struct crew_job		*later;		/* is queued when this one is done */
};

struct crew;

/** crew_new - Return: NULL if not even one thread can be started, or @workers is 0 */
struct crew *crew_new(unsigned int workers);

/**
 * crew_free - waits for jobs that have begun; those not begun, and not taken back, never begin
 * @c: or NULL
 */
void crew_free(struct crew *c);

/** crew_workers - how many threads there are */
unsigned int crew_workers(const struct crew *c);

/** crew_give - a job that is idle */
void crew_give(struct crew *c, struct crew_job *job);

/** crew_give_behind - the same; it is run after @before, if that was given and is not done */
void crew_give_behind(struct crew *c, struct crew_job *job, struct crew_job *before);

/**
 * crew_take_back - get a job back, in whatever state it is; there is none behind it
 *
 * Return: false: it was given and is done; else it was not run.
 */
bool crew_take_back(struct crew *c, struct crew_job *job);

/** crew_finish - the same, and if it was given and did not run it is run here */
void crew_finish(struct crew *c, struct crew_job *job);

#endif /* FT_BASE_CREW_H */
