/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Model of module/ring/flight.c, for Spin: a ring with a trimmer, a descriptor that reads a
 * snapshot of it, and the end of its trace. Run by ./check. A step is one access to memory
 * that others can see; the comment beside it names the function that it stands for.
 *
 * Writers are those of ring.pml, with two levels, where a record is its position; time,
 * gaps and a second look at limit are proven there. The trimmer is truly concurrent here:
 * it may also run on another CPU than the ring's, and an NMI interrupts it anywhere.
 *
 * The owner of the reader's end (&ft_cpu.reader) is changed by one atomic operation.
 * Memory order: each step is sequentially consistent. In the code: acquire and release
 * of the owner, so that one who reads the ring sees what the one before it has released;
 * within the ring as in ring.pml.
 *
 * Properties: numbered P_*; -DONLY=n asserts only one of them.
 */
#ifndef SLOTS
#define SLOTS	4
#endif
#define RESERVE	1
#ifndef KEEP
#define KEEP	1	/* slots less RESERVE and headroom */
#endif
#ifndef EVENTS1
#define EVENTS1	3
#endif
#ifndef EVENTS2
#define EVENTS2	2
#endif
#ifndef TICKS
#define TICKS	2
#endif

#define P_OVERRUN	1	/* a slot is never written before it was released */
#define P_WHOLE		2	/* a record is read as it was written, in order */
#define P_SNAPSHOT	3	/* all of the ring up to its mark is read, and no more */
#define P_CLOSED	4	/* when the trace has ended the ring is, and stays, closed */
#define P_ACCOUNT	5	/* attempts = read + overwritten + waiting + lost */
#define P_BOOKS		6	/* what waits is never less than nothing */

#ifdef ONLY
#define CHECK(p, e)	if :: (p == ONLY) -> assert(e) :: else fi
#else
#define CHECK(p, e)	assert(e)
#endif

#define AT(pos)		slot[(pos) % SLOTS]
#define READY(pos)	(AT(pos).id != 0)	/* ft_ring_is_ready() */
#ifdef TRIM_UNREADY
#define TRIMMED(pos)	true
#else
#define TRIMMED(pos)	READY(pos)
#endif
#ifdef PAST_MARK
#define BEFORE_MARK(pos) true
#else
#define BEFORE_MARK(pos) ((pos) < mark)		/* ft_rings_before_mark() */
#endif
#define NONE		0	/* enum ft_reader_is */
#define FILE		1
#define TRIMMER		2

typedef slot_t {
	byte id;
	byte a;
};

slot_t slot[SLOTS];
byte w = SLOTS;		/* positions begin one round up: no mark is 0 */
byte r = SLOTS;
byte limit = 2 * SLOTS - RESERVE;
bool open = true;
byte owner = NONE;
byte mark;		/* &ft_cpu.mark */
bool mutex;		/* &ft_cpu.mutex */
bool ticking = true;	/* the timer may expire */
bool in_tick;		/* ... and runs */

byte lost, refused, overwritten, got;
byte running, finished;
byte attempts;		/* ghost */
byte given = SLOTS;	/* ghost: r when the slots were let go of */
byte from;		/* ghost: r at the mark */
bool ended, marked, over;	/* ghost */

#define STEP	running == level

proctype writer(byte level; byte todo)
{
	byte below, w0, pos;
	bool no_room;

	do
	:: todo > 0 ->
		/* the interrupt */
		atomic { running < level -> below = running; running = level; todo--; attempts++ }
		/* ft_ring_reserve() */
		atomic { STEP -> w0 = w }
		atomic { STEP -> no_room = (w0 >= limit) }
		if
		:: atomic { no_room && STEP ->
			/* ft_ring_look_again(): the last look decides */
			if
			:: limit == 0 -> refused++
			:: else -> lost++
			fi;
			running = below }
		:: atomic { !no_room && STEP -> pos = w; w = w + 1 }
			/* ft_probe_write() */
			atomic { STEP -> CHECK(P_OVERRUN, pos < given + SLOTS); AT(pos).a = pos }
			/* ft_ring_commit() */
			atomic { STEP -> AT(pos).id = level; running = below }
		fi;
		d_step { w0 = 0; pos = 0; below = 0; no_room = false }
	:: else -> break
	od;
	finished++
}

/* ft_ring_release() up to end: r, the ids, limit */
inline release()
{
	atomic { i = r; r = end }
	do
	:: atomic { i < end -> AT(i).id = 0; i++ }
	:: else -> break
	od;
	given = r;
	/* the look at open and the store are two */
	atomic { is_open = open }
	atomic {
		if
		:: is_open -> limit = r + SLOTS - RESERVE
		:: else
		fi;
		CHECK(P_CLOSED, !ended || !limit);
		i = 0; end = 0; is_open = false
	}
}

proctype trimmer()
{
	byte i, end, ticks;
	bool is_open, mine;

	do
	:: atomic { ticking && ticks < TICKS -> in_tick = true; ticks++ }
		/* ft_flight_tick(): the owner; it waits for nobody */
		atomic {
			mine = (owner == NONE);
#ifdef NO_OWNER
			mine = true;
#endif
			if :: mine -> owner = TRIMMER :: else fi
		}
		if
		:: mine ->
			/* ft_ring_trim(): what is too much, and ready */
			atomic { end = r }
			do
			:: atomic { w - end > KEEP && TRIMMED(end) -> end++ }
			:: else -> break
			od;
			atomic { overwritten = overwritten + (end - r) }
			release();
			owner = NONE
		:: else
		fi;
		atomic { in_tick = false; mine = false }
	/* ft_flight_stop() */
	:: atomic { !ticking || ticks == TICKS -> break }
	od
}

/* A descriptor of the ring, and one of the control device. */
proctype reader()
{
	byte i, end;
	bool is_open;

#ifndef MARK_FIRST
	/* ft_rings_claim() */
	atomic { owner == NONE -> owner = FILE }
#endif
	/* ft_rings_mark() */
	atomic { mark = w; from = r; marked = true }
#ifdef MARK_FIRST
	atomic { owner == NONE -> owner = FILE }
#endif
	do
	/* ft_packet_records(): up to the mark */
	:: atomic { BEFORE_MARK(r) && READY(r) -> end = r }
		do
		:: atomic { BEFORE_MARK(end) && end < r + SLOTS && READY(end) -> end++ }
		:: else -> break
		od;
		/* ft_packet_copy() */
		i = r;
		do
		:: atomic { i < end -> CHECK(P_WHOLE, AT(i).a == i && AT(i).id != 0); i++; got++ }
		:: else -> break
		od;
		/* ft_reader_consume() */
		atomic { !mutex -> mutex = true }
		release();
		mutex = false
	/* the end of file: ft_reader_is_over() */
	:: atomic { r >= mark -> break }
	od;
	atomic { CHECK(P_SNAPSHOT, r == mark && got == mark - from); over = true }
	/* ft_flight_unmark(), ft_rings_unclaim() */
	mark = 0;
	owner = NONE
}

/* ft_reader_ioctl_stats(), at any time, for a descriptor that does not read */
proctype books()
{
	byte written, gone;

#ifdef WRITTEN_FIRST
	atomic { written = w - SLOTS }
#endif
	atomic { gone = overwritten }
#ifndef WRITTEN_FIRST
	atomic { written = w - SLOTS }
#endif
	CHECK(P_BOOKS, gone <= written)
}

/* ft_trace_close_rings(), at any time; a descriptor may be reading */
proctype end_of_trace()
{
#ifndef CLOSE_FIRST
	/* ft_flight_stop(): hrtimer_cancel() waits for a tick that runs */
	ticking = false;
	atomic { !in_tick -> skip }
#endif
	/* ft_rings_close() */
	atomic { !mutex -> open = false; limit = 0; ended = true }
	CHECK(P_CLOSED, limit == 0);
#ifdef CLOSE_FIRST
	ticking = false;
	atomic { !in_tick -> skip }
#endif
	/* ft_trace_sync(), and everybody has gone */
	atomic { finished == 2 && over && !in_tick && running == 0 -> skip }
	CHECK(P_CLOSED, limit == 0);
	CHECK(P_ACCOUNT, w == SLOTS + got + overwritten + (w - r) &&
	      attempts == (w - SLOTS) + lost + refused)
}

init
{
	atomic {
		run writer(1, EVENTS1);
		run writer(2, EVENTS2);
		run trimmer();
#ifdef BOOKS
		run books()
#else
		run reader();
		run end_of_trace()
#endif
	}
}
