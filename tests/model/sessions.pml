/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Model of an event that comes into a second session, and leaves it, while it fires, for
 * Spin. Run by ./check. A step is one access to memory that others can see; the comment
 * beside it names the function that it stands for.
 *
 * What is modelled
 *
 *   Writers, each on a CPU of its own. Their event is on in session A for good, so its
 *   key is on. A trigger calls what the static call leads to; then the task may be
 *   preempted for any time, before the probe turns preemption off. Then it is on its way
 *   in the copy of the probe that it was called for, whatever the static call leads to
 *   by then.
 *
 *   The owner of session B, which turns the event on there as a set (FT_IOC_START), and
 *   off; then B ends. Session C gets its number, and so its rings, and traces something
 *   else: the event is off there.
 *
 *   Waiting for all CPUs: for each of them, until preemption is on there. A grace period
 *   of RCU tasks: until each task has left what it was on its way to.
 *
 * What is not modelled
 *
 *   The rings themselves (ring.pml), what A does (enable.pml), readers.
 *
 * Properties: numbered P_*; -DONLY=n asserts only one of them.
 */

#ifndef WRITERS
#define WRITERS	2
#endif
#ifndef EVENTS
#define EVENTS	2	/* of each writer */
#endif
#ifndef TRACES
#define TRACES	2	/* of B */
#endif

#define P_WHOLE		1	/* A has a record of each event, and one only */
#define P_BOTH		2	/* so has B of each that begins and ends while it is on */
#define P_END		3	/* nothing is reserved after the end of B's trace */
#define P_STRANGER	4	/* nor in C, where the event is off */

#ifdef ONLY
#define CHECK(p, e)	if :: (p == ONLY) -> assert(e) :: else fi
#else
#define CHECK(p, e)	assert(e)
#endif

/* Where the static call leads. */
mtype = { nowhere, alone, pair, each };

typedef cpu_t {
	bool open[2];		/* ft_ring.limit is not 0, of A; of B or C */
	byte entered;		/* the task is on its way into a probe */
	bool off;		/* preemption */
	bool awaited
};

cpu_t cpu[WRITERS];
mtype call = alone;	/* ft_event.call */
byte mask = 1;		/* ft_probe_sessions[id]: A, B */
bool over;		/* ghost: B's trace has ended */
bool stranger;		/* ghost: the rings are C's */
byte epoch;		/* ghost: odd while B records on all CPUs */

/* ft_ring_reserve() or ft_ring_next(), to ft_ring_commit(); the ring was open */
inline record(which)
{
	atomic {
		if
		:: which == 1 ->
			CHECK(P_END, !over || stranger);
			CHECK(P_STRANGER, !stranger)
		:: else
		fi;
		written[which]++
	}
}

/* ft_probe_write() */
inline write_one(which)
{
	if
	:: cpu[n].open[which] -> record(which)
	:: !cpu[n].open[which]
	fi
}

/* ft_probe_write_each() */
inline write_each(sessions)
{
	asked = sessions;
	if
	:: asked & 1 -> write_one(0)
	:: else
	fi;
	if
	:: asked & 2 -> write_one(1)
	:: else
	fi
}

/* ft_probe_write_two(), ft_probe_write_set() */
inline write_two()
{
	if
	:: !cpu[n].open[0] -> write_each(3)	/* ft_probe_apart_tsc() */
	:: cpu[n].open[0] ->
		if
		:: !cpu[n].open[1] -> write_each(3)
		:: cpu[n].open[1] -> record(0); record(1)
		fi
	fi
}

proctype writer(byte n)
{
	byte events = 0, asked, since, written[2];
	mtype to;

	do
	:: events < EVENTS ->
		events++;
		/* ft_event(): static_call(); or a trigger of the kernel patch, where preemption
		   may be off by then */
		atomic { to = call; since = epoch; cpu[n].entered = 1;
			if :: cpu[n].off = true :: cpu[n].off = false fi };
		cpu[n].off = true;		/* preempt_disable_notrace() */
		if
		:: to == alone -> write_one(0)	/* ft_probe_record_0_tsc() */
		:: to == pair -> write_two()	/* ft_probe_set_03_tsc() */
		:: to == each -> write_each(mask)	/* ft_probe_each_mono() */
		:: to == nowhere
		fi;
		atomic {
			CHECK(P_WHOLE, written[0] == 1);
			CHECK(P_BOTH, written[1] == 1 || since != epoch ||
			      !(since & 1));
			written[0] = 0; written[1] = 0; asked = 0; since = 0;
			to = nowhere;
			/* preempt_enable_notrace() */
			cpu[n].off = false; cpu[n].awaited = false;
			cpu[n].entered = 0
		}
	:: events == EVENTS -> break
	od
}

/* ft_trace_sync() */
inline sync()
{
	i = 0;
	do
	:: i < WRITERS ->
		cpu[i].awaited = cpu[i].off;	/* ft_trace_look() */
		!cpu[i].awaited;
		i++
	:: else -> break
	od;
	i = 0
}

/* ft_grace_begin(), ft_grace_wait() */
inline grace_period()
{
	i = 0;
	do
	:: i < WRITERS ->
		atomic {
			if
			:: cpu[i].entered -> cpu[i].entered = 2
			:: else
			fi
		}
		cpu[i].entered != 2;
		i++
	:: else -> break
	od;
	i = 0
}

/* ft_rings_switch() of a session */
inline switch_rings(which, to)
{
	i = 0;
	do
	:: i < WRITERS -> cpu[i].open[which] = to; i++
	:: else -> break
	od;
	i = 0
}

/* ft_event_set() */
inline lead(to)
{
#ifdef NOT_AT_ONCE
	call = nowhere;
#endif
	call = to
}

proctype owner()
{
	byte traces = 0, i;

	do
	:: traces < TRACES ->
		traces++;
#ifdef PAUSE_ALL
		switch_rings(0, false);
#endif
		/* ft_table_want_all(): ft_entry_set() */
#ifndef MASK_LATE
		mask = 3;			/* ft_probe_announce() */
#endif
#ifdef MONO
		lead(each);
#else
		lead(pair);
#endif
#ifdef PAUSE_ALL
		switch_rings(0, true);
#endif
		/* ft_trace_get() */
		over = false;
		switch_rings(1, true);
		epoch++;
#ifdef MASK_LATE
		mask = 3;
#endif

		/* ft_table_stop(): ft_entry_put() */
		epoch++;
		mask = 1;
		lead(alone);
		/* ft_trace_put() */
#ifdef WAIT_FIRST
		sync();
#endif
		switch_rings(1, false);
#ifndef WAIT_FIRST
		sync();
#endif
		over = true
	:: traces == TRACES -> break
	od;

	/* ft_session_put(); ft_session_new() of another program waits */
#ifndef NO_GRACE
	grace_period();
#endif
	atomic { stranger = true };
	switch_rings(1, true)
}

init {
	byte n = 0;

	atomic {
		do
		:: n < WRITERS -> cpu[n].open[0] = true; run writer(n); n++
		:: else -> break
		od;
		run owner()
	}
}
