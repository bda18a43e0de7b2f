/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Model of a condition that closes the rings from a probe (FT_WHEN_STOP), for Spin. Run by
 * ./check. A step is one access to memory that others can see; the comment beside it names
 * the function that it stands for.
 *
 * What is modelled
 *
 *   A condition that is fulfilled in a probe of CPU 0, in any context: it waits for nobody.
 *   On each CPU somebody releases records of the ring meanwhile, the trimmer or a reader,
 *   and so moves its limit; somebody ends a pause, which opens the rings. Then the trace
 *   ends, and the next one begins: no trimmer runs any more, but a reader (-DREADS) may be
 *   anywhere.
 *
 *   Memory order: a store may be delayed past later accesses of the same CPU to other
 *   places. So the stores that matter go through a buffer of one place, which is emptied at
 *   any time, and smp_mb() waits for that. Without these barriers each side can miss the
 *   other's store.
 *
 * What is not modelled
 *
 *   Writers and slots (ring.pml, flight.pml): a ring is its limit, 0 or not.
 *
 * Properties: numbered P_*; -DONLY=n asserts only one of them.
 */

#define CPUS	2

#define P_CLOSED	1	/* a stopped trace has closed rings when nobody is under way */
#define P_KEPT		2	/* no trimming begins after the stop */
#define P_NEXT		3	/* the next trace is not stopped by what was fulfilled in the last */
#define P_ENDED		4	/* a trace that has ended has closed rings */
#define P_READ		5	/* a reader of the last trace releases nothing of the next */

#ifdef ONLY
#define CHECK(p, e)	if :: (p == ONLY) -> assert(e) :: else fi
#else
#define CHECK(p, e)	assert(e)
#endif

typedef ring_t {
	bool open;
	bool limit;		/* whether it is not 0 */
	bool buffered;		/* a store to limit by who releases is on its way: */
	bool value
};

ring_t ring[CPUS];
bool stopped;			/* &ft_rings.stopped */
bool stop_buffered;		/* the store to it is on its way */
bool mutex;			/* &ft_cpu.mutex of all rings */
bool in_probe;
byte number = 1;			/* &ft_trace.number */
byte ring_trace = 1;		/* &ft_cpu.trace of the ring that is read */
byte releasing;			/* trimmers that are not done */
bool pausing = true;

bool told;			/* ghost: ft_rings_stop() is past its barrier */
bool is_over;			/* ghost: ... and has returned */

/* Stores that are on their way arrive. */
proctype memory()
{
	byte n;

	do
	:: atomic { stop_buffered -> stop_buffered = false; stopped = true }
	:: atomic { ring[0].buffered -> ring[0].buffered = false; ring[0].limit = ring[0].value }
	:: atomic { ring[1].buffered -> ring[1].buffered = false; ring[1].limit = ring[1].value }
	:: atomic { number == 3 -> break }
	od
}

/* ft_ring_close(): two stores; the second one is not overtaken by the first */
inline close(n)
{
	ring[n].open = false;
	ring[n].limit = false
}

proctype probe()
{
	byte i;

	/* ft_watch_probe_record(): preempt_disable_notrace() */
	in_probe = true;
	if
	/* ft_condition_is_live() */
	:: atomic { ring[0].limit && number == 1 -> skip }
		/* ft_rings_stop() */
		stop_buffered = true;
#ifndef NO_BARRIER_IN_STOP
		/* smp_mb() */
		atomic { !stop_buffered -> told = true }
#else
		told = true;
#endif
		do
		:: i < CPUS -> close(i); i++
		:: else -> break
		od;
		i = 0;
		is_over = true
	:: else
	fi;
	/* preempt_enable_notrace() */
	in_probe = false
}

/* ft_rings_opened() */
inline opened(n)
{
#ifndef NO_BARRIER_IN_OPENED
	/* smp_mb() */
	!ring[n].buffered;
#endif
#ifndef NO_LOOK_AGAIN
	if
	/* after this CPU's own store to the same place */
	:: stopped -> !ring[n].buffered; close(n)
	:: else
	fi
#endif
}

/* ft_ring_release(): the look at open and the store are two */
inline release(n)
{
	is_open = ring[n].open;
	if
	:: is_open -> atomic { !ring[n].buffered -> ring[n].buffered = true; ring[n].value = true }
	:: else
	fi
}

/* ft_flight_trim() */
proctype trimmer(byte n)
{
	byte ticks;
	bool is_open, look;

	do
	:: ticks < 2 ->
		ticks++;
		atomic {
			look = !stopped;
#ifdef TRIMS_ALWAYS
			look = true;
#endif
				if :: look -> CHECK(P_KEPT, !told) :: else fi
		}
		if
		:: look -> release(n); opened(n)
		:: else
		fi;
		atomic { is_open = false; look = false }
	:: else -> break
	od;
	releasing--
}

/* ft_reader_fill(): it takes what a stopped ring has, too */
proctype reader(byte n)
{
	bool is_open;
	byte rounds, mine;

	do
	:: rounds < 2 ->
		rounds++;
		/* ft_reader_records() */
		atomic { !mutex -> mutex = true }
		if
		:: mine && mine != ring_trace -> mutex = false; break
		:: else -> mine = ring_trace
		fi;
		mutex = false;
		/* ft_packet_copy() */
		atomic { !mutex -> mutex = true }
#ifndef TRACE_NOT_ASKED
		if
		:: mine != ring_trace -> mutex = false; break
		:: else
		fi;
#endif
		/* ft_reader_consume() */
		CHECK(P_READ, mine == ring_trace);
		release(n);
		opened(n);
		mutex = false
	:: else -> break
	od
}

/* ft_trace_pause(), ft_trace_resume(): ft_rings_switch() */
proctype pause()
{
	bool is_open;

	atomic { !mutex -> mutex = true }
	close(0);
	close(1);
	if
	:: stopped
	:: !stopped -> ring[0].open = true; release(0); opened(0)
	fi;
	if
	:: stopped
	:: !stopped -> ring[1].open = true; release(1); opened(1)
	fi;
	mutex = false;
	pausing = false
}

/* ft_trace_put(), then ft_trace_get() */
proctype owner()
{
	bool is_open;

	atomic { releasing == 0 && !pausing && !mutex && !stop_buffered && !ring[0].buffered &&
		 !ring[1].buffered && (is_over || !in_probe) -> mutex = true }
	CHECK(P_CLOSED, !is_over || (!ring[0].limit && !ring[1].limit));
	/* ft_trace_close_rings() */
#ifdef CLOSE_UNLOCKED
	mutex = false;
#endif
	close(0);
	close(1);
#ifndef CLOSE_UNLOCKED
	mutex = false;
#endif
#ifndef NO_SYNC
	/* ft_trace_sync() */
	!in_probe;
#endif
	CHECK(P_ENDED, !ring[0].limit && !ring[1].limit && !ring[1].buffered);
	/* ft_rings_reset() */
	atomic { number = 2; stopped = false; told = false; is_over = false }
	/* ft_rings_reset_one() */
	atomic { !mutex -> mutex = true }
	ring_trace = 2;
	mutex = false;
	/* ft_rings_open() */
	atomic { !mutex -> mutex = true }
	ring[0].open = true;
	release(0);
	opened(0);
	mutex = false;
	/* everybody has left */
	atomic { !in_probe && !stop_buffered && !ring[0].buffered -> CHECK(P_NEXT, ring[0].limit) };
	number = 3
}

init
{
	atomic {
		ring[0].open = true; ring[0].limit = true;
		ring[1].open = true; ring[1].limit = true;
		run memory();
		run probe();
		releasing = 1;
		run trimmer(0);
#ifdef READS
		run reader(1);
#else
		releasing = 2;
		run trimmer(1);
#endif
		run pause();
		run owner()
	}
}
