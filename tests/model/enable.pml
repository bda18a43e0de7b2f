/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Model of how events are turned on and off while their triggers run, and of how
 * the module goes: feather_lock_set() and feather_lock_remove() of the kernel patch,
 * ft_trace_get() and ft_trace_put() (module/trace.c), for Spin. Run by ./check.
 *
 * What is modelled
 *
 *   Writers, each on a CPU of its own. A trigger looks at its key; if that is on,
 *   the writer may be preempted for any time, then turns preemption off, calls what
 *   the static call leads to, and turns it on again. In the probe, which is the
 *   module's text, it reserves a slot, unless the ring is closed, and publishes it.
 *
 *   The owner: traces begin and end several times; then the probe is removed and the
 *   module's text is gone. Changing a key or a call is one step: text patching
 *   returns when all CPUs see the new instruction.
 *
 *   Waiting for all CPUs: for each of them, until preemption is on there.
 *
 *   A reader, which comes to the end of a trace when the trace has ended and there is
 *   nothing left in the ring, be it published or not. It must have seen all by then.
 *
 * What is not modelled
 *
 *   How a ring is closed (ring.pml). Events of other modules: their triggers are in
 *   text of their own, which goes when nobody runs there; it refers to this module's,
 *   which therefore stays.
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
#define TRACES	2
#endif

#define P_TEXT		1	/* nobody runs in text that is gone */
#define P_END		2	/* nothing comes after the end of a trace */
#define P_ALL		3	/* what was reserved is read, in its trace */

#ifdef ONLY
#define CHECK(p, e)	if :: (p == ONLY) -> assert(e) :: else fi
#else
#define CHECK(p, e)	assert(e)
#endif

#ifdef END_BEFORE_PUBLISHED
#define NOTHING_LEFT	(published == taken)
#else
#define NOTHING_LEFT	(reserved == taken)
#endif

#define TEXT		CHECK(P_TEXT, !gone)

bool key;		/* the triggers are on */
bool call;		/* they lead to the probe */
bool gone;		/* the module's text */
bool open;		/* the ring */
bool tracing;
bool off[WRITERS];	/* preemption is off */
bool awaited[WRITERS];
byte reserved;
byte published;
byte taken;		/* by the reader */
bool at_end;		/* the reader has come to the end of this trace */

proctype writer(byte n)
{
	byte events = 0;

	do
	:: events < EVENTS ->
		events++;
		if
		:: key ->
			off[n] = true;
			if
			:: call ->
				TEXT;
				if
				:: atomic { open ->
					TEXT;
					CHECK(P_END, !at_end);
					reserved++ }
					atomic { TEXT; published++ }
				:: !open -> TEXT
				fi;
				TEXT
			:: !call
			fi;
			atomic { off[n] = false; awaited[n] = false }
		:: !key
		fi
	:: events == EVENTS -> break
	od
}

inline wait_for_cpus()
{
	i = 0;
	do
	:: i < WRITERS ->
		awaited[i] = off[i];
		!awaited[i];
		i++
	:: else -> break
	od;
	i = 0
}

proctype owner()
{
	byte traces = 0, i;

	call = true;
	do
	:: traces < TRACES ->
		traces++;
		/* ft_trace_get(), then the event */
		atomic { tracing = true; at_end = false; reserved = 0; published = 0;
			taken = 0 }
		open = true;
		key = true;

		/* the event, then ft_trace_put() */
		key = false;
#ifndef NO_SYNC_AT_END
		wait_for_cpus();
#endif
#ifndef NO_CLOSE
		open = false;
#endif
		tracing = false;
		at_end	/* a trace that begins earlier forgets what is left */
	:: traces == TRACES -> break
	od;

	/* feather_lock_remove() */
#ifdef SYNC_FIRST
	wait_for_cpus();
	call = false;
#else
#ifndef NO_UPDATE
	call = false;
#endif
#ifndef NO_SYNC
	wait_for_cpus();
#endif
#endif
	gone = true
}

proctype reader()
{
end:	do
	:: published > taken -> taken++
	:: atomic { !tracing && !at_end && call && NOTHING_LEFT -> at_end = true;
		CHECK(P_ALL, reserved == taken) }
	od
}

init {
	byte n = 0;

	atomic {
		do
		:: n < WRITERS -> run writer(n); n++
		:: else -> break
		od;
		run owner();
		run reader()
	}
}
