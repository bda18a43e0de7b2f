/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The objects of sleeping.c: what is held, by whom; made, found and given up
 * in held.c. Nobody else includes this.
 */
#ifndef FT_LOCKS_HELD_H
#define FT_LOCKS_HELD_H

#include <sys/queue.h>

#include "base/arena.h"
#include "locks/sleeping.h"
#include "locks/taken.h"

/* Strays kept for a lock; what comes more stays counted as unmatched. */
#define MAX_STRAYS	8
/* Tasks that hold nothing are forgotten when there are this many of them. */
#define MAX_IDLE	(64u << 10)
/* For this many tasks that hold locks, what is inside is remembered. */
#define MAX_LOGS	(4u << 10)
#define MAX_SPARE	32

/* A lock that is held. */
struct held {
	struct section		section;
	bool			doubtful;	/* a semaphore that may have been released */
	struct balance		*books;		/* of where it was acquired */
	struct task		*task;
	struct sleeper		*lock;		/* NULL: in doubt, on no list of a lock */
	TAILQ_ENTRY(held)	in_task, in_lock;	/* oldest first */
};

TAILQ_HEAD(held_list, held);

struct task {
	uint64_t		key;
	unsigned int		n;	/* of @held */
	unsigned int		sure[2];	/* of these not in doubt: the kernel's, programs' */
	struct held_list	held;
	struct section_log	log;	/* of what ended while it held some */
	TAILQ_ENTRY(task)	busy;	/* of those that hold some */
};

TAILQ_HEAD(task_list, task);

struct sleeper {
	uint64_t		addr;
	struct held_list	held;
	struct sleeper		*next;	/* of those that are not in use */
};

/* What a CPU ran last: most of its records are of the same task. */
struct running {
	uint64_t		key;
	struct task		*task;	/* NULL: not known */
};

/* Releases by readers who did not hold the lock, oldest first. */
struct strays {
	unsigned int		n;
	uint64_t		ts[MAX_STRAYS];
	uint64_t		*counter[MAX_STRAYS];	/* of no_acquire */
};

struct sleep {
	section_fn		each;
	void			(*begin)(void *arg, struct section *section);
	void			*arg;
	unsigned int		n_cpus;
	struct running		*running;	/* by stream */
	struct running		*now;		/* of these: of the record at hand */
	struct task_list	busy;
	struct held_list	free_held;	/* by in_task */
	struct sleeper		*free_locks;
	unsigned int		n_logs;
	struct section		*spare[MAX_SPARE];	/* logs that are not in use */
	unsigned int		n_spare;
	unsigned int		n_doubts;	/* that no depth counts */
	size_t			max_tasks;	/* before idle ones are forgotten */
	bool			lost[2];	/* records, before now: the kernel's, */
	unsigned int		gaps[2];	/* programs'; streams that are in one */
	struct map		tasks, locks;
	struct arena		task_memory;
	struct map		strays;		/* by lock */
	struct map		released[LOCKS_FAMILIES];
	struct locks_seen	*seen;
	struct taken		*taken;
};

/** sleep_task - whose record this is, if it was seen to take a lock */
struct task *sleep_task(struct sleep *sl, const struct stream *s);

/** sleep_task_get - the same, made if it was not there */
struct task *sleep_task_get(struct sleep *sl, const struct stream *s);

/** sleep_lock_get - a lock that is held, or will be at once */
struct sleeper *sleep_lock_get(struct sleep *sl, uint64_t addr);

/** sleep_held_new - on no list yet */
struct held *sleep_held_new(struct sleep *sl);

/** sleep_held_doubt - a semaphore: held no more, unless its own task releases it */
void sleep_held_doubt(struct sleep *sl, struct held *h);

/** sleep_held_free - off its lists, and the lock away if its list is empty */
void sleep_held_free(struct sleep *sl, struct held *h);

/** sleep_task_log - remember a section that ended while @task held a lock */
void sleep_task_log(struct sleep *sl, struct task *task,
		    const struct section *s);

/** sleep_free_unused - what was kept to be used again */
void sleep_free_unused(struct sleep *sl);

#endif /* FT_LOCKS_HELD_H */
