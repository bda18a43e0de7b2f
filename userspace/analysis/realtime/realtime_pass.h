/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The parts of the pass of realtime.c share this. Nobody else includes it. */
#ifndef FT_ANALYSIS_REALTIME_PASS_H
#define FT_ANALYSIS_REALTIME_PASS_H

#include <sys/queue.h>

#include "analysis/realtime/realtime.h"
#include "analysis/threads.h"
#include "base/map.h"
#include "locks/locks.h"
#include "locks/waits.h"

#define REALTIME_MAX_TASKS	(256u << 10)
#define REALTIME_MAX_WAITS	(64u << 10)
#define REALTIME_MAX_WAITING	64	/* at a time: more are not looked at for inversions */

/*
 * An inversion that goes on. @since: when its last part began; 0: it pauses
 * @is_inherited: sched_pi_setprio said so of the holder meanwhile
 */
struct realtime_episode {
	struct realtime_inversion	what;
	uint64_t			since, ticks;
	bool				is_inherited;
};

/* Inversions of one kind that have ended, and the longest of them. */
struct realtime_ended {
	struct realtime_lengths		lengths;
	struct realtime_inversion	longest;
};

/*
 * What a task waits for that is a real-time task, or may be. @is_looked_at: for inversions.
 * @ended: without and with inheritance, in this wait
 * @over: contention_end said so, at @end, but not which acquisition followed; @ran: ticks that
 * the task was running since
 */
struct realtime_waiting {
	bool				now, is_looked_at, over;
	uint64_t			begin, lock, end, ran;
	uint8_t				family;
	struct realtime_episode		episode;	/* its holder is 0: none goes on */
	struct realtime_ended		ended[2];
};

/*
 * A task, real-time or not. @own: its priority of this policy, without inheritance
 * @told: by sched_pi_setprio, in which part of the trace; 0: never. @inherits: it said so, @when
 * @latest: time of the latest record of what it does: what comes late (threads_record()) is older;
 * @prio_at: of its policy and priority, which is also told by sched_pi_setprio
 * @is_coming: it was woken, and is in no queue yet; @has_moved: and has not run there yet
 */
struct task_seen {
	struct realtime_task		row;		/* @tid is that of all */
	bool				has_prio, has_policy, is_rt, was_rt, is_stop;
	bool				is_coming, has_moved;
	uint16_t			policy;
	int				prio, own;
	uint64_t			told, when, latest, prio_at;
	bool				inherits;
	uint64_t			since, total;	/* ticks as a real-time task */
	struct realtime_waiting		waiting;
	TAILQ_ENTRY(task_seen)		in_waiting;
};

TAILQ_HEAD(task_seen_list, task_seen);

/* Preemption or interrupts are off. @since: 0: they are on */
struct off_seen {
	uint64_t	since, site;
	int32_t		tid;
	uint8_t		ctx;
};

/* A CPU between two records. @tid: who runs; -1: not known */
struct cpu_seen {
	int32_t		tid;
	bool		interrupted;
	uint64_t	since;
	struct off_seen	off[2];			/* REALTIME_PREEMPT_OFF, _IRQ_OFF */
};

struct realtime_pass {
	struct realtime		answer;		/* first: it is freed with this */
	struct trace		trace;
	struct filter		filter;
	struct locks		*locks;
	struct waits		*waits;
	struct threads		threads;
	struct realtime_event	*events;	/* by id */
	struct map		tasks;		/* struct task_seen */
	struct cpu_seen		*cpus;		/* by stream */
	struct pairs		rows;		/* struct realtime_wait */
	struct task_seen_list	waiting, more;	/* those that are looked at; the others */
	unsigned int		n_waiting;	/* of the former */
	bool			has_wakeups;	/* sched_wakeup, so far */
	const struct names	*names;
	uint8_t			*refused;	/* tasks, a bit for each */
	uint8_t			interrupts;	/* FT_CTX_*: what is not the task's own */
	uint64_t		part;		/* between gaps, from 1 on */
	uint64_t		now;		/* the latest time of any CPU's record */
};

/* --- realtime_tasks.c: who there is, and what each does ---------------------------- */

extern const struct threads_told realtime_told;

/** realtime_task_get - NULL: it is the idle task, or one too much */
struct task_seen *realtime_task_get(struct realtime_pass *p, int32_t tid);

/** realtime_task_find - NULL: nothing was said of it */
struct task_seen *realtime_task_find(const struct realtime_pass *p, int32_t tid);

/** realtime_prio, realtime_policy_is - a record says so of a task */
void realtime_prio(struct task_seen *task, int prio);
void realtime_policy_is(struct realtime_pass *p, struct task_seen *task, uint16_t policy, int prio,
			uint64_t time);

/**
 * realtime_inherits - sched_pi_setprio: a task gets, or loses, the priority of who waits for it
 * @own: its priority without, which no other record tells; @prio: what it has now, unless a
 * later record has told that
 */
void realtime_inherits(struct realtime_pass *p, struct task_seen *task, int own, int prio,
		       uint64_t time);

/** realtime_is_told - is it known whether it inherits? Not if it began before a gap */
static inline bool realtime_is_told(const struct realtime_pass *p, const struct task_seen *task)
{
	return task->told == p->part;
}

/** realtime_no_policy - it is no real-time task now, whatever it was */
void realtime_no_policy(struct realtime_pass *p, struct task_seen *task, uint64_t time);

/** realtime_task_ends - its number may come again: @task is the caller's no more */
void realtime_task_ends(struct realtime_pass *p, struct task_seen *task, uint64_t time);

/** realtime_task_executes - a thread executes a program, and gets another number */
void realtime_task_executes(struct realtime_pass *p, int32_t old, int32_t tid, uint64_t time);

/** realtime_settle - up to @time, the CPU did what it did since its last record */
void realtime_settle(struct realtime_pass *p, struct cpu_seen *c, uint64_t time);

/** realtime_tasks_finish - the rows that the filter selects, in their order */
void realtime_tasks_finish(struct realtime_pass *p);

/* --- realtime_waits.c: what they wait for, and inversions ----------------------------- */

/** realtime_wait_told - of waits: one is complete */
void realtime_wait_told(void *arg, const struct wait *wait);

/** realtime_wait_begins, realtime_wait_ends - contention_begin was seen; @wait will end */
void realtime_wait_begins(struct realtime_pass *p, int32_t tid, uint64_t time);
void realtime_wait_ends(struct realtime_pass *p, int32_t tid, const struct wait *wait,
			uint64_t time);

/** realtime_wait_cut - its end will not be known, or the task is not a real-time one */
void realtime_wait_cut(struct realtime_pass *p, struct task_seen *task);

/** realtime_look - something has changed: who waits while a lower one runs? */
void realtime_look(struct realtime_pass *p, uint64_t time);

/** realtime_waits_gap - waits that do not go on were cut */
void realtime_waits_gap(struct realtime_pass *p);

/** realtime_waits_finish - the trace is over */
void realtime_waits_finish(struct realtime_pass *p);

/* --- realtime_kept.c: time in which nobody is preempted ----------------------------- */

/** realtime_section - of locks: one is complete */
void realtime_section(void *arg, const struct section *section);

/** realtime_kept_off, _on - @kept: REALTIME_PREEMPT_OFF, REALTIME_IRQ_OFF */
void realtime_kept_off(struct realtime_pass *p, struct cpu_seen *c, unsigned int kept,
		       uint64_t time, const struct ft_record *rec);
void realtime_kept_on(struct realtime_pass *p, struct cpu_seen *c, unsigned int kept,
		      uint64_t time, uint32_t cpu);

/** realtime_kept_idle - the idle task comes: preemption is off until it goes, which counts not */
void realtime_kept_idle(struct realtime_pass *p, struct cpu_seen *c, uint64_t time, uint32_t cpu);

static inline void realtime_add(struct realtime_lengths *l, uint64_t length)
{
	l->count++;
	if (__builtin_add_overflow(l->sum, length, &l->sum))
		l->sum = UINT64_MAX;
	if (length > l->max)
		l->max = length;
}

#endif /* FT_ANALYSIS_REALTIME_PASS_H */
