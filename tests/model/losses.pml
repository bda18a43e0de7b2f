/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Model of the losses that snapshots of the flight recorder tell, for Spin. Run by
 * ./check. A step is one access to memory that others can see; the comment beside it
 * names the function that it stands for.
 *
 * Writers are those of ring.pml: strictly LIFO, a level each. What is proven there or in
 * flight.pml is one step here, or not here at all: the slots, which record is ready, that
 * the ring's end has one owner. So an attempt that finds room at the first look is one
 * step, and an owner of the end releases any number of records.
 *
 * The trimmer and the reader are truly concurrent. The reader takes SNAPSHOTS, one after
 * the other; between them the trimmer goes on. It may give up before it has read all: then
 * that snapshot has told nothing.
 *
 * Memory order: each step is sequentially consistent. In the code: a loss is noted before
 * it is counted, both by one CPU; ft_rings_pass_losses() reads the count with acquire
 * before the note, and ft_rings_mark() @w with acquire before the count.
 *
 * Properties: numbered P_*; -DONLY=n asserts only one of them.
 */
#ifndef ROOM
#define ROOM	1	/* slots up to the limit */
#endif
#ifndef LEVELS
#define LEVELS	2
#endif
#ifndef EVENTS1
#define EVENTS1	2
#endif
#ifndef EVENTS2
#define EVENTS2	2
#endif
#ifndef EVENTS3
#define EVENTS3	1
#endif
#ifndef TICKS
#define TICKS	2
#endif
#ifndef SNAPSHOTS
#define SNAPSHOTS 2
#endif

#define P_TOLD		1	/* of the losses that were counted before its mark, a */
				/* snapshot tells all from its first record on that */
				/* none before it has told */

#ifdef ONLY
#define CHECK(p, e)	if :: (p == ONLY) -> assert(e) :: else fi
#else
#define CHECK(p, e)	assert(e)
#endif

#define NONE		0	/* enum ft_reader_is */
#define FILE		1
#define TRIMMER		2

byte w = 1;		/* positions count records; no mark is 0 */
byte r = 1;
byte limit = 1 + ROOM;
byte gap_w;
byte lost;
byte owner = NONE;
byte lost_passed;	/* as in struct ft_cpu */
byte mark;
byte mark_lost;

byte running;		/* level; 0: none */
byte lost_at[16];	/* ghost: the position of each loss, as they were counted */

/* One step of the writer that runs. */
#define STEP		running == level

/* Is the note older than this loss? */
#ifdef GAP_UNEQUAL
#define OLDER		gap_w != w0
#else
#define OLDER		gap_w < w0
#endif
#ifdef GAP_STORED
#define UNCHANGED	true
#else
#define UNCHANGED	gap_w == was
#endif

/* ft_ring_note_gap() */
inline note_gap()
{
	if
	:: atomic { STEP && OLDER -> skip }
		/* here gaps grows; then the second look, and ft_own_cmpxchg() */
		if
		:: atomic { STEP && OLDER -> was = gap_w }
			atomic {
				STEP ->
				if
				:: UNCHANGED -> gap_w = w0
				:: else
				fi
			}
		:: atomic { STEP && !(OLDER) -> skip }
		fi
	:: atomic { STEP && !(OLDER) -> skip }
	fi
}

/* ft_ring_look_again(): the count */
inline count()
{
	atomic { STEP -> lost_at[lost] = w0; lost++ }
}

proctype writer(byte level; byte todo)
{
	byte below, w0, top, was;
	bool no_room;

	do
	:: atomic { todo > 0 && running < level ->
			/* the interrupt */
			below = running;
			running = level;
			todo--
		}
		/* ft_ring_reserve() */
		atomic {
			STEP -> no_room = (w >= limit);
			if
			:: !no_room -> w++; running = below
			:: else
			fi
		}
		if
		:: no_room ->
			/* ft_ring_look_again() */
			atomic { STEP -> top = limit }
			atomic { STEP -> w0 = w; no_room = (w0 >= top) }
			if
			:: !no_room ->
				/* ft_ring_next() */
				atomic { STEP -> w++; running = below }
			:: else ->
#ifndef COUNT_FIRST
				note_gap();
				count();
#else
				count();
				note_gap();
#endif
				atomic { STEP -> running = below }
			fi
		:: else
		fi;
		d_step { w0 = 0; top = 0; was = 0; below = 0; no_room = false }
	:: todo == 0 -> break
	od
}

/* ft_ring_release() of some, at least one, up to that position */
inline release_to(last)
{
	atomic {
		r++;
		do
		:: r < last -> r++
		:: break
		od;
		limit = r + ROOM
	}
}

#ifdef PASS_AT_BEGIN
#define BEHIND		gap_w <= r
#else
#define BEHIND		gap_w < r
#endif

/* ft_rings_pass_losses() */
inline pass_losses(was_read)
{
#ifndef NOTE_FIRST
	atomic { so_far = lost }
	atomic { behind = (BEHIND) }
#else
	atomic { behind = (BEHIND) }
	atomic { so_far = lost }
#endif
	if
	:: !behind && !(was_read) -> so_far = 0
	:: !behind && was_read ->
		/* ft_rings_before_mark() */
		atomic { behind = (mark && r >= mark) }
		atomic { so_far = (behind -> mark_lost : 0) }
	:: behind
	fi;
	atomic {
		lost_passed = (so_far > lost_passed -> so_far : lost_passed);
		so_far = 0;
		behind = false
	}
}

#ifndef TRIM_TELLS
#define TRIMMED_IS_READ	false
#else
#define TRIMMED_IS_READ	true
#endif

proctype trimmer()
{
	byte ticks, so_far;
	bool behind;

	do
	/* ft_flight_tick() */
	:: atomic { ticks < TICKS && owner == NONE && w > r -> owner = TRIMMER; ticks++ }
		/* ft_ring_trim() */
		release_to(w);
		pass_losses(TRIMMED_IS_READ);
		owner = NONE
	:: ticks < TICKS -> ticks++
	:: ticks == TICKS -> break
	od
}

/* A descriptor of the ring, and one of the control device. */
proctype reader()
{
	byte snapshots, at, passed, so_far, i;
	bool behind;
	byte told, due;		/* ghost: losses told before, and to be told now */

	do
	:: snapshots < SNAPSHOTS ->
		snapshots++;
		/* ft_rings_claim() */
		atomic { owner == NONE -> owner = FILE }
		/* ft_rings_mark() */
#ifdef LOST_FIRST
		atomic { mark_lost = lost }
#endif
		atomic {
			at = w;
			i = told;
			do
			:: i < lost -> due = due + (lost_at[i] >= r); i++
			:: else -> break
			od;
			i = 0
		}
#ifndef LOST_FIRST
		atomic { mark_lost = lost }
#endif
		atomic { mark = at; at = 0 }
		/* ft_reader_ioctl_window() */
		atomic { passed = lost_passed }
		do
		/* ft_reader_consume() */
		:: r < mark ->
			release_to(mark);
			pass_losses(true)
		:: r >= mark ->
			/* ft_rings_lost_before_mark(), in the last packet */
			atomic {
				CHECK(P_TOLD, mark_lost - passed >= due);
				told = mark_lost
			}
			break
		/* it gives up */
		:: r < mark -> break
		od;
		/* ft_rings_unclaim() and ft_flight_unmark() */
		if
		:: atomic { owner = NONE }
			atomic { mark = 0 }
		:: atomic { mark = 0 }
			atomic { owner = NONE }
		fi;
		d_step { due = 0; passed = 0 }
	:: else -> break
	od
}

init
{
	atomic {
		run writer(1, EVENTS1);
		run writer(2, EVENTS2);
#if LEVELS > 2
		run writer(3, EVENTS3);
#endif
		run trimmer();
		run reader()
	}
}
