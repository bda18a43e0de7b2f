/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What threads and CPUs do, from the events of the scheduler, of interrupts and of system
 * calls, as far as they were recorded: each span is reported at its end.
 *
 * What is unknown is not reported: what was under way when recording began, until the first
 * event that shows it; and what a CPU did across a gap. From the beginning of a gap until the
 * first event after it that shows a thread, nothing is known of a thread that does not run,
 * as its wake-up may be what was lost.
 */
#ifndef FT_ANALYSIS_THREADS_H
#define FT_ANALYSIS_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/feather_trace.h>

#include "base/map.h"
#include "trace/metadata.h"

enum thread_state {
	THREAD_UNKNOWN,
	THREAD_RUNS,
	THREAD_PREEMPTED,	/* could run, but another one does */
	THREAD_READY,		/* was woken, and waits for a CPU */
	THREAD_ASLEEP,
};

/* @start, @end: ticks */
struct thread_span {
	uint64_t		start, end;
	int32_t			tid;
	uint32_t		cpu;		/* where it ran last */
	enum thread_state	state;
	const char		*label;		/* of THREAD_ASLEEP: "S", "D", ... */
	uint32_t		stack;		/* the same: the kernel's id of it; 0: not known */
};

/* An interrupt, or what ran in one: from EVENT_entry to EVENT_exit. */
struct interrupt_span {
	uint64_t		start, end;
	uint32_t		cpu;
	const struct event_type	*event;		/* EVENT_entry */
	uint64_t		a, b;		/* its words */
};

struct call_span {
	uint64_t		start, end;
	int32_t			tid;
	uint32_t		cpu;		/* where it began */
	int32_t			call;		/* the system call's number */
};

struct thread_wakeup {
	uint64_t		time;
	uint64_t		ready;		/* from when on: it was still about to sleep */
	uint32_t		cpu;
	bool			in_interrupt;	/* of that CPU, one that was recorded: */
	struct interrupt_span	interrupt;	/* its end is not known yet */
	int32_t			by;		/* else this task; 0: nobody that is known */
	int32_t			woken;
};

/* Callbacks. Any may be NULL. */
struct threads_told {
	void	(*thread)(void *arg, const struct thread_span *span);
	void	(*cpu)(void *arg, const struct thread_span *span);	/* with the idle task */
	void	(*interrupt)(void *arg, const struct interrupt_span *span);
	void	(*call)(void *arg, const struct call_span *span);
	void	(*wakeup)(void *arg, const struct thread_wakeup *wakeup);
};

struct threads {
	const struct metadata		*meta;
	const struct threads_told	*told;
	void				*arg;
	struct threads_event		*events;	/* by id */
	struct map			cpus, threads;
	uint64_t			gaps;		/* that have ended */
	unsigned int			in_gaps;	/* CPUs */
	bool				has_switches, has_wakings, has_wakeups;	/* so far */
	bool				tasks_do_softirqs;	/* PREEMPT_RT: set by the user */
};

/** threads_begin - @meta and @told must stay until threads_end() */
void threads_begin(struct threads *t, const struct metadata *meta,
		   const struct threads_told *told, void *arg);

/**
 * threads_record - the next record of a CPU
 * @time:	in ticks; those of a CPU come in this order
 *
 * A reader of records alone has those of all CPUs in this order. In that of locks/early.h some
 * come late, behind later ones of other CPUs: then what these said about a thread holds. Only
 * that it is ready does not, if a late one says that it ran when it was woken. What was told
 * before stays: then the thread slept until that waking, though it had run before.
 */
void threads_record(struct threads *t, uint64_t time, uint32_t cpu, const struct ft_record *rec);

/** threads_gap - records of this CPU were lost between @time and the next one */
void threads_gap(struct threads *t, uint64_t time, uint32_t cpu);

/**
 * threads_now - what this thread does since the last record; its end is not known yet
 *
 * Return: NULL: that is not known.
 */
const struct thread_span *threads_now(const struct threads *t, int32_t tid);

/**
 * threads_running - who runs on this CPU since the last record
 * @interrupted:	it does not get on, as an interrupt that was recorded does; or NULL. Not by
 *			a softirq that is the task's own (tasks_do_softirqs)
 *
 * Return: 0: the idle task; -1: that is not known.
 */
int32_t threads_running(const struct threads *t, uint32_t cpu, bool *interrupted);

/**
 * threads_queue - the CPU in whose queue this thread is, or which it has: where it ran last, or
 *		   was woken to, or moved to; UINT32_MAX: no record has told
 */
uint32_t threads_queue(const struct threads *t, int32_t tid);

/** threads_depth - how many interrupts are known to be on this CPU, in each other */
unsigned int threads_depth(const struct threads *t, uint32_t cpu);

/**
 * threads_interrupt - what interrupts the code that runs on this CPU, or NULL: nothing known
 * @base:	of nested interrupts, leave out these: the caller is in them
 * @softirq:	it is a softirq, in no other interrupt; or NULL
 *
 * The outermost interrupt, or else the outermost softirq that is not the task's own
 * (tasks_do_softirqs). Its end is not known yet. Valid until the next record.
 */
const struct interrupt_span *threads_interrupt(const struct threads *t, uint32_t cpu,
					       unsigned int base, bool *softirq);

/** threads_end - report what is under way at @time, the end of the trace; release memory */
void threads_end(struct threads *t, uint64_t time);

#endif /* FT_ANALYSIS_THREADS_H */
