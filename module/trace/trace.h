/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Sessions, and the trace of each: from the first enabling to the last disabling. */
#ifndef _FT_TRACE_H
#define _FT_TRACE_H

#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/uuid.h>

#include "clock.h"
#include "ring/rings.h"

/**
 * struct ft_trace - the current or the last trace
 * @number:	0 before the first
 * @active:	events are enabled; falls when the last record is in the rings
 * @uuid:	names it
 * @clock:	as it was at the start
 * @unstable:	the kernel had stopped trusting the clock when the trace ended
 * @restarted:	the clock restarted or stopped in a suspend, which ended the trace
 */
struct ft_trace {
	u32		number;
	bool		active;
	uuid_t		uuid;
	struct ft_clock	clock;
	bool		unstable;
	bool		restarted;
};

/**
 * struct ft_session - a trace with its own events, rings and readers
 * @serial:	of all sessions that there have been, from 1 on
 * @trace:	the current or the last one
 * @way:	how the probes of the current or the next trace read the clock
 * @events:	how many are on
 * @pauses:	how many keep the rings closed
 * @opened:	when the rings were last opened, in ticks
 * @ended:	no event is turned on any more
 * @rings:	of all CPUs
 */
struct ft_session {
	u32			serial;
	struct ft_trace		trace;
	enum ft_clock_way	way;
	unsigned int		events;
	unsigned int		pauses;
	u64			opened;
	bool			ended;
	struct ft_rings		rings;
};

extern struct ft_session ft_sessions[FT_SESSIONS];

/* Also of one that has not begun. */
static inline unsigned int ft_session_number(const struct ft_session *session)
{
	return session - ft_sessions;
}

/* The one of programs that ask for no other. */
#define FT_SESSION_DEFAULT	(&ft_sessions[0])

/* Guards sessions except their rings, all events and their wants. */
extern struct mutex ft_trace_mutex;

static inline struct ft_session *ft_session_of(const struct ft_cpu *c)
{
	return container_of(c->rings, struct ft_session, rings);
}

/**
 * ft_trace_init() - a session begins
 * @session:	one of ft_sessions[]
 * @config:	of its rings
 *
 * Return: 0 or the error of ft_rings_init().
 */
int ft_trace_init(struct ft_session *session, const struct ft_config *config);
void ft_trace_exit(struct ft_session *session);

/**
 * ft_trace_prepare() - an event will be switched on
 * @session:	in which
 * @ordered:	should it start a trace: acquisitions read the clock in order
 *
 * If it is the first, the clock is chosen and the rings have memory after this. The
 * last trace, its records and its readers are as before. The caller holds
 * ft_trace_mutex.
 *
 * Return: 0; -ENOMEM, when there is no memory for rings; -EOPNOTSUPP and -EINPROGRESS as
 * ft_clock_choose().
 */
int ft_trace_prepare(struct ft_session *session, bool ordered);

/**
 * ft_trace_sense() - a sensor begins
 * @way:	out: how it reads the clock, if no trace reads it for it
 *
 * Sensors and traces that run at a time have one clock. The caller holds ft_trace_mutex.
 * Return: 0; the errors of ft_clock_choose().
 */
int ft_trace_sense(enum ft_clock_way *way);
void ft_trace_unsense(void);

/**
 * ft_trace_get() - an event was switched on
 *
 * The first one starts a trace: empties the rings and opens them. Between traces
 * they are closed, so an event that is on before this records nothing. The caller
 * holds ft_trace_mutex.
 */
void ft_trace_get(struct ft_session *session);

/**
 * ft_trace_put() - an event was switched off
 *
 * The last one ends the trace: closes the rings, waits until all probes have
 * finished, then wakes the readers. A task that was preempted between its trigger
 * and the probe is not waited for. If it resumes in the next trace, it writes a
 * record there, whole and with the time of writing, as if it had been preempted in
 * that one. The caller holds ft_trace_mutex.
 *
 * To switch several off at once, pause first, so that no event goes on without its counterpart.
 */
void ft_trace_put(struct ft_session *session);

/**
 * ft_trace_pause() - let no record in until as many ft_trace_resume()
 *
 * Works with and without a trace. The caller holds ft_trace_mutex.
 */
void ft_trace_pause(struct ft_session *session);
void ft_trace_resume(struct ft_session *session);

/*
 * How a probe reads the clock that serves these sessions, a bit each: in order for all if
 * for one of them. The caller holds ft_trace_mutex.
 */
enum ft_clock_way ft_trace_way(u8 sessions);

/* FT_INFO_* of its trace. The caller holds ft_trace_mutex. */
u64 ft_trace_flags(const struct ft_session *session);

/* Needs no lock. */
static inline bool ft_trace_active(const struct ft_session *session)
{
	/* Pairs with the release in ft_trace_put(): all records are in. */
	return smp_load_acquire(&session->trace.active);
}

/**
 * ft_trace_sync() - wait until every probe that is running has finished
 *
 * Probes run with preemption disabled, but RCU need not be watching there (the
 * idle loop takes locks, too), so a grace period is not enough. And a real-time task
 * may keep a CPU for itself, so nothing that waits for its turn there will do.
 *
 * An interrupt looks at each CPU: one that has preemption on is in no probe and is
 * not asked again. The others are asked again, and if one always has it off, as one
 * that runs a virtual machine seems to, the stopper threads run everywhere.
 *
 * The caller holds ft_trace_mutex.
 */
void ft_trace_sync(void);

/**
 * ft_trace_switch() - every CPU switches to another task
 *
 * Also from the idle task, which RCU tasks does not wait for: whatever that was in the
 * middle of, it has left. May sleep; waits for no task's turn.
 */
void ft_trace_switch(void);

#endif /* _FT_TRACE_H */
