/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Model of include/feather_trace/ring.h, for Spin. Run by ./check. A step is one
 * access to memory that others can see; the comment beside it names the function that
 * it stands for.
 *
 * What is modelled
 *
 *   Writers. One process a nesting level (task, interrupt, NMI, ...), all on
 *   one CPU. They are strictly LIFO: a higher level can start between any two
 *   instructions of a lower one, which then stands still until the higher one
 *   has finished. @running is the level that runs. Each writer makes several
 *   attempts. Every access to memory is a step of its own: load of w, load of
 *   limit, xadd, clock, stores of the record's parts, publication. Arithmetic
 *   on registers belongs to the step before or after it: nobody can see it.
 *
 *   The reader. Truly concurrent: its steps fall between any two of the
 *   writers'. It takes batches of at most 1 or BATCH records, chosen anew each
 *   time, so that batches end by capacity as well as by a record that is not
 *   ready. It scans slot by slot, mends in place, reads the parts of a record
 *   one by one, moves r, clears slot by slot, moves limit. With -DCLOSE it once
 *   closes the ring at any moment, may go on reading, and restarts it when no
 *   writer is under way; with -DPAUSE it opens it again and forgets nothing.
 *
 *   What the reader does to slots that are its own (mend, read, clear) is one
 *   step, unless -DFINE: P_OVERRUN says that no writer touches them meanwhile,
 *   and writers read no slot. A scan that finds nothing changes nothing, and so
 *   is not a step either.
 *
 *   A writer without room looks again, at limit and then at w, and is refused,
 *   has lost one, or has room after all.
 *
 *   Gaps, with -DGAPS: the steps that count where records were lost, and that
 *   mark the records; then without time.
 *
 *   Positions count records, not bytes, and begin one round up.
 *
 * What is not modelled
 *
 *   Memory order: every step here is sequentially consistent. In the code:
 *   - record before id: store-release in ft_ring_commit(), load-acquire in
 *     ft_ring_is_ready(). So what the reader takes is whole. A record that was
 *     written inside another is published before it, by the same CPU; whoever
 *     acquired the outer id sees the inner ones. Looking ahead relies on it;
 *   - reading, mending and clearing before limit: store-release in
 *     ft_ring_release(); load-acquire of limit in ft_ring_reserve(), or in the
 *     kernel the control dependency from that load to the stores. A writer that
 *     was interrupted and got a slot which only the interrupting one saw to be
 *     free is behind that one's load in program order, and so are its stores;
 *   - between writers there is one CPU, which sees its own accesses in order.
 *   On x86 all of these are plain moves.
 *
 *   More levels, slots and attempts than given to the verifier; the overflow of
 *   64-bit positions and of the 8-bit gap. (Two neighbours cannot differ by 256
 *   gaps: a level adds at most one for a loss it was interrupted in.)
 *
 * Properties: numbered P_*; -DONLY=n asserts only one of them.
 */

#ifndef LEVELS
#define LEVELS	3
#endif
/* 2 * LEVELS - 1 or more, so that a record can hold others of all levels */
#ifndef SLOTS
#define SLOTS	5
#endif
#ifndef RESERVE
#define RESERVE	(LEVELS - 1)
#endif
#ifndef LOOKAHEAD
#define LOOKAHEAD (LEVELS - 1)
#endif
#ifndef BATCH
#define BATCH	2
#endif
/* attempts of each level, 1 = task */
#ifndef EVENTS1
#define EVENTS1	2
#endif
#ifndef EVENTS2
#define EVENTS2	2
#endif
#ifndef EVENTS3
#define EVENTS3	2
#endif
#ifndef EVENTS4
#define EVENTS4	1
#endif

#define P_OVERRUN	1	/* a slot is never written before it was released */
#define P_WHOLE		2	/* a record is read as it was written, in order */
#define P_MONOTONIC	3	/* output timestamps never decrease */
#define P_TRUE		4	/* ... and lie between reservation and clock */
#define P_ACCOUNT	5	/* attempts = read + lost + refused (+ forgotten) */
#define P_EMPTY		6	/* nothing is left at the end */
#define P_GAP		7	/* a loss between two records of a level shows */
#define P_NO_GAP	8	/* ... and without any loss no gap does */
#define P_LOST		9	/* lost: it was open, and full by one limit; */
				/* refused: it was closed at some moment */
#define P_LATEST	10	/* no loss that is counted is later than gap_w */

#ifdef ONLY
#define CHECK(p, e)	if :: (p == ONLY) -> assert(e) :: else fi
#else
#define CHECK(p, e)	assert(e)
#endif

#ifdef FINE
#define OWN
#else
#define OWN		atomic
#endif

/* The ring may be closed. */
#if defined(CLOSE) || defined(PAUSE)
#define CLOSING
#endif

#define AT(pos)		slot[(pos) % SLOTS]

typedef slot_t {
	byte id;	/* the level that wrote it, 0: free */
	byte a;		/* both parts of the payload hold the position */
	byte b;
#ifndef GAPS
	byte ts;
	byte born;	/* ghost: the clock at the reservation */
	byte clock;	/* ghost: the timestamp before mending */
#else
	byte gap;
	bool after;	/* ghost: its level lost one since its record before */
#endif
};

slot_t slot[SLOTS];
byte w = SLOTS;
byte r = SLOTS;
byte limit = 2 * SLOTS - RESERVE;
byte lost;
bool open = true;
byte ticks;		/* the clock: another value each time it is read */

byte running;		/* level; 0: none */
byte finished;		/* writers with no attempts left */
byte attempts;		/* ghost */
byte given = SLOTS;	/* ghost: r when the reader had let go of the slots */
#ifdef CLOSING
byte refused;		/* ghost */
byte changes;		/* ghost: how often it was opened or closed */
#endif

#ifdef GAPS
byte gaps;
byte gap_w;
#endif

/* One step of the writer that runs. */
#define STEP		running == level

#ifdef GAPS
/* Is the note older than this loss? */
#ifdef GAP_UNEQUAL
#define OLDER		gap_w != w0
#else
#define OLDER		gap_w < w0
#endif

/* ft_own_cmpxchg(): if the note is what it was, store this one */
inline exchange_note()
{
	atomic {
		STEP ->
		if
#ifndef GAP_STORED
		:: gap_w != was
		:: gap_w == was ->
#else
		:: true ->
#endif
			CHECK(P_LATEST, gap_w <= w0);
			gap_w = w0
		fi
	}
}

/* ft_ring_note_gap(): the second look, and the exchange */
inline leave_note()
{
	if
	:: atomic { STEP && OLDER -> was = gap_w }
		exchange_note()
	:: atomic { STEP && !(OLDER) -> skip }
	fi
}

/* ft_ring_note_gap() */
inline note_gap()
{
	if
	:: atomic { STEP && OLDER -> skip }
#ifndef GAP_MARK_FIRST
		atomic { STEP -> gaps++ }
		leave_note()
#else
		leave_note();
		atomic { STEP -> gaps++ }
#endif
	:: atomic { STEP && !(OLDER) -> skip }
	fi
}
#endif

/* ft_ring_look_again(), without room; top is the limit that says so */
inline lose()
{
#ifdef GAPS
	note_gap();
#endif
	atomic {
		STEP ->
#ifdef CLOSING
		if
		:: top == 0 ->
			CHECK(P_LOST, changes != begun || !was_open);
			refused++
		:: else ->
			CHECK(P_LOST, w0 >= top && (changes != begun || was_open));
			lost++
		fi;
#else
		lost++;
#endif
#ifdef GAPS
		CHECK(P_LATEST, gap_w >= w0);
		gone = true;
#endif
		running = below
	}
}

/* ft_ring_reserve(): with room */
inline reserve()
{
#if defined(GAPS) && !defined(GAP_AFTER_ADD)
	atomic { STEP -> g = gaps }
#endif
	atomic {
		STEP -> pos = w;
#ifdef SPLIT_ADD
	}
	atomic {
		STEP ->
#endif
		w = pos + 1;
#ifndef GAPS
		AT(pos).born = ticks
#endif
	}
#if defined(GAPS) && defined(GAP_AFTER_ADD)
	atomic { STEP -> g = gaps }
#endif
}

/* ft_probe_write(): the slot */
inline fill()
{
	atomic {
		STEP -> CHECK(P_OVERRUN, pos < given + SLOTS);
#ifndef GAPS
		AT(pos).clock = t;
		AT(pos).ts = t;
#else
		AT(pos).gap = g;
		AT(pos).after = gone;
		gone = false;
#endif
		AT(pos).a = pos
	}
	atomic {
		STEP -> CHECK(P_OVERRUN, pos < given + SLOTS);
		AT(pos).b = pos
	}
}

proctype writer(byte level; byte todo)
{
	byte below, w0, pos, t, top;
	bool no_room;
#ifdef CLOSING
	byte begun;		/* ghost: changes at the beginning */
	bool was_open;		/* ghost: ... and what it was then */
#endif
#ifdef GAPS
	byte g, was;
	bool gone;
#endif

	do
	:: todo > 0 ->
		/* the interrupt */
		atomic {
			running < level ->
			below = running;
			running = level;
			todo--;
			attempts++;
#ifdef CLOSING
			begun = changes;
			was_open = (limit != 0)
#endif
		}
#ifdef CLOCK_FIRST
		atomic { STEP -> ticks++; t = ticks }
#endif
		/* ft_ring_reserve(): the first look */
#ifndef LIMIT_FIRST
		atomic { STEP -> w0 = w }
		atomic { STEP -> no_room = (w0 >= limit) }
#else
		atomic { STEP -> w0 = limit }
		atomic { STEP -> no_room = (w >= w0); w0 = w }
#endif
#ifdef NO_LIMIT
		no_room = false;
#endif
#ifndef ONE_LOOK
		/* ft_ring_look_again() */
		if
		:: no_room ->
			atomic { STEP -> top = limit }
			atomic { STEP -> w0 = w; no_room = (w0 >= top) }
		:: else
		fi;
#else
		if
		:: no_room -> atomic { STEP -> top = limit }
		:: else
		fi;
#endif
		if
		:: no_room -> lose()
		:: else ->
			reserve();
#ifdef EARLY_PUBLISH
			atomic { STEP -> AT(pos).id = level }
#endif
#if !defined(CLOCK_FIRST) && !defined(GAPS)
			/* ft_probe_stamp() */
			atomic { STEP -> ticks++; t = ticks }
#endif
			fill();
			/* ft_ring_commit() */
			atomic {
				STEP ->
#ifndef EARLY_PUBLISH
				AT(pos).id = level;
#endif
				running = below
			}
		fi;
		d_step {
			w0 = 0; pos = 0; t = 0; below = 0; no_room = false; top = 0;
#ifdef CLOSING
			begun = 0; was_open = false;
#endif
#ifdef GAPS
			g = 0; was = 0
#endif
		}
	:: else -> break
	od;
	finished++
}

/* ft_ring_release(): limit, if the ring is open */
inline move_limit()
{
	atomic {
		if
		:: open ->
#ifdef CLOSING
			if :: limit == 0 -> changes++ :: else fi;
#endif
			limit = r + SLOTS - RESERVE
		:: else
		fi;
		i = 0; end = 0; top = 0; max = 0
	}
}

/* ft_ring_release() up to end: r, then the ids */
inline clear()
{
	i = r;
	r = end;
#ifdef LIMIT_BEFORE_CLEAR
	limit = r + SLOTS - RESERVE;
#endif
#ifndef NO_CLEAR
	do
	:: atomic { i < end -> AT(i).id = 0; i++ }
	:: else -> break
	od;
#endif
	given = r
}

/* ft_ring_ready(): after the scan */
inline mend()
{
#if !defined(NO_MEND) && !defined(GAPS)
	i = end;
	do
	:: atomic {
		i > r + 1 -> i--;
		if
		:: AT(i - 1).ts > AT(i).ts -> AT(i - 1).ts = AT(i).ts
		:: else
		fi
	   }
	:: else -> break
	od;
#endif
	atomic {
		if :: end > r + max -> end = r + max :: else fi;
		i = r
	}
}

/* What the reader does with the records: ft_packet_copy() and others */
inline read()
{
	do
	:: atomic { i < end -> CHECK(P_WHOLE, AT(i).a == i) }
	   atomic {
		CHECK(P_WHOLE, AT(i).b == i);
#ifndef GAPS
		CHECK(P_MONOTONIC, AT(i).ts >= last);
		CHECK(P_TRUE, AT(i).ts > AT(i).born && AT(i).ts <= AT(i).clock);
		last = AT(i).ts;
#else
		if
		:: got > 0 && AT(i).gap != gap ->
			differs = true;
			shown[1] = true;
			shown[2] = true;
			shown[LEVELS] = true
		:: else
		fi;
		gap = AT(i).gap;
		CHECK(P_GAP, !seen[AT(i).id] || !AT(i).after || shown[AT(i).id]);
		seen[AT(i).id] = true;
		shown[AT(i).id] = false;
#endif
		got++;
		i++
	   }
	:: else -> break
	od
}

proctype reader()
{
	byte i, end, top, max, last, forgotten, got;
	bool closed;
#ifdef CLOSE
	bool cleared;
#endif
#ifdef GAPS
	byte gap;
	bool differs;
	bool seen[LEVELS + 1];	/* a record of this level was read */
	bool shown[LEVELS + 1];	/* a gap since its latest */
#endif

	do
#ifdef PAUSE
	/* ft_ring_close(); ft_ring_open() with writers under way, at any time */
	:: atomic { !closed -> open = false; limit = 0; closed = true; changes++ }
	:: atomic { closed && !open -> open = true }
		move_limit()
#endif
#ifdef CLOSE
	/* ft_ring_close() */
	:: atomic { !closed -> open = false; limit = 0; closed = true; changes++ }
	/* ft_ring_clear(): nobody under way who may have seen it open (ft_trace_put()) */
#ifndef RESTART_EARLY
	:: atomic { closed && !open && !cleared && running == 0 -> end = w }
#else
	:: atomic { closed && !open && !cleared -> end = w }
#endif
		OWN { forgotten = end - r; clear() }
		/* it is closed: limit stays */
		move_limit();
		cleared = true
	/* ft_ring_open() */
	:: atomic { cleared && !open -> open = true }
		move_limit()
#endif
	/* ft_ring_ready(): the scan */
	:: atomic {
		AT(r).id != 0 ->
		max = 1;
#if BATCH > 1
		if :: max = BATCH :: skip fi;
#endif
		end = r + 1;
		top = max + LOOKAHEAD;
#ifndef NO_CAP
		top = (top > SLOTS -> SLOTS : top);
#endif
		top = r + top
	   }
		do
		:: atomic { end < top && AT(end).id != 0 -> end++ }
		:: else -> break
		od;
		OWN {
			mend();
			read();
			clear()
		}
		move_limit()
	/* no writer under way or to come, and still nothing there */
	:: atomic { finished == LEVELS && AT(r).id == 0 -> break }
	od;

	CHECK(P_EMPTY, r == w);
#ifdef CLOSING
	lost = lost + refused;
#endif
	CHECK(P_ACCOUNT, got + lost + forgotten == attempts);
#ifdef GAPS
	CHECK(P_NO_GAP, !differs || lost > 0)
#endif
}

init
{
	atomic {
		run writer(1, EVENTS1);
		run writer(2, EVENTS2);
#if LEVELS > 2
		run writer(3, EVENTS3);
#endif
#if LEVELS > 3
		run writer(4, EVENTS4);
#endif
		run reader()
	}
}
