/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Model of how events are turned on and off while their triggers run, and of how
 * the module goes, for Spin. Run by ./check. A step is one access to memory that
 * others can see; the comment beside it names the function that it stands for.
 *
 * What is modelled
 *
 *   Writers, each on a CPU of its own, with a ring of its own. A trigger looks at its
 *   key; if that is on, the writer may be preempted for any time, then turns preemption
 *   off, calls what the static call leads to, and turns it on again. In the probe,
 *   which is the module's text, it looks at the ring's limit, reserves a slot and
 *   publishes it.
 *
 *   The owner: traces begin and end several times, with one attempt that fails; then
 *   the probe is removed and the module's text is gone. Changing a key or a call is one
 *   step: text patching returns when all CPUs see the new instruction.
 *
 *   Somebody else who pauses at any moment, and resumes.
 *
 *   Waiting for all CPUs: for each of them, until preemption is on there.
 *
 *   The reader of the first ring, as in ft_reader_records(). It looks whether the trace
 *   is over, then takes what is published; it knows nothing of slots that are reserved
 *   only. It comes to its end when the trace is over and there is nothing to take, or
 *   when another has begun, and opens the device again.
 *
 * What is not modelled
 *
 *   How a ring is closed (ring.pml). Other levels on a CPU: they finish before the
 *   writer that they interrupt goes on, so they are over when preemption is on. Events
 *   of other modules: their triggers are in text of their own, which goes when nobody
 *   runs there; it refers to this module's, which therefore stays.
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
#ifndef PAUSES
#define PAUSES	1
#endif

#define P_TEXT		1	/* nobody runs in text that is gone */
#define P_END		2	/* nothing is reserved after the end of a trace */
#define P_ALL		3	/* at the end, the reader has read all that was reserved */
#define P_CLEAR		4	/* nobody writes in a ring that is cleared */
#define P_KEPT		5	/* only a trace that begins ends the last one's reading */
#define P_OWN		6	/* who waits for a trace that runs belongs to none that ended */

#ifdef ONLY
#define CHECK(p, e)	if :: (p == ONLY) -> assert(e) :: else fi
#else
#define CHECK(p, e)	assert(e)
#endif

#define TEXT		CHECK(P_TEXT, !gone)

typedef cpu_t {
	bool open;		/* ft_ring.limit is not 0 */
	byte w;			/* ft_ring.w: slots reserved */
	byte published;
	byte r;			/* ft_ring.r: slots read */
	byte filled;		/* ft_cpu.trace */
	bool off;		/* preemption */
	bool awaited
};

cpu_t cpu[WRITERS];
bool table;		/* ft_trace_mutex: taken */
bool mutex;		/* ft_cpu.mutex of the first CPU: taken */
bool key;		/* the triggers are on */
bool call;		/* they lead to the probe */
bool gone;		/* the module's text */
byte users;		/* ft_session.events */
byte pauses;		/* ft_session.pauses */
bool tracing;		/* ft_session.trace.active */
byte number;		/* ft_session.trace.number */
bool ended;		/* ghost: and the rings were not cleared since */
byte done;		/* ghost: the last trace that ended */
byte vain;		/* ghost: the trace that began for an event that is not on */

inline lock(which)
{
	atomic { !which -> which = true }
}

inline unlock(which)
{
	which = false
}

proctype writer(byte n)
{
	byte events = 0;

	do
	:: events < EVENTS ->
		events++;
		if
		/* ft_event(): static_branch_unlikely(); feather_spin_lock() of the patch */
		:: key ->
			cpu[n].off = true;	/* preempt_disable_notrace() */
			if
			:: call ->		/* static_call() */
				TEXT;
				if
				:: atomic { cpu[n].open -> TEXT };
					/* ft_ring_reserve(): room; then its addition */
					atomic { TEXT; CHECK(P_END, !ended);
						cpu[n].w++ };
					/* ft_ring_commit() */
					atomic { TEXT; cpu[n].published++ }
				/* ft_ring_look_again(): closed */
				:: !cpu[n].open -> TEXT
				fi;
				TEXT
			:: !call		/* feather_probe_EVENT: nothing */
			fi;
			/* preempt_enable_notrace() */
			atomic { cpu[n].off = false; cpu[n].awaited = false }
		:: !key
		fi
	:: events == EVENTS -> break
	od
}

/* ft_trace_sync(); feather_synchronize() of the patch */
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

/* ft_rings_switch(): one after the other */
inline switch_rings(to)
{
	i = 0;
	do
	:: i < WRITERS -> cpu[i].open = to; i++	/* ft_ring_open(), ft_ring_close() */
	:: else -> break
	od;
	i = 0
}

/* ft_rings_reset(): ft_rings_reset_one() for each */
inline reset_rings()
{
	i = 0;
	do
	:: i < WRITERS ->
		if
		:: i == 0 -> lock(mutex)
		:: else
		fi;
		atomic {
			cpu[i].filled = number;
			CHECK(P_CLEAR, cpu[i].w == cpu[i].published);
			cpu[i].r = cpu[i].w	/* ft_ring_clear() */
		}
		if
		:: i == 0 -> unlock(mutex)
		:: else
		fi;
		i++
	:: else -> break
	od;
	i = 0;
	ended = false
}

/* ft_trace_get() */
inline get()
{
	users++;
#ifndef NUMBER_LATE
	number++;
#endif
	tracing = true;
#ifdef NUMBER_LATE
	number++;
#endif
	reset_rings();
	if
	:: pauses == 0 -> switch_rings(true)	/* ft_rings_open() */
	:: else
	fi
}

/* ft_rings_close() */
inline close_rings()
{
	if
#ifndef NO_CLOSE
	:: pauses == 0 -> switch_rings(false)
#endif
	:: else
	fi
}

/* ft_trace_put() */
inline put()
{
	users--;
#ifndef WAIT_FIRST
	close_rings();
#endif
#ifndef NO_SYNC_AT_END
	sync();
#endif
#ifdef WAIT_FIRST
	close_rings();
#endif
	atomic { tracing = false; ended = true; done = number }
}

/* ft_entry_get(). Where ft_source.set() fails, the triggers may have been on. */
inline enable(works)
{
#ifdef GET_FIRST
	vain = (works -> 0 : number + 1);
	get();
#endif
	key = true;
	if
	:: works ->
#ifndef GET_FIRST
		get()
#endif
	:: !works ->
		key = false;
#ifdef GET_FIRST
		put()
#endif
	fi
}

proctype owner()
{
	byte traces = 0, i;

	call = true;		/* feather_lock_set(): feather_lead() */
	do
	:: traces < TRACES ->
		traces++;
		lock(table);
		enable(true);
		unlock(table);

		lock(table);
		key = false;	/* ft_entry_put(): ft_source.set() */
		put();
		unlock(table)
	:: traces == TRACES -> break
	od;
	lock(table);
	enable(false);
	unlock(table);

	/* feather_lock_give_back() */
#ifdef SYNC_FIRST
	sync();
	call = false;
#else
#ifndef NO_UPDATE
	call = false;
#endif
#ifndef NO_SYNC
	sync();
#endif
#endif
	gone = true
}

/* ft_table_pause() of another descriptor */
proctype pauser()
{
	byte i, times = 0;

	do
	:: times < PAUSES ->
		times++;
		lock(table);	/* ft_trace_pause() */
		pauses++;
		if
		:: users > 0 -> switch_rings(false)
		:: else
		fi;
		unlock(table);

		lock(table);	/* ft_trace_resume() */
		pauses--;
		if
#ifndef RESUME_ALWAYS
		:: pauses == 0 && users > 0 -> switch_rings(true)
#else
		:: pauses == 0 -> switch_rings(true)
#endif
		:: else
		fi;
		unlock(table)
	:: times == PAUSES -> break
	od
}

/* With the first CPU's device open. It is closed before the module goes. */
proctype reader()
{
	byte mine = 0;	/* ft_reader.trace */
	bool over;
	byte before;	/* ghost: done, then */

end:	do
	:: call || number == 0 ->
		lock(mutex);
		if
		/* ft_reader_records(): another trace has begun */
		:: mine != 0 && mine != cpu[0].filled ->
			CHECK(P_KEPT, cpu[0].filled != vain);
			mine = 0
		:: else ->
			/* ft_reader_is_over() */
			atomic { over = !tracing; before = done };
			if
			:: atomic { cpu[0].published > cpu[0].r ->
				/* ft_packet_records(), ft_reader_consume() */
				cpu[0].r = cpu[0].published;
				mine = cpu[0].filled }
			:: atomic { cpu[0].published == cpu[0].r ->
				if
				:: over ->
					/* -ENODATA: the end of the file */
					CHECK(P_ALL, cpu[0].w == cpu[0].r);
					mine = 0
				/* there at its beginning, it waits for this one */
				:: !over && cpu[0].filled == number ->
					CHECK(P_OWN, number != before);
					mine = number
				:: else
				fi }
			fi
		fi;
		atomic { over = false; before = 0; unlock(mutex) }
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
		run pauser();
		run reader()
	}
}
